/**
 * Computes rows for the members from a snapshot of the hub, in two steps. {@link computeTarget} decides which clusters
 * run a hub object, which objects each of them should have, and why. {@link step} decides the action for each member
 * object now, removals included. The room composes the interpreter, the scheduler and the overrides.
 *
 * Promises: the same values give the same answer, hashes included, in any order of the input. Clusters with equal
 * objects share one value. A cluster keeps its copies if no cluster fits, since an empty answer is no reason to delete.
 * A cluster's problem stays in the cluster's own entry. Overrides never change the name or the owner of an object. A
 * row removes a copy only if all facts behind the removal allow it.
 *
 * Never calls a client, reads a clock, throws, or changes its input.
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
export * from "./assemble/index.ts";
export * from "./explain/index.ts";
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
export * from "./waits/index.ts";
export type * from "./types.ts";
export type { Snapshot } from "./snapshot.ts";
