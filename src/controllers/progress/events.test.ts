import { describe, expect, test } from "vitest";
import type { ClusterStatusEntry, FederatedStatus, KubeObject } from "../../apis/index.ts";
import type { Target } from "../../desiredstate/index.ts";
import type { EventRecorder, Logger } from "../../observability/index.ts";
import { clusterNames, logProblems, recordDecision, recordHandover, recordPlanningFailure } from "./placementEvents.ts";
import { recordTrouble } from "../status/statusEvents.ts";

type Recorded = Parameters<EventRecorder["record"]>[0];

function recorder() {
  const recorded: Recorded[] = [];
  return { recorded, events: { record: (event: Recorded) => void recorded.push(event) } as unknown as EventRecorder };
}

const none = { desired: 0, updated: 0, ready: 0, available: 0 };
const entry = (name: string, more: Partial<ClusterStatusEntry> = {}): ClusterStatusEntry => ({
  name,
  state: "Available",
  replicas: none,
  ...more,
});
const app = (): KubeObject => ({
  apiVersion: "paas.cmft.com/v1",
  kind: "DemoApplication",
  metadata: { name: "shop", namespace: "default", uid: "u" },
});
const regarding = {
  apiVersion: "paas.cmft.com/v1",
  kind: "DemoApplication",
  namespace: "default",
  name: "shop",
  uid: "u",
};

describe("an event about trouble in a cluster", () => {
  const failed = entry("a", { state: "Failed", reason: "QuotaExceeded", message: "exceeded quota" });
  const trouble = (now: ClusterStatusEntry[], before?: ClusterStatusEntry[], target?: Target): Recorded[] => {
    const { recorded, events } = recorder();
    const previous = before === undefined ? undefined : { clusters: before };
    recordTrouble(events, app(), { previous, status: { clusters: now } }, target);
    return recorded;
  };

  test("names the cluster and what is wrong there", () => {
    expect(trouble([entry("b"), failed])).toEqual([
      { regarding, type: "Warning", reason: "QuotaExceeded", action: "Apply", note: "a: exceeded quota" },
    ]);
    const { message: _message, ...silent } = failed;
    expect(trouble([silent])[0]?.note).toBe("a: QuotaExceeded");
  });

  test("says in full what the entry had to cut", () => {
    const { recorded, events } = recorder();
    const detail = "exceeded quota: all of it";
    recordTrouble(events, app(), { previous: undefined, status: { clusters: [failed] } }, undefined, (cluster) =>
      cluster === "a" ? detail : undefined,
    );
    expect(recorded[0]?.note).toBe("a: exceeded quota: all of it");
  });

  test("is recorded once, and again for another cluster or another reason", () => {
    expect(trouble([failed], [failed])).toEqual([]);
    expect(trouble([failed], [{ ...failed, message: "other words" }])).toEqual([]);
    expect(trouble([failed], [{ ...failed, reason: "Forbidden" }])).toHaveLength(1);
    expect(trouble([failed], [{ ...failed, state: "Progressing" }])).toHaveLength(1);
    expect(trouble([failed], [{ ...failed, name: "b" }])).toHaveLength(1);
  });

  test("is recorded of nothing else", () => {
    const { reason: _reason, ...nameless } = failed;
    expect(trouble([{ ...failed, state: "Degraded" }, nameless])).toEqual([]);
    const { recorded, events } = recorder();
    recordTrouble(events, app(), { previous: undefined, status: {} }, undefined);
    expect(recorded).toEqual([]);
  });

  test("tells an object that has no life yet by its name", () => {
    const { recorded, events } = recorder();
    const { uid: _uid, ...metadata } = app().metadata;
    recordTrouble(events, { ...app(), metadata }, { previous: undefined, status: { clusters: [failed] } }, undefined);
    expect(recorded[0]?.regarding).not.toHaveProperty("uid");
  });

  describe("of what may not be read on the hub", () => {
    const frozenFor = { reason: "SecretAccessDenied", message: "add shop to the list" };
    const target = { clusters: [{ name: "b" }, { name: "a", frozenFor }] } as unknown as Target;
    const held = entry("a", { state: "Held", reason: "SecretAccessDenied" });

    test("is one for all clusters, when the status begins to say so", () => {
      expect(trouble([held, { ...held, name: "b" }], [entry("a")], target)).toEqual([
        { regarding, type: "Warning", reason: "SecretAccessDenied", action: "Schedule", note: "add shop to the list" },
      ]);
      expect(trouble([held], undefined, target)).toHaveLength(1);
    });

    test("is none when the status said so before, does not say so, or says something else", () => {
      expect(trouble([held], [held], target)).toEqual([]);
      expect(trouble([entry("a")], [entry("a")], target)).toEqual([]);
      expect(trouble([{ ...held, reason: "Suspended" }], [entry("a")], target)).toEqual([]);
      expect(trouble([{ ...held, state: "Unknown" }], [entry("a")], target)).toEqual([]);
      expect(trouble([held], [{ ...held, reason: "Suspended" }], target)).toHaveLength(1);
      expect(trouble([held], [entry("a")], { clusters: [{ name: "a" }] } as unknown as Target)).toEqual([]);
    });
  });
});

describe("an event about where an object goes", () => {
  const target = (...names: string[]): Target =>
    ({
      decision: {},
      scheduled: { status: "True", reason: "ClustersSelected", message: "" },
      clusters: names.map((name) => ({ name })),
    }) as unknown as Target;
  const nowhere = (reason: string): Target =>
    ({ decision: {}, scheduled: { status: "False", reason, message: "why" }, clusters: [] }) as unknown as Target;
  const reported = (reason: string): FederatedStatus => ({
    conditions: [
      { type: "Applied", status: "False", reason: "NoClusterFits", message: "", lastTransitionTime: "" },
      { type: "Scheduled", status: "False", reason, message: "", lastTransitionTime: "" },
    ],
  });
  const decided = (now: Target, before?: Target, status?: FederatedStatus): Recorded[] => {
    const { recorded, events } = recorder();
    recordDecision(events, app(), now, { before, status });
    return recorded;
  };

  test("tells of replicas that leave a cluster for want of a node", () => {
    const left = new Map([
      ["a", 2],
      ["b", 1],
    ]);
    const now = { ...target("a", "c"), decision: { room: { left } } } as unknown as Target;
    expect(decided(now, target("a", "c"))).toEqual([
      {
        ...{ regarding, type: "Normal", reason: "Rescheduled", action: "Reschedule" },
        note: "2 replicas leave a, where pods find no node; placed on a, c",
      },
      {
        ...{ regarding, type: "Normal", reason: "Rescheduled", action: "Reschedule" },
        note: "1 replica leaves b, where pods find no node; placed on a, c",
      },
    ]);
  });

  test("tells, and counts, what leaves a cluster by failover and what comes back, each once", () => {
    const condition = { type: "FailingOver", status: "False", reason: "Settled", message: "" };
    const moved = (names: string[], ...lost: string[]): Target =>
      ({
        ...target(...names),
        failover: { condition, departures: lost.map((cluster) => ({ cluster, reason: "ClusterLost", at: "" })) },
      }) as unknown as Target;
    const counts = (now: Target, before: Target): [string[], string[]] => {
      const { recorded, events } = recorder();
      const counted: string[] = [];
      recordDecision(events, app(), now, { before, status: undefined }, { failedOver: (why) => counted.push(why) });
      return [recorded.map(({ reason }) => reason).filter((reason) => reason !== "Scheduled"), counted];
    };
    expect(counts(moved(["b"], "a"), moved(["a"]))).toEqual([["FailedOver"], ["ClusterLost"]]);
    expect(counts(moved(["b"], "a"), moved(["b"], "a"))).toEqual([[], []]);
    expect(counts(moved(["a"]), moved(["b"], "a"))).toEqual([["ReturnedToCluster"], ["Returned"]]);
  });

  test("names the clusters in order, when they are others than before", () => {
    const event = {
      regarding,
      type: "Normal",
      reason: "Scheduled",
      action: "Schedule",
      note: "placed on 2 clusters: a, b",
    };
    expect(decided(target("b", "a"))).toEqual([event]);
    expect(decided(target("b", "a"), target("a"))).toEqual([event]);
    expect(decided(target("b", "a"), target("a", "b"))).toEqual([]);
  });

  test("is none after a restart when the status names the same clusters", () => {
    expect(decided(target("b", "a"), undefined, { clusters: [entry("a"), entry("b")] })).toEqual([]);
    expect(decided(target("b", "a"), undefined, { clusters: [entry("a")] })).toHaveLength(1);
    expect(decided(target("a"), target("b"), { clusters: [entry("a")] })).toHaveLength(1);
  });

  test("says why nowhere, once for each reason", () => {
    expect(decided(nowhere("NoClusterFits"), target("a"))).toEqual([
      { regarding, type: "Warning", reason: "NoClusterFits", action: "Schedule", note: "why" },
    ]);
    expect(decided(nowhere("NoClusterFits"), nowhere("NoClusterFits"))).toEqual([]);
    expect(decided(nowhere("NoClusterFits"), nowhere("NoPlacement"))).toHaveLength(1);
    expect(decided(nowhere("NoClusterFits"), undefined, reported("NoClusterFits"))).toEqual([]);
    expect(decided(nowhere("NoClusterFits"), undefined, reported("NoPlacement"))).toHaveLength(1);
    expect(decided(nowhere("NoClusterFits"), nowhere("NoPlacement"), reported("NoClusterFits"))).toHaveLength(1);
  });

  test("says that planning failed, and how an object changes hands", () => {
    const { recorded, events } = recorder();
    recordPlanningFailure(events, app(), { reason: "PlanningFailed", message: "broken" });
    recordHandover(events, app(), "TakenOver", "from class v1");
    expect(recorded).toEqual([
      { regarding, type: "Warning", reason: "PlanningFailed", action: "Plan", note: "broken" },
      { regarding, type: "Normal", reason: "TakenOver", action: "TakeOver", note: "from class v1" },
    ]);
  });

  test("keeps within the bounds of a message", () => {
    const many = Array.from({ length: 60 }, (_, i) => `cluster-${i}`);
    expect(decided(target(...many))[0]?.note).toMatch(/^placed on 60 clusters: cluster-0, .*…$/);
    expect(clusterNames([{ name: "b" }, { name: "a" }])).toBe("a, b");
  });
});

test.each([
  {
    name: "its object",
    problem: { reason: "FieldOwnersUnknown", message: "no owners" },
    says: "the object cannot be sent",
  },
  { name: "its object's size", problem: { reason: "TooLarge", message: "2 MiB" }, says: "the object cannot be sent" },
  {
    name: "the size that an override gives",
    problem: { reason: "TooLarge", message: "2 MiB", policy: { kind: "OverridePolicy", name: "big" } },
    says: "an override cannot be applied",
  },
  {
    name: "a protected field",
    problem: { reason: "ProtectedField", message: "the name" },
    says: "an override cannot be applied",
  },
])("what keeps an object from a cluster is logged as what it is: $name", ({ problem, says }) => {
  const logged: string[] = [];
  const logger = { warn: (_: object, text: string) => void logged.push(text) } as unknown as Logger;
  logProblems(logger, "default/shop", { clusters: [{ name: "a", problem }] } as unknown as Target, undefined);
  expect(logged).toEqual([`${says}: ${problem.message}`]);
});

test("an override that cannot be applied is logged in full, once for each cluster", () => {
  const logged: [object, string][] = [];
  const logger = { warn: (context: object, text: string) => void logged.push([context, text]) } as unknown as Logger;
  const problem = { reason: "InvalidPatch", message: "cut…", detail: "all of it" };
  const target = (...clusters: object[]): Target => ({ clusters }) as unknown as Target;
  const broken = target({ name: "a", problem }, { name: "b" });
  logProblems(logger, "default/shop", broken, undefined);
  logProblems(logger, "default/shop", broken, broken);
  const want = [
    { object: "default/shop", cluster: "a", event_reason: "InvalidPatch" },
    "an override cannot be applied: all of it",
  ];
  expect(logged).toEqual([want]);
});
