import { policyKey, refKey } from "../../apis/index.ts";
import { asksFor, type HubState } from "../../desiredstate/index.ts";
import type { HubCache } from "../../hub/index.ts";
import { MEMBERCLUSTERS } from "../../runtime/index.ts";
import type { Assignments, Observations } from "../tables/index.ts";
import type { ObjectStates, Capacities } from "../states/index.ts";
import type { ControllerClasses } from "./controllerClasses.ts";
import type { DependencyWatches } from "./dependencies.ts";
import type { EvictionPace } from "./evictionPace.ts";
import type { HubNamespaces } from "./hubNamespaces.ts";
import type { MissingOwners } from "./missingOwners.ts";
import type { PlanningProgress } from "./planningProgress.ts";

export interface ManagerHubStateSources {
  hub: HubCache;
  hubId: string;
  assignments: Assignments;
  observations: Observations;
  states: ObjectStates;
  dependencies: Pick<DependencyWatches, "referrersTo">;
  progress: Pick<PlanningProgress, "isKnownAround">;
  classes: Pick<ControllerClasses, "needing">;
  missing: Pick<MissingOwners, "heldOn">;
  namespaces: Pick<HubNamespaces, "termsFor">;
  capacities: Pick<Capacities, "get">;
  pace: Pick<EvictionPace, "turnOf">;
}

/**
 * The state of the hub and its members, from the caches and tables of the leader. Sends no requests. {@link HubState}
 * explains each entry; `meridian plan` has its own implementation.
 */
export function managerHubState(sources: ManagerHubStateSources): HubState {
  const { hub, hubId, assignments, observations, states, dependencies, progress, classes, missing, capacities } =
    sources;
  return {
    hubId,
    get synced() {
      return hub.synced;
    },
    get deletionsHeld() {
      return hub.deletionsHeld;
    },
    contacts: observations,
    capacities,
    object: (owner) => hub.object(owner)?.object,
    statusOf: (object) => hub.statuses.of(object),
    settingOf: (object) => hub.planned.settingOf(object),
    scaleOf: (object) => hub.kindOf(object)?.type.scale,
    termsFor: (object) => sources.namespaces.termsFor(object),
    placementsFor: () => hub.allPlacements(),
    allOverrides: () => hub.allOverrides(),
    clusterSnapshots: () => hub.clusterSnapshots(),
    memberCluster: (name) => hub.clusters.get(name),
    memberClusters: () => hub.clusters.list(),
    isObserved: () => true,
    naming: (owner) => observations.naming(owner),
    copy: (cluster, key) => observations.get(cluster, key),
    copiesOn: (cluster) => observations.in(cluster),
    contactOf: (cluster) => observations.contactOf(cluster),
    turnOf: (placement, perMinute, owner) => sources.pace.turnOf(policyKey(placement), perMinute, owner, hub.now()),
    planOf: (owner) => states.planOf(owner),
    cellsOf: (owner) => assignments.of(owner),
    rowOf: (owner, cluster, key) => assignments.get(cluster, key)?.rows.get(owner),
    isKnownAround: (owner) => progress.isKnownAround(owner),
    heldWithKind: ({ metadata }) => hub.kindDeletions.heldNow(MEMBERCLUSTERS, metadata),
    heldAsMissing: (cluster) => missing.heldOn(cluster),
    *askersOf(cluster, ref) {
      const key = refKey(ref);
      for (const [owner, row] of assignments.get(cluster, key)?.rows ?? []) if (asksFor(row)) yield owner;
      for (const owner of dependencies.referrersTo(key))
        if (states.planOf(owner)?.target?.clusters.some(({ name }) => name === cluster) === true) yield owner;
    },
    isNeededByOtherClass(ref) {
      for (const _ of classes.needing(ref)) return true;
      return false;
    },
  };
}
