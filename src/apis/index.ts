/**
 * The kinds of Meridian: for each one zod schema, which gives the TypeScript type, the parser at the boundary and the
 * generated CRD; conversion between versions, matching of selectors, and one canonical text and hash for a value.
 * It promises that whatever the API server accepts, the parser accepts, and the other way round, but for what only a server
 * knows (an object's former life). It never reads a clock, a file or a cluster, and never changes what it is given.
 */
export * from "./canonical.ts";
export type { EnvFromSource, EnvVar, Probe, Quantity, ResourceRequirements, Volume, VolumeMount } from "./container.ts";
export type { Contact } from "./contact.ts";
export * from "./conversion.ts";
export * from "./crds.ts";
export * from "./demoapplication.ts";
export * from "./endpoint.ts";
export * from "./kinds.ts";
export * from "./match.ts";
export * from "./membercluster.ts";
export { shortMessage } from "./message.ts";
export * from "./meta.ts";
export * from "./overridepolicy.ts";
export * from "./ownership.ts";
export * from "./parse.ts";
export * from "./placement.ts";
export { policyKey } from "./policyKey.ts";
export { isReservedKey, PROTECTED_FIELDS, protectedChange } from "./protectedFields.ts";
export * from "./quantity.ts";
export { sameValue } from "./sameValue.ts";
export * from "./selectors.ts";
export { timestamp } from "./time.ts";
export * from "./wellknown.ts";
