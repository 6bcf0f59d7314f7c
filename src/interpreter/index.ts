/**
 * Knowledge about kinds: what a hub object becomes on a member and needs there, its replicas, health and fields. All
 * functions are pure: no client, no clock; no argument is changed, and results may share parts with arguments.
 *
 * Promises: rendered objects hold no null and no empty list, so that an API server keeps each of their fields; an
 * object without any report is never called healthy, unless its kind has nothing to report; messages hold nothing of a
 * Secret.
 */
export {
  amountOf,
  atPath,
  declaredDependencies,
  declaredTemplateDependencies,
  imagesOf,
  needsOfPod,
  type PathStep,
  type PodNeeds,
  podNeedsKey,
  podNeedsOf,
  podTemplateOf,
  podTemplatePathOf,
  podTemplatePathsOf,
  type PodToleration,
  withAccountNames,
  withoutDuplicates,
  withSecretData,
} from "./pods/index.ts";
export {
  givesRights,
  type GroupKind,
  groupKindOf,
  isClusterScopedBuiltIn,
  isCustomGroup,
  isDefinition,
  neverPlacedAs,
  phaseOf,
  staysOnHub,
  whyByNameOnly,
  whyNeverInBundle,
  whyNeverPlaced,
} from "./kinds/index.ts";
export { judgeManifests, titleOf, unpackedSpecOf } from "./bundle/index.ts";
export {
  alteredFields,
  appliedAtOf,
  associativeKey,
  evidenceOf,
  fieldOfPlace,
  fieldsLeftOut,
  hasApplied,
  holdsPlace,
  isPlaceholder,
  keptFields,
  lostFields,
  lostPlaces,
  matchesKey,
  onlyKept,
  ownsAnnotation,
  sameIn,
  hubOwnedFields,
  unwrittenFields,
  userSetObject,
  valueAtElements,
  whyOwnersUnknown,
  withKept,
  withoutGivenUp,
  withoutPath,
  withoutPlaces,
} from "./fields/index.ts";
export { expiryOf, isJob, isSummedUp, runHash, statusOwner, statusSum, undividable } from "./sums/index.ts";
export {
  DEPENDENCY_KINDS,
  dependencyKindOf,
  hubKindOf,
  isPropagated,
  isRendered,
  memberKindOf,
  memberKinds,
  type MemberReport,
  memberReport,
  occasionalKindOf,
  placeableKindOf,
  renderedHubKinds,
  renderedMemberKinds,
  replicaPath,
  replicaPathsOf,
  replicasAt,
  requiredHubKinds,
  whyHubsOwn,
  withCounts,
  withReplicasAt,
} from "./registry/index.ts";
export {
  compileCondition,
  healthProblems,
  isSameTrouble,
  mayBeForPods,
  podSelectorOf,
  type PodTrouble,
  podTrouble,
} from "./health/index.ts";
export type {
  Dependency,
  Health,
  HubKind,
  LostField,
  LostPlace,
  MemberStatus,
  ReplicaPaths,
  HubOwnedField,
} from "./types.ts";
