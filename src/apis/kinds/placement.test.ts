import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { spreadConstraint } from "./placement.ts";
import { replicaScheduling } from "./replicaScheduling.ts";
import { rollout } from "./rolloutPolicy.ts";
import { resourceRequirements } from "./container.ts";

const takes = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;

describe("what a Placement takes", () => {
  test.each<[boolean, object]>([
    [true, { topologyKey: "cluster" }],
    [true, { topologyKey: "region" }],
    [true, { topologyKey: "zone" }],
    [true, { topologyKey: "provider" }],
    [true, { topologyKey: "example.com/rack" }],
    [false, { topologyKey: "rack" }],
    [true, { topologyKey: "zone", minGroups: 2, maxGroups: 2 }],
    [true, { topologyKey: "zone", minGroups: 2 }],
    [true, { topologyKey: "zone", maxGroups: 2 }],
    [false, { topologyKey: "zone", minGroups: 3, maxGroups: 2 }],
  ])("%j: to spread by %j", (want, value) => expect(takes(spreadConstraint, value)).toBe(want));

  const weight = (...weights: number[]) => weights.map((one) => ({ targetClusters: {}, weight: one }));
  test.each<[boolean, object]>([
    [true, { mode: "Divided", weights: weight(0, 1) }],
    [false, { mode: "Divided", weights: weight(0, 0) }],
    [true, { mode: "Divided", strategy: "Weighted", weights: weight(1) }],
    [false, { mode: "Divided", strategy: "Available", weights: weight(1) }],
    [false, { mode: "Duplicated", weights: weight(1) }],
    [false, { mode: "Duplicated", strategy: "Weighted" }],
    [true, { mode: "Divided", minReplicasPerCluster: 2, maxReplicasPerCluster: 2 }],
    [true, { mode: "Divided", minReplicasPerCluster: 2 }],
    [true, { mode: "Divided", maxReplicasPerCluster: 2 }],
    [false, { mode: "Divided", minReplicasPerCluster: 3, maxReplicasPerCluster: 2 }],
    [false, { mode: "Duplicated", maxReplicasPerCluster: 2 }],
    [false, { mode: "Duplicated", minReplicasPerCluster: 0 }],
  ])("%j: to divide by %j", (want, value) => expect(takes(replicaScheduling, value)).toBe(want));

  test.each<[boolean, number | string]>([
    [true, 1],
    [true, "1%"],
    [true, "100%"],
    [false, 0],
    [false, "101%"],
    [false, "1"],
  ])("%j: to change %j clusters at once", (want, maxConcurrency) =>
    expect(takes(rollout, { stages: [{ name: "a", maxConcurrency }] })).toBe(want),
  );
});

test.each<[boolean, object]>([
  [true, { requests: { cpu: "1" }, limits: { cpu: "1000m" } }],
  [true, { requests: { cpu: "1" }, limits: { memory: "1Gi" } }],
  [true, { requests: { memory: "512Mi" }, limits: { memory: "1Gi" } }],
  [false, { requests: { cpu: "1001m" }, limits: { cpu: 1 } }],
])("%j: to ask for %j", (want, value) => expect(takes(resourceRequirements, value)).toBe(want));
