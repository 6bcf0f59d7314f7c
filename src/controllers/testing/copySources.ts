import {
  type FederatedStatus,
  type KubeObject,
  type MemberCluster,
  type MemberClusterSpec,
  type OwnerRef,
  refKey,
  refOf,
} from "../../apis/index.ts";
import type { Why } from "../../desiredstate/index.ts";
import type { HubEvent } from "../../hub/index.ts";
import { Emitter, type ResourceType } from "../../runtime/index.ts";
import type { CopySources } from "../facts/copies.ts";
import { managerHubState, type ManagerHubStateSources } from "../facts/managerHubState.ts";
import { PlanningProgress } from "../facts/planningProgress.ts";
import { type Plan, ObjectStates } from "../states/index.ts";
import { applicationsOnHub } from "./applicationsOnHub.ts";
import { CLUSTER, owner as ownerOf, workTables } from "./builders.ts";

/** A hub object whose status names these clusters. */
export function hubObject(name: string, clusters: readonly string[] = [], status: object = {}): KubeObject {
  const { uid, ...ref } = ownerOf(name);
  const entries = clusters.map((cluster) => ({ name: cluster, state: "Available" }));
  return {
    apiVersion: ref.apiVersion,
    kind: ref.kind,
    metadata: { name, namespace: "default", uid, generation: 1 },
    spec: {},
    status: { observedGeneration: 1, clusters: entries, ...status } as FederatedStatus,
  };
}

export function member(
  name: string = CLUSTER,
  metadata: Partial<MemberCluster["metadata"]> = {},
  spec: Partial<MemberClusterSpec> = {},
): MemberCluster {
  return {
    apiVersion: "federation.paas.cmft.com/v1alpha1",
    kind: "MemberCluster",
    metadata: { name, ...metadata },
    spec: { connection: {}, ...spec },
  } as unknown as MemberCluster;
}

export const leaving = { deletionTimestamp: "2026-02-01T00:00:00Z" };

/** A plan of this manager with these clusters. */
export function planOn(clusters: readonly string[], more: Partial<Plan> = {}): Plan {
  const target = { clusters: clusters.map((name) => ({ name })), missing: new Set() };
  return {
    uid: "u",
    generation: 1,
    target: target as unknown as NonNullable<Plan["target"]>,
    remaining: new Set(),
    ours: true,
    ...more,
  };
}

/** The tables of planning, with a hub and facts that the test controls. One cluster is in contact. */
export function copySources() {
  const objects = new Map<string, KubeObject>();
  const members = new Map<string, MemberCluster>([[CLUSTER, member()]]);
  const referrers = new Map<string, string[]>();
  const state = {
    synced: true,
    deletionsHeld: false,
    /** Why the deletions of a kind are held. */
    kindHeld: undefined as Why | undefined,
    kindsAsked: [] as string[],
    /** Why the copies of missing objects are held. */
    missingHeld: undefined as Why | undefined,
    needing: [] as OwnerRef[],
    alone: true,
    ownsCluster: true,
    othersNamespaces: new Set<string>(),
  };
  const { observations, assignments } = workTables();
  const states = new ObjectStates();
  const progress = new PlanningProgress();
  progress.begin([]);
  const othersChanged = new Emitter<undefined>();
  const holds = new Emitter<boolean>();
  const kindChanges = new Emitter<ResourceType>();
  const clusterEvents = new Emitter<HubEvent<MemberCluster>>();
  const hub = {
    ...applicationsOnHub(objects),
    get synced() {
      return state.synced;
    },
    get deletionsHeld() {
      return state.deletionsHeld;
    },
    clusters: {
      get: (name: string) => members.get(name),
      list: () => [...members.values()],
      keys: () => [...members.keys()],
      subscribe: (handler: (event: HubEvent<MemberCluster>) => void) => clusterEvents.subscribe(handler),
    },
    kindDeletions: {
      heldNow: ({ kind }: ResourceType) => (state.kindsAsked.push(kind), state.kindHeld),
      changes: kindChanges,
    },
    holds,
  };
  const classes = {
    needing: () => state.needing,
    get areAlone() {
      return state.alone;
    },
    ownsCluster: () => state.ownsCluster,
    isOthersNamespace: async (name: string) => state.othersNamespaces.has(name),
    othersChanged,
  };
  const tables = {
    hub,
    assignments,
    observations,
    states,
    dependencies: { referrersTo: (key: string) => referrers.get(key) ?? [] },
    progress,
    classes,
    missing: { heldOn: () => state.missingHeld },
  };
  /** Other facts that a snapshot depends on. A test may replace them. */
  const facts: Pick<ManagerHubStateSources, "namespaces" | "capacities" | "pace"> = {
    namespaces: { termsFor: () => undefined },
    capacities: { get: () => undefined },
    pace: { turnOf: () => 0 },
  };
  const known = { ...tables, ...facts, hubId: "hub" } as unknown as ManagerHubStateSources;
  const hubState = managerHubState(known);
  const sources = { ...tables, hubState } as unknown as CopySources;
  /** Puts an object on the hub and returns its key. */
  const have = (object: KubeObject): string => {
    const key = refKey(refOf(object));
    objects.set(key, object);
    return key;
  };
  const join = (cluster: MemberCluster): void => void members.set(cluster.metadata.name, cluster);
  const events = { othersChanged, holds, kindChanges, clusterEvents };
  return {
    sources,
    hubState,
    known,
    state,
    objects,
    members,
    referrers,
    observations,
    assignments,
    states,
    progress,
    events,
    have,
    join,
  };
}
