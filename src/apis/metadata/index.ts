/**
 * Metadata of objects: references, ownership, and the labels and annotations that have a meaning in Meridian.
 *
 * Promises: each name on the wire is defined once, in this folder.
 */
export * from "./meta.ts";
export * from "./ownership.ts";
export * from "./policyKey.ts";
export { isReservedKey, protectedChange } from "./protectedFields.ts";
export * from "./protectedNamespaces.ts";
export * from "./queryRows.ts";
export * from "./replicaBounds.ts";
export * from "./wellknown.ts";
