/** Every removal is decided here and names the object by UID. A move never removes the last serving copy. */
export {
  type BlastRadius,
  blastRadius,
  type ClusterChange,
  differenceOf,
  type MemberObjectChange,
} from "./difference.ts";
export { knownCopies } from "./knownCopies.ts";
export {
  expectedOf,
  mark,
  type Marking,
  ownerRefOf,
  ownerText,
  policyOf,
  withControllerReference,
  withDependenciesHash,
} from "./marks.ts";
export { AWAITING_REPLACEMENT } from "./moves.ts";
export { decideRemovals } from "./removals.ts";
export { REPLACED } from "./replacement.ts";
export { rolloutFacts } from "./rolloutFacts.ts";
export { chooseRow, hasEnded, inTheNameOf, inTheNamesOf, isInSync, isSameRef } from "./rows.ts";
export { isKindUnreadable, readabilityKey, whyUnreadable } from "./readability.ts";
export { step } from "./step.ts";
