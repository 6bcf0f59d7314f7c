import type {
  FederatedStatus,
  KubeObject,
  MemberCluster,
  ObjectRef,
  ObjectSetting,
  OverridePolicy,
  Placement,
} from "../../apis/index.ts";
import { policyKey, refKey } from "../../apis/index.ts";
import {
  asksFor,
  type ContactFacts,
  type HubState,
  type Observation,
  type Row,
  type Why,
} from "../../desiredstate/index.ts";
import type { HubCache } from "../../hub/index.ts";
import { MEMBERCLUSTERS } from "../../runtime/index.ts";
import type { Assignments, Observations, Plans, Capacities } from "../tables/index.ts";
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
  plans: Plans;
  dependencies: Pick<DependencyWatches, "referrersTo">;
  progress: Pick<PlanningProgress, "isKnownAround">;
  classes: Pick<ControllerClasses, "needing">;
  missing: Pick<MissingOwners, "heldOn">;
  namespaces: Pick<HubNamespaces, "termsFor">;
  capacities: Pick<Capacities, "get">;
  pace: Pick<EvictionPace, "turnOf">;
}

/**
 * The state of the hub and its members, from the caches and tables of the leader, for planning and removals. Sends no
 * requests. {@link HubState} explains each method. `meridian plan` has its own implementation.
 */
export class ManagerHubState implements HubState {
  readonly #sources: ManagerHubStateSources;

  constructor(sources: ManagerHubStateSources) {
    this.#sources = sources;
  }

  get hubId(): string {
    return this.#sources.hubId;
  }

  get synced(): boolean {
    return this.#sources.hub.synced;
  }

  get deletionsHeld(): boolean {
    return this.#sources.hub.deletionsHeld;
  }

  get contacts(): Observations {
    return this.#sources.observations;
  }

  get capacities(): Pick<Capacities, "get"> {
    return this.#sources.capacities;
  }

  object(owner: string): KubeObject | undefined {
    return this.#sources.hub.object(owner)?.object;
  }

  statusOf(object: KubeObject): FederatedStatus | undefined {
    return this.#sources.hub.statuses.of(object);
  }

  settingOf(object: KubeObject): ObjectSetting {
    return this.#sources.hub.planned.settingOf(object);
  }

  scaleOf(object: KubeObject): ReturnType<HubState["scaleOf"]> {
    return this.#sources.hub.kindOf(object)?.type.scale;
  }

  termsFor(object: KubeObject): ReturnType<HubState["termsFor"]> {
    return this.#sources.namespaces.termsFor(object);
  }

  placementsFor(): readonly Placement[] {
    return this.#sources.hub.allPlacements();
  }

  allOverrides(): readonly OverridePolicy[] {
    return this.#sources.hub.allOverrides();
  }

  clusterSnapshots(): ReturnType<HubState["clusterSnapshots"]> {
    return this.#sources.hub.clusterSnapshots();
  }

  memberCluster(name: string): MemberCluster | undefined {
    return this.#sources.hub.clusters.get(name);
  }

  memberClusters(): Iterable<MemberCluster> {
    return this.#sources.hub.clusters.list();
  }

  /** The manager observes every cluster. */
  isObserved(): true {
    return true;
  }

  naming(owner: string): Iterable<Observation> {
    return this.#sources.observations.naming(owner);
  }

  copy(cluster: string, key: string): Observation | undefined {
    return this.#sources.observations.get(cluster, key);
  }

  copiesOn(cluster: string): Iterable<Observation> {
    return this.#sources.observations.in(cluster);
  }

  contactOf(cluster: string): ContactFacts {
    return this.#sources.observations.contactOf(cluster);
  }

  turnOf(placement: Placement, perMinute: number, owner: string): number {
    const { hub, pace } = this.#sources;
    return pace.turnOf(policyKey(placement), perMinute, owner, hub.now());
  }

  planOf(owner: string): ReturnType<HubState["planOf"]> {
    return this.#sources.plans.get(owner);
  }

  cellsOf(owner: string): ReturnType<HubState["cellsOf"]> {
    return this.#sources.assignments.of(owner);
  }

  rowOf(owner: string, cluster: string, key: string): Row | undefined {
    return this.#sources.assignments.get(cluster, key)?.rows.get(owner);
  }

  isKnownAround(owner: string): boolean {
    return this.#sources.progress.isKnownAround(owner);
  }

  heldWithKind({ metadata }: MemberCluster): Why | undefined {
    return this.#sources.hub.kindDeletions.heldNow(MEMBERCLUSTERS, metadata);
  }

  heldAsMissing(cluster: string): Why | undefined {
    return this.#sources.missing.heldOn(cluster);
  }

  *askersOf(cluster: string, ref: ObjectRef): Iterable<string> {
    const { assignments, dependencies, plans } = this.#sources;
    const key = refKey(ref);
    for (const [owner, row] of assignments.get(cluster, key)?.rows ?? []) if (asksFor(row)) yield owner;
    for (const owner of dependencies.referrersTo(key))
      if (plans.get(owner)?.target?.clusters.some(({ name }) => name === cluster) === true) yield owner;
  }

  isNeededByOtherClass(ref: ObjectRef): boolean {
    for (const _ of this.#sources.classes.needing(ref)) return true;
    return false;
  }
}
