/**
 * Rules of every kind in one table: rendering, replicas, health, status.
 *
 * Promises: a kind without an entry is handled by rules that hold for any kind.
 */
export { whyHubsOwn } from "./hubsOwn.ts";
export { type MemberReport, memberReport } from "./memberReport.ts";
export {
  DEPENDENCY_KINDS,
  dependencyKindOf,
  hubKindOf,
  isPropagated,
  isRendered,
  memberKindOf,
  memberKinds,
  occasionalKindOf,
  placeableKindOf,
  renderedHubKinds,
  renderedMemberKinds,
  replicaPathsOf,
  requiredHubKinds,
} from "./registry.ts";
export { replicaPath, replicasAt, withCounts, withReplicasAt } from "./replicas.ts";
