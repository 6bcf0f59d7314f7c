import { type MemberCluster, matchesClusterSelector, type Placement, policyKey } from "../../../apis/index.ts";
import type { Observation } from "../../../desiredstate/index.ts";
import { clusterSnapshot, type HubCache, type HubEvent } from "../../../hub/index.ts";
import type { Assignments, ObservationChange } from "../../tables/index.ts";
import type { PlanChange, ObjectStates } from "../../states/index.ts";

const GO = 256;

/**
 * Keys of the objects on the cluster, that a policy may place there, or that no policy places. Yields undefined where
 * the caller may pause.
 */
export function* affectedBy(
  hub: HubCache,
  states: ObjectStates,
  { object, old }: Pick<HubEvent<MemberCluster>, "object" | "old">,
): Generator<string | undefined, void, undefined> {
  const { name } = object.metadata;
  const reachable = new Map<string, boolean>();
  const mayPlaceThere = (key: string): boolean => {
    let may = reachable.get(key);
    if (may === undefined) {
      const policy = hub.policy(key)?.policy as Placement | undefined;
      may = policy === undefined || [object, old].some((cluster) => cluster !== undefined && mayUse(policy, cluster));
      reachable.set(key, may);
    }
    return may;
  };
  let seen = 0;
  for (const [owner, { target }] of [...states.plans()]) {
    seen += 1;
    if (seen % GO === 0) yield undefined;
    const placement = target?.placement;
    if (
      target === undefined ||
      placement === undefined ||
      target.clusters.some((cluster) => cluster.name === name) ||
      mayPlaceThere(policyKey(placement))
    )
      yield owner;
  }
}

/** True if the policy could select the cluster for some object, whatever labels it must share with the object. */
function mayUse({ spec }: Placement, cluster: MemberCluster): boolean {
  const groups = spec.clusterAffinities ?? [];
  const snapshot = clusterSnapshot(cluster);
  return (
    groups.length === 0 || groups.some(({ matchLabelKeys: _, ...group }) => matchesClusterSelector(group, snapshot, {}))
  );
}

/** True if the plan leaves a cluster. Copies of other objects that waited for this may then be removed. */
export function leavesClusters({ before, after }: PlanChange): boolean {
  const left = before?.target?.clusters ?? [];
  return left.some(({ name }) => after?.target?.clusters.some((cluster) => cluster.name === name) !== true);
}

/** True for a dependency that cannot be changed to its desired state. */
export function isInTheWay(observation: Observation | undefined): boolean {
  const present = observation?.present;
  return present?.refused !== undefined || (present?.immutable === true && observation?.inSyncWith === undefined);
}

/**
 * Objects that must be planned again after a change of a copy: a copy that no row of its owner applies, a dependency
 * that newly refuses its desired state, and objects that wait for observations (`isWaiting`: for a removal or a
 * rollout).
 */
export function* ownersToReplan(
  assignments: Assignments,
  isWaiting: (owner: string) => boolean,
  change: ObservationChange,
): Iterable<string> {
  const owner = change.named.after;
  const row = owner === undefined ? undefined : assignments.get(change.cluster, change.key)?.rows.get(owner);
  const isStuck = isInTheWay(change.after) && !isInTheWay(change.before);
  for (const relevant of assignments.ownersOfChange(change)) {
    if (isStuck || isWaiting(relevant) || (relevant === owner && row?.verb !== "Apply")) yield relevant;
  }
}
