/**
 * From a snapshot of the hub to the desired state: which clusters run one hub object, which objects are to be on each of them, and
 * why. It composes the interpreter, the scheduler and the overrides.
 *
 * It promises the same plan for the same values, hashes included, in whatever order they come; one object shared by all clusters that it
 * is equal on; that a cluster with nothing to go to keeps what it has, since an empty answer is no reason to delete; that one
 * cluster's trouble stays in its entry; and that overrides never change what an object is called or whose it is. It never calls a client, never
 * reads a clock, never throws, and never changes what it is given.
 */
export { reowned } from "./marks.ts";
export { computeDesiredState } from "./plan.ts";
export { selectPlacement } from "./placementSelection.ts";
export type {
  ApplyRow,
  ClusterPlan,
  ComputeDesiredState,
  DeleteRow,
  DesiredObject,
  DesiredRow,
  HoldRow,
  Observation,
  Plan,
  ReleaseRow,
  Role,
  Row,
  Snapshot,
  Why,
} from "./types.ts";
