import { describe, expect, test } from "vitest";
import type { FederatedStatus, KubeObject } from "../../apis/index.ts";
import type { Target } from "../../desiredstate/index.ts";
import type { EventRecord, Logger } from "../../observability/index.ts";
import { logProblems, recordDecision, recordFinalizer, recordStart, regardingOf } from "./placementEvents.ts";

const SHOP: KubeObject = {
  apiVersion: "paas.cmft.com/v1",
  kind: "DemoApplication",
  metadata: { name: "shop", namespace: "default", uid: "u", generation: 3 },
};
const { metadata, ...typed } = SHOP;
const regarding = { ...typed, namespace: "default", name: "shop", uid: "u" };

function recorder() {
  const recorded: EventRecord[] = [];
  return { recorded, events: { record: (event: EventRecord) => void recorded.push(event) } };
}

interface Failover {
  departures?: { cluster: string; reason: string }[];
  condition?: object;
}

function target(clusters: readonly object[], failover?: Failover): Target {
  const settled = { type: "FailingOver", status: "False", reason: "Settled", message: "" };
  return {
    decision: {},
    scheduled: { status: "True", reason: "ClustersSelected", message: "" },
    clusters,
    ...(failover === undefined ? {} : { failover: { departures: [], condition: settled, ...failover } }),
  } as unknown as Target;
}

const on = (...names: string[]) => names.map((name) => ({ name }));
const LOST = { cluster: "a", reason: "ClusterLost" };

/** Everything but where the object is placed. */
function decided(now: Target, before?: Target, status?: object) {
  const { recorded, events } = recorder();
  const counted: string[] = [];
  const past = { before, status: status as FederatedStatus | undefined };
  recordDecision(events, SHOP, now, past, { failedOver: (reason) => void counted.push(reason) });
  return { recorded: recorded.filter(({ reason }) => reason !== "Scheduled"), counted };
}

describe("failover", () => {
  test("that an object leaves a cluster names the cluster, why, and where it is now", () => {
    const now = target(on("c", "b"), { departures: [LOST] });
    const event = {
      ...{ regarding, type: "Warning", reason: "FailedOver", action: "FailOver" },
      note: "left a (ClusterLost); it is placed on c, b",
    };
    expect(decided(now)).toEqual({ recorded: [event], counted: ["ClusterLost"] });
    expect(decided(now, target(on("a")))).toEqual({ recorded: [event], counted: ["ClusterLost"] });
    const other = { cluster: "x", reason: "ClusterLost" };
    expect(decided(now, target(on("b"), { departures: [other] })).recorded).toEqual([event]);
  });

  test("is told once, by the manager before too", () => {
    const now = target(on("b"), { departures: [LOST] });
    expect(decided(now, undefined, { departures: [LOST] })).toEqual({ recorded: [], counted: [] });
    // What this manager has planned is newer than the status.
    expect(decided(now, target(on("b"), {}), { departures: [LOST] }).counted).toEqual(["ClusterLost"]);
  });

  test("that an object returns is told, after a restart too", () => {
    const back = target(on("b", "a"), {});
    const event = { regarding, type: "Normal", reason: "ReturnedToCluster", action: "FailOver", note: "returned to a" };
    expect(decided(back, undefined, { departures: [LOST] })).toEqual({ recorded: [event], counted: ["Returned"] });
    expect(decided(target(on("b"), {}), undefined, { departures: [LOST] })).toEqual({ recorded: [], counted: [] });
    expect(decided(back, target(on("b"), { departures: [LOST, { ...LOST, cluster: "x" }] })).recorded).toEqual([event]);
  });

  test("of an object whose policy has none tells nothing", () => {
    expect(decided(target(on("a")), target(on("b"), { departures: [LOST] }))).toEqual({ recorded: [], counted: [] });
  });

  test("is recorded where nobody counts it", () => {
    const { recorded, events } = recorder();
    const past = { before: target(on("b"), { departures: [LOST, { ...LOST, cluster: "c" }] }), status: undefined };
    recordDecision(events, SHOP, target(on("a"), { departures: [{ ...LOST, cluster: "b" }] }), past);
    expect(recorded.map(({ note }) => note)).toEqual([
      "left b (ClusterLost); it is placed on a",
      "returned to a",
      "placed on 1 cluster: a",
    ]);
  });

  const hindered = (reason: string) => target(on("a"), { condition: { reason, message: `it is ${reason}` } });

  test.each(["FailoverHeld", "NowhereToGo", "UnhealthyEverywhere"])(
    "that does not take place is a warning: %s",
    (reason) => {
      const event = { regarding, type: "Warning", reason, action: "FailOver", note: `it is ${reason}` };
      const conditions = [
        { type: "Other", reason: "X" },
        { type: "FailingOver", reason },
      ];
      expect(decided(hindered(reason)).recorded).toEqual([event]);
      expect(decided(hindered(reason), hindered("Settled")).recorded).toEqual([event]);
      expect(decided(hindered(reason), target(on("a"))).recorded).toEqual([event]);
      expect(decided(hindered(reason), undefined, { conditions: [{ type: "Other", reason }] }).recorded).toEqual([
        event,
      ]);
      expect(decided(hindered(reason), hindered(reason)).recorded).toEqual([]);
      expect(decided(hindered(reason), undefined, { conditions }).recorded).toEqual([]);
      expect(decided(hindered(reason), undefined, {}).recorded).toEqual([event]);
      // What this manager has planned is newer than the status.
      expect(decided(hindered(reason), hindered("Settled"), { conditions }).recorded).toEqual([event]);
    },
  );

  test.each(["Settled", "FailingOver"])("that goes its way is none: %s", (reason) => {
    expect(decided(hindered(reason), hindered("FailoverHeld")).recorded).toEqual([]);
  });
});

describe("what an object refers to and nobody finds", () => {
  const lacking = (reason: string) => ({ name: "a", warning: { reason, message: "what is missing" } });
  const action = { regarding, type: "Warning", action: "Resolve", note: "what is missing" };

  test.each(["DependencyMissing", "DependencyUnresolved"])("is a warning: %s", (reason) => {
    const { recorded } = decided(target([{ name: "b" }, lacking("Other"), lacking(reason)]));
    expect(recorded).toEqual([{ ...action, reason }]);
  });

  test("of a status without clusters was not told before", () => {
    expect(decided(target([lacking("DependencyMissing")]), undefined, {}).recorded).toHaveLength(1);
  });

  test("is no warning of an object that goes nowhere", () => {
    const scheduled = { status: "False", reason: "NoClusterFits", message: "none fits" };
    const now = { ...target([lacking("DependencyMissing")]), scheduled } as Target;
    expect(decided(now).recorded).toEqual([
      { regarding, type: "Warning", reason: "NoClusterFits", action: "Schedule", note: "none fits" },
    ]);
    expect(decided(now, undefined, {}).recorded).toHaveLength(1);
    const { recorded, events } = recorder();
    recordDecision(events, SHOP, now, { before: undefined, status: {} }, {});
    expect(recorded).toHaveLength(1);
  });
});

test("that an object is placed nowhere and was nowhere is no news", () => {
  const { recorded, events } = recorder();
  recordDecision(events, SHOP, target([]), { before: undefined, status: undefined });
  recordDecision(events, SHOP, target([]), { before: undefined, status: {} });
  expect(recorded).toEqual([]);
});

test("the beginning of a plan is told of each generation, for those who want to know everything", () => {
  const { recorded, events } = recorder();
  recordStart(events, SHOP);
  const note = "generation 3 is being planned";
  expect(recorded).toEqual([
    { regarding, type: "Normal", reason: "ReconcileStarted", action: "Plan", note, debug: true },
  ]);
});

test("that an object is claimed is told", () => {
  const { recorded, events } = recorder();
  recordFinalizer(events, SHOP, "claimed");
  expect(recorded).toEqual([{ regarding, type: "Normal", reason: "FinalizerAdded", action: "Claim", note: "claimed" }]);
});

test("an object without a life yet is told of by its name", () => {
  const { uid, ...rest } = metadata;
  const { uid: _, ...named } = regarding;
  expect(regardingOf({ ...SHOP, metadata: rest })).toStrictEqual(named);
  expect(regardingOf(SHOP)).toStrictEqual({ ...named, uid });
});

describe("what keeps an object from a cluster", () => {
  const logged = (now: object[], before?: object[]) => {
    const lines: [object, string][] = [];
    const logger = { warn: (fields: object, text: string) => void lines.push([fields, text]) } as unknown as Logger;
    logProblems(logger, "default/shop", target(now), before && target(before));
    return lines;
  };
  const problem = (reason: string, message = "the words") => ({ reason, message });

  test.each(["InvalidOverride", "InvalidPatch", "ProtectedField"])("is an override: %s", (reason) => {
    const fields = { object: "default/shop", cluster: "a", event_reason: reason };
    expect(logged([{ name: "a", problem: problem(reason) }])).toEqual([
      [fields, "an override cannot be applied: the words"],
    ]);
  });

  test("is logged once for each cluster, and again in other words", () => {
    const a = { name: "a", problem: problem("TooLarge") };
    const texts = (...given: Parameters<typeof logged>) => logged(...given).map(([, text]) => text);
    expect(texts([a, { ...a, name: "b" }], [a])).toEqual(["the object cannot be sent: the words"]);
    expect(texts([a], [{ name: "a" }])).toEqual(["the object cannot be sent: the words"]);
    expect(texts([a], [{ name: "a", problem: problem("TooLarge", "others") }])).toHaveLength(1);
    expect(texts([a], [a])).toEqual([]);
    expect(texts([{ name: "a" }], [a])).toEqual([]);
  });
});
