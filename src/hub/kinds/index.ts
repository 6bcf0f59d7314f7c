/**
 * Which kinds the hub serves and may be read, where they keep replicas, and which are being deleted.
 *
 * Promises: a kind that cannot be read is said to be unreadable, never taken for empty.
 */
export { KindCatalog } from "./kindCatalog.ts";
export { KindDeletions } from "./kindDeletions.ts";
export { heldUnder, isOfEarlierCrd, type KindTerms, kindTerms } from "./kindTerms.ts";
export { memberRights, memberRightsInNamespace, rightsOn } from "./rights.ts";
export { ScalePaths } from "./scalePaths.ts";
