import { describe, expect, test } from "vitest";
import type { Health } from "../types.ts";
import { condition, judge } from "./testing.ts";

const PENDING: Health = {
  state: "Progressing",
  reason: "RolloutPending",
  message: "its controller has not seen the present generation yet",
};
const AVAILABLE: Health = { state: "Available" };
/** Three replicas, whatever the kind calls them. */
const SETTLED = {
  replicas: 3,
  updatedReplicas: 3,
  readyReplicas: 3,
  availableReplicas: 3,
  desiredNumberScheduled: 3,
  updatedNumberScheduled: 3,
  numberReady: 3,
  numberAvailable: 3,
};
const replicas = { desired: 3, updated: 3, ready: 3, available: 3 };

/** What an object of generation 2 is when its controller has observed that generation. */
const observed = (kind: string, status: object, observedGeneration: number | undefined): Health =>
  judge(kind, {
    spec: { replicas: 3 },
    status: { ...status, ...(observedGeneration === undefined ? {} : { observedGeneration }) },
  });

describe.each([
  "apps/v1 Deployment",
  "apps/v1 StatefulSet",
  "apps/v1 DaemonSet",
  "apps/v1 ReplicaSet",
  "v1 ReplicationController",
])("a settled %s", (kind) => {
  test.each<[string, number | undefined, Health]>([
    ["the generation before", 1, { ...PENDING, replicas, serves: "Before" }],
    ["the present generation", 2, { ...AVAILABLE, replicas }],
    ["a later generation", 3, { ...AVAILABLE, replicas }],
    ["no generation", undefined, { ...PENDING, replicas, serves: "Before" }],
  ])("of which %s was observed", (_name, generation, want) => {
    expect(observed(kind, SETTLED, generation)).toStrictEqual(want);
  });

  test("serves nobody by an older report that has no pod in it", () => {
    const want = {
      ...PENDING,
      replicas: { desired: kind.endsWith("DaemonSet") ? 0 : 3, updated: 0, ready: 0, available: 0 },
    };
    expect(observed(kind, {}, 1)).toStrictEqual(want);
  });

  test("without a generation needs no more than a report", () => {
    const metadata = { generation: undefined };
    const status = { ...SETTLED, observedGeneration: 0 };
    expect(judge(kind, { metadata, spec: { replicas: 3 }, status })).toStrictEqual({ ...AVAILABLE, replicas });
    expect(judge(kind, { metadata, spec: { replicas: 3 }, status: SETTLED })).toMatchObject(PENDING);
  });
});

const READY = { conditions: [condition("Ready", "True")] };
const ABLE = { conditions: [condition("AbleToScale", "True")] };

test.each<[string, object, number | undefined, Health]>([
  ["policy/v1 PodDisruptionBudget", {}, 1, PENDING],
  ["policy/v1 PodDisruptionBudget", {}, 2, AVAILABLE],
  ["policy/v1 PodDisruptionBudget", {}, 3, AVAILABLE],
  ["policy/v1 PodDisruptionBudget", {}, undefined, PENDING],
  ["autoscaling/v2 HorizontalPodAutoscaler", ABLE, 1, PENDING],
  ["autoscaling/v2 HorizontalPodAutoscaler", ABLE, 2, AVAILABLE],
  ["autoscaling/v2 HorizontalPodAutoscaler", ABLE, 3, AVAILABLE],
  ["autoscaling/v2 HorizontalPodAutoscaler", ABLE, undefined, AVAILABLE],
  ["example.com/v1 Widget", READY, 1, { ...PENDING, serves: "Before" }],
  ["example.com/v1 Widget", READY, 2, AVAILABLE],
  ["example.com/v1 Widget", READY, 3, AVAILABLE],
  ["example.com/v1 Widget", READY, undefined, AVAILABLE],
  ["example.com/v1 Widget", { x: 1 }, 1, PENDING],
])("%s with %j at observed generation %s", (kind, status, generation, want) => {
  expect(observed(kind, status, generation)).toStrictEqual(want);
});

describe("the conditions of an object whose kind nobody knows", () => {
  const judged = (...given: [type: string, status: string, observedGeneration?: number | undefined][]): Health =>
    judge("example.com/v1 Widget", {
      status: {
        conditions: given.map(([type, status, observedGeneration]) =>
          condition(type, status, "", "", observedGeneration === undefined ? {} : { observedGeneration }),
        ),
      },
    });

  test.each<[string, number | undefined, Health]>([
    ["the generation before", 1, { ...PENDING, serves: "Before" }],
    ["the present generation", 2, AVAILABLE],
    ["a later generation", 3, AVAILABLE],
    ["no generation", undefined, AVAILABLE],
  ])("are of %s", (_name, generation, want) => expect(judged(["Ready", "True", generation])).toStrictEqual(want));

  test("are no answer as soon as one that sums up is of an older generation", () => {
    expect(judged(["Synced", "True", 2], ["Ready", "True", 1])).toStrictEqual({ ...PENDING, serves: "Before" });
    expect(judged(["Synced", "True", 1], ["Ready", "True", 2])).toStrictEqual({ ...PENDING, serves: "Before" });
    expect(judged(["Synced", "False", 2], ["Ready", "True", 1])).toStrictEqual(PENDING);
  });

  test("of an older generation tell of no trouble and of no work that is under way", () => {
    for (const type of ["Failed", "Stalled", "Degraded", "Reconciling", "Progressing"]) {
      expect(judged(["Ready", "True", 2], [type, "True", 1]), type).toStrictEqual(AVAILABLE);
      expect(judged(["Ready", "True", 2], [type, "True", 2]), type).toMatchObject({ reason: type, serves: "Now" });
    }
  });

  test("are of the present generation where the object has none", () => {
    const judgeAt = (observedGeneration: number): Health =>
      judge("example.com/v1 Widget", {
        metadata: { generation: undefined },
        status: { observedGeneration, conditions: [condition("Ready", "True", "", "", { observedGeneration })] },
      });
    expect([judgeAt(0), judgeAt(5)]).toStrictEqual([AVAILABLE, AVAILABLE]);
  });
});
