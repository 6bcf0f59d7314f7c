/** Computes the target of one object: which clusters, how many replicas, which revision, and why. */
export { scopeNeeds, scopeProblem, termsWithin } from "./bundleScope.ts";
export { needsOf, withTheirNeeds } from "./needs.ts";
export { choosePlacement, selectPlacement } from "./placementSelection.ts";
export {
  isSameObject,
  isUnreadable,
  madeOfRevision,
  type RevisionContent,
  revisionOf,
  snapshotOfRevision,
} from "./revision.ts";
export { computeTarget } from "./target.ts";
