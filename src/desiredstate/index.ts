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
export { expectedOf, ownerRefOf, policyOf } from "./marks.ts";
export {
  type BlastRadius,
  blastRadius,
  type ClusterChange,
  differenceOf,
  type MemberObjectChange,
} from "./difference.ts";
export { knownCopies } from "./knownCopies.ts";
export { type StageAssignment, stageAssignment, stageProblems } from "./rolloutStages.ts";
export { type ExplainedCluster, type Explanation, explain } from "./explain.ts";
export { type FieldChange, fieldChanges } from "./fieldChanges.ts";
export type { AppliedRule } from "./overrideFields.ts";
export { scopeNeeds, scopeProblem, termsWithin } from "./bundleScope.ts";
export {
  type Allowance,
  allowancesFor,
  defaultTerms,
  type NamespaceTerms,
  namespaceTerms,
  termsText,
} from "./podSecurity/index.ts";
export { AWAITING_REPLACEMENT } from "./moves.ts";
export { needsOf, withTheirNeeds } from "./needs.ts";
export { type NearMiss, nearMisses } from "./nearMisses.ts";
export { choosePlacement, selectPlacement } from "./placementSelection.ts";
export { decideRemovals } from "./removals.ts";
export { REPLACED } from "./replacement.ts";
export { sameReportTerms } from "./reporting.ts";
export { chooseRow, hasEnded, inTheNameOf, inTheNamesOf, isInSync, isSameRef } from "./rows.ts";
export { isKindUnseen, kindNameOf, sightOf, whyUnseen } from "./sight.ts";
export { rolloutFacts } from "./rolloutFacts.ts";
export { step } from "./step.ts";
export { computeTarget } from "./target.ts";
export {
  isSameObject,
  isUnreadable,
  madeOfRevision,
  revisionOf,
  type RevisionContent,
  snapshotOfRevision,
} from "./revision.ts";
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
