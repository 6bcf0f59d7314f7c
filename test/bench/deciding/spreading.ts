import { parseObject, type Placement } from "../../../src/apis/index.ts";
import { computeTarget, type Snapshot } from "../../../src/desiredstate/index.ts";
import type { ClusterSnapshot } from "../../../src/scheduler/types.ts";
import { clusterPlacement } from "../../builders/index.ts";
import { snapshots } from "./snapshots.ts";

const OBJECTS = 1_000;
const CLUSTERS = 1_000;
const NOW = 1_795_000_000_000;
const APIS = new Set(["apps/v1", "networking.k8s.io/v1", "v1"]);
const READY = { status: "True", since: NOW - 3_600_000 } as const;

export interface SpreadingFigures {
  objects: number;
  clusters: number;
  /** Of all objects, once each, by the process's own account. */
  cpuSeconds: number;
  longestMs: number;
}

/**
 * Decides about every object once, each with a policy that has something to decide: selectors by label and provider, taints, a spread over
 * regions and zones, preferences, a count of clusters, and replicas that are divided by weight. Every second one runs somewhere already.
 */
export function measureSpreading(): SpreadingFigures {
  const all = [...policySnapshots()];
  for (const snapshot of all.slice(0, 50)) decide(snapshot);
  const cpu = process.cpuUsage();
  let longestMs = 0;
  let before = performance.now();
  for (const snapshot of all) {
    decide(snapshot);
    const now = performance.now();
    longestMs = Math.max(longestMs, now - before);
    before = now;
  }
  const { user, system } = process.cpuUsage(cpu);
  return { objects: OBJECTS, clusters: CLUSTERS, cpuSeconds: (user + system) / 1e6, longestMs };
}

function decide(snapshot: Snapshot): void {
  const { clusters, decision } = computeTarget(snapshot, NOW);
  if (clusters.length === 0) throw new Error(`nothing was chosen: ${JSON.stringify(decision.verdicts[0])}`);
}

function* policySnapshots(): Generator<Snapshot> {
  const policies = [placement(3, 6, 12), placement(5, 15, 30), placement(2, 2, 4), placement(8, 24, 200)];
  let clusters: ClusterSnapshot[] | undefined;
  for (const [index, snapshot] of [...snapshots(OBJECTS, CLUSTERS)].entries()) {
    clusters ??= snapshot.clusters.map((cluster) => ({ ...cluster, ready: READY, apis: APIS }));
    const policy = policies[index % policies.length] as Placement;
    const running = new Set(
      index % 2 === 0 ? [] : clusters.filter((_, at) => at % 97 === index % 97).map(({ name }) => name),
    );
    yield { ...snapshot, clusters, placements: [policy], overrides: [], running, object: withReplicas(snapshot, 240) };
  }
}

function withReplicas({ object }: Snapshot, replica: number): Snapshot["object"] {
  return { ...object, spec: { ...(object["spec"] as object), replica } };
}

function placement(minRegions: number, minZones: number, clusterCount: number): Placement {
  const { metadata, spec, ...rest } = clusterPlacement("spread")
    .tolerates({ key: "edge", operator: "Exists" })
    .object();
  const object = {
    ...rest,
    metadata,
    spec: {
      ...(spec as object),
      clusterAffinities: [
        {
          name: "production",
          labelSelector: { matchLabels: { "example.com/stage": "production" } },
          fieldSelector: { matchExpressions: [{ key: "provider", operator: "In", values: ["alpha", "beta"] }] },
        },
      ],
      clusterCount,
      clusterPreferences: [
        {
          targetClusters: {
            fieldSelector: { matchExpressions: [{ key: "provider", operator: "In", values: ["beta"] }] },
          },
          weight: 10,
        },
      ],
      spreadConstraints: [
        { topologyKey: "region", minGroups: minRegions, maxGroups: minRegions + 1 },
        { topologyKey: "zone", minGroups: minZones },
      ],
      replicaScheduling: {
        mode: "Divided",
        weights: [
          {
            targetClusters: {
              fieldSelector: { matchExpressions: [{ key: "provider", operator: "In", values: ["beta"] }] },
            },
            weight: 2,
          },
          { targetClusters: {}, weight: 1 },
        ],
      },
    },
  };
  const parsed = parseObject(object);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.object as unknown as Placement;
}
