import { describe, expect, test } from "vitest";
import type { FederatedStatus, KubeObject } from "../../apis/index.ts";
import type { Target } from "../../desiredstate/index.ts";
import type { EventRecord, EventRecorder, Logger } from "../../observability/index.ts";
import {
  clusterNames,
  logProblems,
  recordDecision,
  recordFinalizer,
  recordHandover,
  recordPlanningFailure,
  recordStart,
  regardingOf,
  warnLater,
} from "./placementEvents.ts";
import { type Plan, Plans } from "../tables/plans.ts";
import { planOn } from "../testing/copySources.ts";

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

/** The Events without those of the placement itself. */
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
    // The plan of this manager is newer than the status.
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
      // The plan of this manager is newer than the status.
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

describe("the warning of a missing dependency", () => {
  const MISSING = { reason: "DependencyMissing", message: "ConfigMap default/settings is not on the hub" };
  const lacking = (warning: object = MISSING) => target([{ name: "a" }, { name: "b", warning }]);
  const none = target(on("a", "b"));
  const clusters = [{ name: "a" }, { name: "b", reason: "DependencyMissing" }];
  test.each<[string, Target, Target | undefined, object | undefined, boolean]>([
    ["comes with the first plan", lacking(), undefined, undefined, true],
    ["comes after a plan without it", lacking(), none, undefined, true],
    ["comes after another one", lacking(), lacking({ ...MISSING, message: "another" }), undefined, true],
    ["comes once", lacking(), lacking(), undefined, false],
    ["comes once over two managers", lacking(), undefined, { clusters }, false],
    [
      "comes after a status with another reason",
      lacking(),
      undefined,
      { clusters: [{ name: "a", reason: "X" }] },
      true,
    ],
    ["does not come when nothing is missing any more", none, lacking(), undefined, false],
    ["does not come for another problem", lacking({ reason: "Other", message: "x" }), undefined, undefined, false],
  ])("%s", (_, now, before, status, want) => {
    const warned: string[] = [];
    const past = { before, status: status as FederatedStatus | undefined };
    const warn = ({ type, reason, action, note }: EventRecord) =>
      void warned.push(`${type} ${reason} ${action}: ${note}`);
    recordDecision({ record: () => undefined }, SHOP, now, past, { warn });
    expect(warned).toEqual(want ? [`Warning DependencyMissing Resolve: ${MISSING.message}`] : []);
  });

  const nowhere = { ...target([]), scheduled: { status: "False", reason: "NoClusterFits", message: "" } } as Target;
  test.each<[string, string, Plan | undefined, boolean]>([
    ["still missing", "DependencyMissing", planOn([], { target: lacking() }), true],
    ["found", "DependencyMissing", planOn([], { target: none }), false],
    ["still nowhere", "NoClusterFits", planOn([], { target: nowhere }), true],
    ["placed", "NoClusterFits", planOn([], { target: none }), false],
    ["being deleted", "NoClusterFits", planOn([], { target: undefined }), false],
    ["gone", "NoClusterFits", undefined, false],
  ])("is recorded only if it is still true a moment later: %s", (_, reason, plan, want) => {
    const plans = new Plans();
    if (plan !== undefined) plans.set("shop", plan);
    const asked: [string, boolean][] = [];
    const record = { reason, note: "", action: "", type: "Warning", regarding } as EventRecord;
    const warn = (key: string, _record: EventRecord, isStillTrue: () => boolean): void =>
      void asked.push([key, isStillTrue()]);
    warnLater({ plans, warnings: { warn } }, "shop", record);
    expect(asked).toEqual([[`shop ${reason}`, want]]);
  });
});

describe("the Event of a placement", () => {
  const notes = (now: Target, before?: Target, status?: object): string[] => {
    const { recorded, events } = recorder();
    recordDecision(events, SHOP, now, { before, status: status as FederatedStatus | undefined });
    return recorded.map(({ type, reason, action, note }) => `${type} ${reason} ${action}: ${note}`);
  };
  const both = target(on("b", "a"));
  const PLACED = "Normal Scheduled Schedule: placed on 2 clusters: a, b";
  const nowhere = (reason: string): Target =>
    ({ ...target([]), scheduled: { status: "False", reason, message: "why" } }) as unknown as Target;
  const NOWHERE = "Warning NoClusterFits Schedule: why";
  const saying = (reason: string) => ({
    conditions: [
      { type: "Applied", status: "False", reason: "NoClusterFits" },
      { type: "Scheduled", status: "False", reason },
    ],
  });
  test.each<[string, Target, Target | undefined, object | undefined, string | undefined]>([
    ["names the first clusters in order", both, undefined, undefined, PLACED],
    ["names other clusters", both, target(on("a")), undefined, PLACED],
    ["is none for the same clusters", both, target(on("a", "b")), undefined, undefined],
    ["is none for the clusters of the status", both, undefined, { clusters: on("a", "b") }, undefined],
    ["names other clusters than the status", both, undefined, { clusters: on("a") }, PLACED],
    ["prefers the plan to the status", both, target(on("b")), { clusters: on("a", "b") }, PLACED],
    ["is none for an object that was nowhere", target([]), undefined, {}, undefined],
    ["says why the object is nowhere", nowhere("NoClusterFits"), target(on("a")), undefined, NOWHERE],
    ["is none for the same reason", nowhere("NoClusterFits"), nowhere("NoClusterFits"), undefined, undefined],
    ["says another reason", nowhere("NoClusterFits"), nowhere("NoPlacement"), undefined, NOWHERE],
    ["is none for the reason of the status", nowhere("NoClusterFits"), undefined, saying("NoClusterFits"), undefined],
    ["says another reason than the status", nowhere("NoClusterFits"), undefined, saying("NoPlacement"), NOWHERE],
    [
      "prefers the reason of the plan",
      nowhere("NoClusterFits"),
      nowhere("NoPlacement"),
      saying("NoClusterFits"),
      NOWHERE,
    ],
  ])("%s", (_, now, before, status, want) =>
    expect(notes(now, before, status)).toEqual(want === undefined ? [] : [want]),
  );

  test("names the clusters that replicas leave since pods find no node", () => {
    const left = new Map(Object.entries({ a: 2, b: 1 }));
    const now = { ...target(on("a", "c")), decision: { room: { left } } } as unknown as Target;
    expect(notes(now, target(on("a", "c")))).toEqual([
      "Normal Rescheduled Reschedule: 2 replicas leave a, where pods find no node; placed on a, c",
      "Normal Rescheduled Reschedule: 1 replica leaves b, where pods find no node; placed on a, c",
    ]);
  });

  test("is short enough with many clusters", () => {
    const [note] = notes(target(on(...Array.from({ length: 60 }, (_, i) => `cluster-${i}`))));
    expect(note).toMatch(/placed on 60 clusters: cluster-0, .*…$/);
    expect(clusterNames(on("b", "a"))).toBe("a, b");
  });
});

test("a failed plan and a handover have an Event", () => {
  const { recorded, events: record } = recorder();
  const events = record as unknown as EventRecorder;
  recordPlanningFailure(events, SHOP, { reason: "PlanningFailed", message: "broken" });
  recordHandover(events, SHOP, "TakenOver", "from class v1");
  expect(recorded).toEqual([
    { regarding, type: "Warning", reason: "PlanningFailed", action: "Plan", note: "broken" },
    { regarding, type: "Normal", reason: "TakenOver", action: "TakeOver", note: "from class v1" },
  ]);
});

describe("the log line of a cluster's problem", () => {
  const logged = (now: object[], before?: object[]) => {
    const lines: [object, string][] = [];
    const logger = { warn: (fields: object, text: string) => void lines.push([fields, text]) } as unknown as Logger;
    logProblems(logger, "default/shop", target(now), before && target(before));
    return lines;
  };
  const a = (reason: string, more: object = {}) => ({ name: "a", problem: { reason, message: "the words", ...more } });
  const big = { policy: { kind: "OverridePolicy", name: "big" } };
  test.each([
    { ...a("FieldOwnersUnknown"), says: "the object cannot be sent" },
    { ...a("TooLarge"), says: "the object cannot be sent" },
    { ...a("TooLarge", big), says: "an override cannot be applied" },
    { ...a("InvalidOverride"), says: "an override cannot be applied" },
    { ...a("InvalidPatch"), says: "an override cannot be applied" },
    { ...a("ProtectedField"), says: "an override cannot be applied" },
  ])("says $says for $problem.reason", ({ says, ...now }) => {
    const fields = { object: "default/shop", cluster: "a", event_reason: now.problem.reason };
    expect(logged([now, { name: "b" }])).toEqual([[fields, `${says}: the words`]]);
  });

  test("has the full message, once for each cluster and message", () => {
    const texts = (...given: Parameters<typeof logged>) => logged(...given).map(([, text]) => text);
    // Longer than the message of a condition.
    const why = "all of it, ".repeat(20).concat("to the end");
    const full = a("InvalidPatch", { message: { subject: "OverridePolicy big, rule 0: ", what: "no patch", why } });
    expect(texts([full])).toEqual([`an override cannot be applied: OverridePolicy big, rule 0: no patch: ${why}`]);
    expect([texts([full], [full]), texts([{ name: "a" }], [full])]).toEqual([[], []]);
    expect(texts([full, { ...full, name: "b" }], [full])).toHaveLength(1);
    expect(texts([full], [{ name: "a" }])).toHaveLength(1);
    expect(texts([a("TooLarge")], [a("TooLarge", { message: "others" })])).toHaveLength(1);
  });
});
