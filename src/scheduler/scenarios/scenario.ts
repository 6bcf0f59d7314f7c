import type { Taint } from "../../apis/index.ts";
import type { ClusterSnapshot, Eviction, Subject } from "../types.ts";

/** One file of the decision suite. Times are RFC 3339. */
export interface Scenario {
  clusters: readonly ScenarioCluster[];
  /** The spec of a Placement, but for its resourceSelectors. */
  policy: Record<string, unknown>;
  object?: Pick<Subject, "key" | "namespace" | "replicas" | "apis" | "sentAsItIs"> & {
    labels?: Record<string, string>;
  };
  /** Clusters that run the object, with their replicas. */
  current?: Record<string, number>;
  evicted?: Record<string, Eviction>;
  returnNotBefore?: string;
  now?: string;
  /** What has to come out: the chosen clusters, or their replicas by name. */
  want: readonly string[] | Record<string, number>;
}

interface ScenarioCluster extends Pick<
  ClusterSnapshot,
  "name" | "region" | "zone" | "provider" | "namespaces" | "undecided"
> {
  labels?: Record<string, string>;
  taints?: Taint[];
  ready?: "True" | "False" | "Unknown";
  /** Since when the cluster says that it is `ready`, or not. */
  since?: string;
  apis?: string[];
  deleting?: boolean;
  local?: boolean;
}

/** The values that the scheduler takes. */
export function setting(
  scenario: Scenario,
  otherwise: number,
): { subject: Subject; clusters: ClusterSnapshot[]; now: number } {
  const { object = {}, current = {}, evicted, returnNotBefore, now } = scenario;
  return {
    subject: {
      ...object,
      labels: object.labels ?? {},
      current: new Map(Object.entries(current)),
      ...(evicted === undefined ? {} : { evicted: new Map(Object.entries(evicted)) }),
      ...(returnNotBefore === undefined ? {} : { returnNotBefore: Date.parse(returnNotBefore) }),
    },
    clusters: scenario.clusters.map(snapshotOf),
    now: now === undefined ? otherwise : Date.parse(now),
  };
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
