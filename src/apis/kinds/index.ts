/**
 * The schema of each kind: DemoApplication, Placement, OverridePolicy, MemberCluster, ManifestBundle, ResourceBinding.
 *
 * Promises: a schema accepts exactly what the CustomResourceDefinition accepts.
 */
export {
  type ClusterState,
  type ClusterStatusEntry,
  type DemoApplication,
  type DemoApplicationSpec,
  demoApplicationSpec,
  demoApplicationSpecV1beta1,
  type DemoApplicationV1beta1,
  type FederatedStatus,
  federatedStatus,
  type KeptRevision,
  type ReplicaCounts,
  type RolloutStatus,
  type ServicePort,
} from "./demoapplication.ts";
export {
  type End,
  type FinishedRecord,
  type FinishedRun,
  type FinishedWork,
  NOTHING_FINISHED,
  readFinished,
  runKey,
  withEnds,
  writeFinished,
} from "./finished.ts";
export * from "./manifestbundle.ts";
export { type MemberAddress, type MemberCondition, MOST_REPORTED } from "./memberReport.ts";
export {
  type MemberCluster,
  type MemberClusterSpec,
  memberClusterSpec,
  type MemberClusterStatus,
  memberClusterStatus,
  type Taint,
} from "./membercluster.ts";
export {
  type OverridePolicy,
  type OverridePolicySpec,
  overridePolicySpec,
  type OverrideRule,
  type PatchOperation,
} from "./overridepolicy.ts";
export {
  type AffinityGroup,
  type DeclaredDependency,
  type DeclaredTemplate,
  type DependencyKind,
  type DisruptionBudget,
  type HealthRule,
  HUB_ONLY_KINDS,
  type Placement,
  type PlacementSpec,
  placementSpec,
  type PolicyStatus,
  policyStatus,
  type Toleration,
} from "./placement.ts";
export { bindingName, isBinding, type ResourceBinding, resourceBindingSpec } from "./resourcebinding.ts";
export { LONGEST_IMAGE, MOST_VERSIONS, type Running, type RunningThere, type Version } from "./running.ts";
