/**
 * Kinds that the hub serves and that may be read, their replica paths, and their deletions.
 *
 * Promises: a kind that cannot be read is reported as unreadable, and never counts as empty.
 */
export { KindCatalog } from "./kindCatalog.ts";
export { KindDeletions } from "./kindDeletions.ts";
export { heldUnder, isOfEarlierCrd, type KindTerms, kindTerms } from "./kindTerms.ts";
export { memberRights, memberRightsInNamespace, rightsOn } from "./rights.ts";
export { ScalePaths } from "./scalePaths.ts";
