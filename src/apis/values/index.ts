/**
 * Plain values and their text forms: JSON, quantities, durations, versions, canonical text.
 *
 * Promises: every integer, null, empty list and key is read back as it was written. No function here knows a kind.
 */
export * from "./canonical.ts";
export * from "./defined.ts";
export * from "./duration.ts";
export * from "./endpoint.ts";
export * from "./json.ts";
export * from "./quantity.ts";
export * from "./sameValue.ts";
export * from "./setMember.ts";
export * from "./share.ts";
export * from "./time.ts";
export * from "./trimEnd.ts";
export * from "./valueAt.ts";
export * from "./versionOrder.ts";
export * from "./words.ts";
