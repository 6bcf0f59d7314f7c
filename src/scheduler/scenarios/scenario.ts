import type { Taint } from "../../apis/index.ts";
import type { ClusterHeadroom, ClusterSnapshot, Eviction, Subject } from "../types.ts";

/** One file of the decision suite. Times are RFC 3339. */
export interface Scenario {
  clusters: readonly ScenarioCluster[];
  /** Spec of a Placement without its resourceSelectors. */
  policy: Record<string, unknown>;
  object?: Pick<Subject, "key" | "namespace" | "replicas" | "apis" | "sentAsItIs"> & {
    labels?: Record<string, string>;
  };
  /** Clusters that run the object, with their replicas. */
  current?: Record<string, number>;
  evicted?: Record<string, Eviction>;
  /** Further replicas that fit, by cluster; `Unknown`: nobody can say. A cluster without an entry is being measured. */
  room?: Record<string, number | "Unknown">;
  /** Clusters that replicas have to leave, with the most that may stay. */
  leaving?: Record<string, number>;
  returnNotBefore?: string;
  now?: string;
  /** Expected result: the chosen clusters, or their replicas by name. */
  want: readonly string[] | Record<string, number>;
}

interface ScenarioCluster extends Pick<
  ClusterSnapshot,
  "name" | "region" | "zone" | "provider" | "namespaces" | "undecided"
> {
  labels?: Record<string, string>;
  taints?: Taint[];
  ready?: "True" | "False" | "Unknown";
  /** Since when the cluster has its `ready` status. */
  since?: string;
  apis?: string[];
  deleting?: boolean;
  local?: boolean;
}

/** Input of the scheduler for a scenario. */
export function setting(
  scenario: Scenario,
  otherwise: number,
): { subject: Subject; clusters: ClusterSnapshot[]; now: number } {
  const { object = {}, current = {}, evicted, returnNotBefore, now, room, leaving } = scenario;
  return {
    subject: {
      ...object,
      labels: object.labels ?? {},
      current: new Map(Object.entries(current)),
      ...(evicted === undefined ? {} : { evicted: new Map(Object.entries(evicted)) }),
      ...(room === undefined ? {} : { room: headroomIn(room) }),
      ...(leaving === undefined ? {} : { leaving: new Map(Object.entries(leaving)) }),
      ...(returnNotBefore === undefined ? {} : { returnNotBefore: Date.parse(returnNotBefore) }),
    },
    clusters: scenario.clusters.map(snapshotOf),
    now: now === undefined ? otherwise : Date.parse(now),
  };
}

function headroomIn(room: NonNullable<Scenario["room"]>): Map<string, ClusterHeadroom> {
  const unknown = { reason: "RoomUnknown", message: "its nodes cannot be read", remedy: "let the account list nodes" };
  return new Map(Object.entries(room).map(([name, fits]) => [name, fits === "Unknown" ? unknown : { fits }]));
}

function snapshotOf({ ready, since, apis, ...cluster }: ScenarioCluster): ClusterSnapshot {
  return {
    labels: {},
    taints: [],
    deleting: false,
    local: false,
    ...cluster,
    ...(ready === undefined ? {} : { ready: { status: ready, since: since === undefined ? 0 : Date.parse(since) } }),
    ...(apis === undefined ? {} : { apis: new Set(apis) }),
  };
}
