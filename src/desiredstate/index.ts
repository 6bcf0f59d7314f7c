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
export {
  AWAITING_REPLACEMENT,
  type BlastRadius,
  blastRadius,
  chooseRow,
  type ClusterChange,
  decideRemovals,
  differenceOf,
  expectedOf,
  hasEnded,
  inTheNameOf,
  inTheNamesOf,
  isInSync,
  isKindUnreadable,
  isSameRef,
  knownCopies,
  type MemberObjectChange,
  ownerRefOf,
  policyOf,
  REPLACED,
  rolloutFacts,
  readabilityKey,
  step,
  whyUnreadable,
} from "./rows/index.ts";
export {
  acceptedIn,
  asksFor,
  assembleRemovalFacts,
  assembleSnapshot,
  type ContactFacts,
  copiesOf,
  copiesToPlan,
  heldBySuspension,
  heldConditionOf,
  type HubState,
  isCustom,
  isFoundOnJoin,
  isReleasedFrom,
  isNeededByOthers,
  isRemoval,
  isUnrecorded,
  leavingOf,
  leftBehind,
  type MissingHold,
  previousOf,
  recordedClusters,
  rememberedHold,
  type Removal,
  type ResolvedNeeds,
  wasFoundOnJoin,
  whyHeldAsMissing,
} from "./assemble/index.ts";
export {
  explain,
  type ExplainedCluster,
  type Explanation,
  type NearMiss,
  nearMisses,
  type StageAssignment,
  stageAssignment,
  stageProblems,
} from "./explain/index.ts";
export { type AppliedRule, type FieldChange, fieldChanges, sameReportTerms } from "./manifests/index.ts";
export {
  choosePlacement,
  computeTarget,
  isSameObject,
  isUnreadable,
  madeOfRevision,
  needsOf,
  type RevisionContent,
  revisionOf,
  scopeNeeds,
  scopeProblem,
  selectPlacement,
  snapshotOfRevision,
  termsWithin,
  withTheirNeeds,
} from "./target/index.ts";
export {
  type Allowance,
  allowancesFor,
  defaultTerms,
  type NamespaceTerms,
  namespaceTerms,
  termsText,
} from "./podSecurity/index.ts";
export type {
  ApplyRow,
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
export type { Snapshot } from "./snapshot.ts";
