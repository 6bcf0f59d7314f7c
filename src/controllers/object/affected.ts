import { type MemberCluster, matchesClusterSelector, type Placement, policyKey } from "../../apis/index.ts";
import type { Observation } from "../../desiredstate/index.ts";
import { clusterSnapshot, type HubCache, type HubEvent } from "../../hub/index.ts";
import { type Assignments, type ObservationChange, type PlanChange, type Plans } from "../tables/index.ts";

/** So many plans are checked in one go. */
const GO = 256;

/**
 * Keys of the objects whose plan the change of a cluster can affect: those that run there, those that a policy may place there, and those that
 * no policy places. An undefined in between is a place to pause at.
 */
export function* affectedBy(
  hub: HubCache,
  plans: Plans,
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
  for (const [owner, { target }] of [...plans.entries()]) {
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

/** Whether a policy selects the cluster for any object at all: labels that the object itself must have in common are left out. */
function mayUse({ spec }: Placement, cluster: MemberCluster): boolean {
  const groups = spec.clusterAffinities ?? [];
  const snapshot = clusterSnapshot(cluster);
  return (
    groups.length === 0 || groups.some(({ matchLabelKeys: _, ...group }) => matchesClusterSelector(group, snapshot, {}))
  );
}

/** Fewer clusters than before: what another object there was kept for may go. */
export function leavesClusters({ before, after }: PlanChange): boolean {
  const left = before?.target?.clusters ?? [];
  return left.some(({ name }) => after?.target?.clusters.some((cluster) => cluster.name === name) !== true);
}

/** A dependency that cannot become what it is to be. */
export function isInTheWay(observation: Observation | undefined): boolean {
  const present = observation?.present;
  return present?.refused !== undefined || (present?.immutable === true && observation?.inSyncWith === undefined);
}

/**
 * Objects that a change of a copy is news to. A copy that its owner's rows ask for is no news; one that nobody asks for is, and any change of a copy
 * that is to go. `isWaiting`: copies of the object are to go, or its rollout goes on with what is seen of them.
 */
export function* ownersToReplan(
  assignments: Assignments,
  isWaiting: (owner: string) => boolean,
  change: ObservationChange,
): Iterable<string> {
  const owner = change.named.after;
  const row = owner === undefined ? undefined : assignments.get(change.cluster, change.key)?.rows.get(owner);
  const isStuck = isInTheWay(change.after) && !isInTheWay(change.before);
  for (const concerned of assignments.concernedBy(change)) {
    if (isStuck || isWaiting(concerned) || (concerned === owner && row?.verb !== "Apply")) yield concerned;
  }
}
