/**
 * What Meridian knows about kinds: what a hub object becomes on a member, what the object needs beside it there, how many
 * replicas the object asks for, how healthy a member object is, which fields of a member object are still Meridian's, and which fields
 * of a plain hub object a person set.
 *
 * It promises that rendered objects hold no null and no empty list, so that an API server keeps each of their fields; that an object
 * without any report is never called healthy, unless its kind has nothing to report; and that messages are short and hold nothing of a
 * Secret. All functions are pure: no client, no clock, and no argument is ever changed. Results may share parts with the arguments.
 *
 * A new kind is a new rule in the registry; no other module distinguishes kinds.
 */
export { withAccountNames } from "./pods/accountNames.ts";
export {
  groupKindOf,
  isClusterScopedBuiltIn,
  isCustomGroup,
  isDefinition,
  phaseOf,
  whyNeverInBundle,
  givesRights,
  type GroupKind,
} from "./kinds/kinds.ts";
export { judgeManifests, titleOf, unpackedSpecOf } from "./bundle/manifests.ts";
export { withoutDuplicates } from "./pods/duplicates.ts";
export { declaredDependencies } from "./pods/declaredDependencies.ts";
export { declaredTemplateDependencies } from "./pods/propagatedDependencies.ts";
export { alteredFields, evidenceOf } from "./fields/effect.ts";
export { expiryOf, runHash } from "./sums/ends.ts";
export { associativeKey, matchesKey } from "./fields/fieldPaths.ts";
export { withoutGivenUp } from "./fields/givenUp.ts";
export { staysOnHub } from "./kinds/hubMarks.ts";
export { whyHubsOwn } from "./registry/hubsOwn.ts";
export { imagesOf } from "./pods/images.ts";
export { isSameTrouble, mayBeForPods, podSelectorOf, type PodTrouble, podTrouble } from "./health/pods.ts";
export { healthProblems } from "./health/declared.ts";
export { type MemberReport, memberReport } from "./registry/memberReport.ts";
export {
  appliedAtOf,
  fieldOfPlace,
  hasApplied,
  lostFields,
  lostPlaces,
  ownsAnnotation,
  valueAtElements,
} from "./fields/ownership.ts";
export { neverPlacedAs, whyByNameOnly, whyNeverPlaced } from "./kinds/placeableKinds.ts";
export { amountOf, needsOfPod, type PodNeeds, podNeedsKey, podNeedsOf, type PodToleration } from "./pods/podNeeds.ts";
export { atPath, type PathStep, podTemplateOf, podTemplatePathOf, podTemplatePathsOf } from "./pods/podTemplates.ts";
export {
  DEPENDENCY_KINDS,
  dependencyKindOf,
  hubKindOf,
  isPropagated,
  memberKindOf,
  memberKinds,
  occasionalKindOf,
  placeableKindOf,
  renderedHubKinds,
  renderedMemberKinds,
  replicaPathsOf,
  requiredHubKinds,
} from "./registry/registry.ts";
export { replicaPath, replicasAt, withCounts, withReplicasAt } from "./registry/replicas.ts";
export { isJob, undividable } from "./sums/divisionOfJobs.ts";
export { withSecretData } from "./pods/secretData.ts";
export { isSummedUp, statusOwner, statusSum } from "./sums/statusSum.ts";
export type {
  Dependency,
  Health,
  HubKind,
  LostField,
  LostPlace,
  MemberStatus,
  ReplicaPaths,
  StandingField,
} from "./types.ts";
export { keptFields, onlyKept, standingFields, withKept } from "./fields/standing.ts";
export { holdsPlace, sameIn, unwrittenFields, withoutPath } from "./fields/unwritten.ts";
export { fieldsLeftOut } from "./fields/leftOut.ts";
export { userSetObject, whyOwnersUnknown } from "./fields/userFields.ts";
export { isPlaceholder, withoutPlaces } from "./fields/yielding.ts";
