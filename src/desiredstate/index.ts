/**
 * From a snapshot of the hub to rows for the members, in two steps. {@link computeTarget}: which clusters run one hub object, which objects
 * are to be on each of them, and why. {@link step}: what to do about each member object now, removals included. It composes the interpreter,
 * the scheduler and the overrides.
 *
 * It promises the same answer for the same values, hashes included, in whatever order they come; one object shared by all clusters that it
 * is equal on; that a cluster with nothing to go to keeps what it has, since an empty answer is no reason to delete; that one
 * cluster's trouble stays in its entry; that overrides never change what an object is called or whose it is; and that no row removes a copy
 * unless every fact that the removal rests on allows it. It never calls a client, never reads a clock, never throws, and never changes what it is
 * given.
 */
export { expectedOf, ownerRefOf, policyOf } from "./rows/marks.ts";
export {
  type BlastRadius,
  blastRadius,
  type ClusterChange,
  differenceOf,
  type MemberObjectChange,
} from "./rows/difference.ts";
export { knownCopies } from "./rows/knownCopies.ts";
export { type StageAssignment, stageAssignment, stageProblems } from "./explain/rolloutStages.ts";
export { type ExplainedCluster, type Explanation, explain } from "./explain/explain.ts";
export { type FieldChange, fieldChanges } from "./manifests/fieldChanges.ts";
export type { AppliedRule } from "./manifests/overrideFields.ts";
export { scopeNeeds, scopeProblem, termsWithin } from "./target/bundleScope.ts";
export {
  type Allowance,
  allowancesFor,
  defaultTerms,
  type NamespaceTerms,
  namespaceTerms,
  termsText,
} from "./podSecurity/index.ts";
export { AWAITING_REPLACEMENT } from "./rows/moves.ts";
export { needsOf, withTheirNeeds } from "./target/needs.ts";
export { type NearMiss, nearMisses } from "./explain/nearMisses.ts";
export { choosePlacement, selectPlacement } from "./target/placementSelection.ts";
export { decideRemovals } from "./rows/removals.ts";
export { REPLACED } from "./rows/replacement.ts";
export { sameReportTerms } from "./manifests/reporting.ts";
export { chooseRow, hasEnded, inTheNameOf, inTheNamesOf, isInSync, isSameRef } from "./rows/rows.ts";
export { isKindUnseen, kindNameOf, sightOf, whyUnseen } from "./rows/sight.ts";
export { rolloutFacts } from "./rows/rolloutFacts.ts";
export { step } from "./rows/step.ts";
export { computeTarget } from "./target/target.ts";
export {
  isSameObject,
  isUnreadable,
  madeOfRevision,
  revisionOf,
  type RevisionContent,
  snapshotOfRevision,
} from "./target/revision.ts";
export type {
  ApplyRow,
  ClusterFacts,
  ClusterTarget,
  DeleteRow,
  DeletionPolicy,
  EndedRun,
  Failure,
  HoldRow,
  Heal,
  Observation,
  Problem,
  ReleaseRow,
  RemovalFacts,
  RolloutState,
  ReportTerms,
  Row,
  StepResult,
  Target,
  Why,
} from "./types.ts";
export type { FoundCopy, Needs, PlacementChoice, Snapshot } from "./snapshot.ts";
