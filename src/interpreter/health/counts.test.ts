import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { Health } from "../types.ts";
import { condition, judge } from "./testing.ts";

/** What a workload of three replicas is when its controller counts so many. */
interface Counts {
  existing: number;
  updated: number;
  ready: number;
  available: number;
}
const ALL: Counts = { existing: 3, updated: 3, ready: 3, available: 3 };

const counts = ({ existing, updated, ready, available }: Counts): object => ({
  observedGeneration: 2,
  replicas: existing,
  updatedReplicas: updated,
  readyReplicas: ready,
  availableReplicas: available,
});
const deployment = (given: Counts, desired = 3, conditions: object[] = []): Health =>
  judge("apps/v1 Deployment", { spec: { replicas: desired }, status: { ...counts(given), conditions } });

const health = (reason: string, message: string, more: Partial<Health> = {}): Health => ({
  state: "Progressing",
  reason,
  message,
  ...more,
});
const NOW = { serves: "Now" } as const;
const BEFORE = { serves: "Before" } as const;
const AVAILABLE: Health = { state: "Available" };

describe("a Deployment of 3 replicas", () => {
  test.each<[string, Partial<Counts>, Health]>([
    ["one updated pod is missing", { updated: 2 }, health("RollingOut", "2 of 3 replicas updated", BEFORE)],
    ["one pod is updated too many", { updated: 4 }, AVAILABLE],
    ["one pod is missing in all", { existing: 2 }, AVAILABLE],
    ["one old pod is there", { existing: 4 }, health("RollingOut", "1 old replica is still there", BEFORE)],
    ["two old pods are there", { existing: 5 }, health("RollingOut", "2 old replicas are still there", BEFORE)],
    [
      "one pod is too many, and new",
      { existing: 4, updated: 4 },
      health("RollingOut", "4 replicas are there, 3 asked for", NOW),
    ],
    ["one pod is not ready", { ready: 2 }, health("PodsNotReady", "2 of 3 replicas ready", NOW)],
    ["one pod is ready too many", { ready: 4 }, AVAILABLE],
    ["one pod is not available", { available: 2 }, health("PodsNotReady", "2 of 3 replicas available")],
    ["one pod is available too many", { available: 4 }, AVAILABLE],
    ["no pod is available", { available: 0 }, health("PodsNotReady", "0 of 3 replicas available")],
    ["no pod is updated", { updated: 0 }, health("RollingOut", "0 of 3 replicas updated", BEFORE)],
  ])("where %s", (_name, given, want) => {
    const all = { ...ALL, ...given };
    const { existing: _, ...told } = all;
    expect(deployment(all)).toStrictEqual({ ...want, replicas: { desired: 3, ...told } });
  });

  const enough = condition("Available", "True");
  test.each<[string, object[], number, Health["serves"]]>([
    ["has as many as its controller asks for", [enough], 1, "Before"],
    ["has none, whatever its controller says", [enough], 0, undefined],
    ["has too few, as its controller says", [condition("Available", "False")], 3, undefined],
    ["has a controller that does not know", [condition("Available", "Unknown")], 3, undefined],
    ["has all, where its controller says nothing", [], 3, "Before"],
    ["has more than all, where its controller says nothing", [], 4, "Before"],
    ["lacks one, where its controller says nothing", [], 2, undefined],
  ])("that %s", (_name, conditions, available, serves) => {
    const found = deployment({ ...ALL, updated: 2, available }, 3, conditions);
    expect(found).toMatchObject({ state: "Progressing", reason: "RollingOut" });
    expect(found.serves).toBe(serves);
  });
});

describe("a Deployment whose rollout has come to an end before its time", () => {
  const LATE = condition("Progressing", "False", "ProgressDeadlineExceeded", "timed out");
  const REFUSED = condition("ReplicaFailure", "True", "FailedCreate", 'pods "x" is forbidden: exceeded quota: q');

  test.each<[string, object[], number, Partial<Health>]>([
    ["is Failed with no pod", [LATE], 0, { state: "Failed", reason: "ProgressDeadlineExceeded", message: "timed out" }],
    [
      "is Degraded with one",
      [LATE],
      1,
      { state: "Degraded", reason: "ProgressDeadlineExceeded", message: "timed out" },
    ],
    [
      "was refused pods first of all",
      [LATE, REFUSED],
      0,
      { state: "Failed", reason: "QuotaExceeded", message: "exceeded quota: q" },
    ],
    ["has a quota again", [{ ...REFUSED, status: "Unknown" }], 1, { state: "Progressing", reason: "RollingOut" }],
    ["may yet come to its end", [{ ...LATE, status: "Unknown" }], 1, { state: "Progressing", reason: "RollingOut" }],
  ])("%s", (_name, conditions, available, want) => {
    expect(deployment({ ...ALL, updated: 1, ready: available, available }, 3, conditions)).toMatchObject(want);
  });

  test("is paused, or late, or refused, and says what is worst", () => {
    const paused = (conditions: object[]): Health =>
      judge("apps/v1 Deployment", {
        spec: { replicas: 3, paused: true },
        status: { ...counts({ ...ALL, updated: 2 }), conditions },
      });
    expect([paused([]), paused([LATE]), paused([LATE, REFUSED])].map(({ reason }) => reason)).toEqual([
      "DeploymentPaused",
      "ProgressDeadlineExceeded",
      "QuotaExceeded",
    ]);
  });
});

const some = fc.nat({ max: 4 });
const anyCounts = fc.record({ existing: some, updated: some, ready: some, available: some });

test.prop([anyCounts, some])(
  "a Deployment is Available when all of its pods are new and serve, and no other is there",
  (given, desired) => {
    const { existing, updated, ready, available } = given;
    const isWhole = Math.min(updated, ready, available) >= desired && existing <= Math.min(updated, desired);
    const found = deployment(given, desired);
    const how = updated < desired || existing > updated ? "Before" : "Now";
    expect(found.state).toBe(isWhole ? "Available" : "Progressing");
    expect(found.serves).toBe(!isWhole && available > 0 && available >= desired ? how : undefined);
    expect(found.replicas).toStrictEqual({ desired, updated, ready, available });
  },
);

test.prop([anyCounts, some, fc.nat({ max: 5 })])(
  "a StatefulSet is Available when it has exactly its pods, all serve, and those above its partition are new",
  (given, desired, partition) => {
    const { existing, updated, ready, available } = given;
    const isWhole = updated >= desired - partition && existing === desired && Math.min(ready, available) >= desired;
    const spec = { replicas: desired, updateStrategy: { rollingUpdate: { partition } } };
    const found = judge("apps/v1 StatefulSet", { spec, status: counts(given) });
    const how = updated < desired - partition ? "Before" : "Now";
    expect(found.state).toBe(isWhole ? "Available" : "Progressing");
    expect(found.serves).toBe(!isWhole && available > 0 && available >= desired ? how : undefined);
  },
);

test.prop([anyCounts, fc.boolean()])(
  "a DaemonSet is Available when it has a pod on every node, all serve, and are new unless people replace them",
  ({ existing: desired, updated, ready, available }, onDelete) => {
    const isNew = onDelete || updated === desired;
    const isWhole = isNew && Math.min(ready, available) >= desired;
    const found = judge("apps/v1 DaemonSet", {
      spec: onDelete ? { updateStrategy: { type: "OnDelete" } } : {},
      status: {
        observedGeneration: 2,
        desiredNumberScheduled: desired,
        updatedNumberScheduled: updated,
        numberReady: ready,
        numberAvailable: available,
      },
    });
    expect(found.state).toBe(isWhole ? "Available" : "Progressing");
    expect(found.replicas).toStrictEqual({ desired, updated, ready, available });
  },
);
