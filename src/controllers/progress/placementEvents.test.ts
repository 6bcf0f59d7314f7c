import { describe, expect, test } from "vitest";
import type { FederatedStatus, KubeObject } from "../../apis/index.ts";
import type { Target } from "../../desiredstate/index.ts";
import type { EventRecord, Logger } from "../../observability/index.ts";
import { logProblems, recordDecision, warnLater } from "./placementEvents.ts";
import { type Plan, ObjectStates } from "../states/index.ts";
import { planOn } from "../testing/copySources.ts";

const SHOP: KubeObject = {
  apiVersion: "paas.cmft.com/v1",
  kind: "DemoApplication",
  metadata: { name: "shop", namespace: "default", uid: "u", generation: 3 },
};
const { metadata: _, ...typed } = SHOP;
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
  const lacking = (reason: string) => ({ name: "a", warning: { reason, message: "what is missing" } });
  const action = { regarding, type: "Warning", action: "Resolve", note: "what is missing" };

  test.each(["DependencyMissing", "DependencyUnresolved"])("is a warning: %s", (reason) => {
    const { recorded } = decided(target([{ name: "b" }, lacking("Other"), lacking(reason)]));
    expect(recorded).toEqual([{ ...action, reason }]);
  });
});

describe("the warning of a missing dependency", () => {
  const MISSING = { reason: "DependencyMissing", message: "ConfigMap default/settings is not on the hub" };
  const lacking = (warning: object = MISSING) => target([{ name: "a" }, { name: "b", warning }]);
  const none = target(on("a", "b"));
  const clusters = [{ name: "a" }, { name: "b", reason: "DependencyMissing" }];
  test.each<[string, Target, Target | undefined, object | undefined, boolean]>([
    ["comes with the first plan", lacking(), undefined, undefined, true],
    ["comes after a plan without it", lacking(), none, undefined, true],
    ["comes once", lacking(), lacking(), undefined, false],
    ["comes once over two managers", lacking(), undefined, { clusters }, false],
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
    const states = new ObjectStates();
    if (plan !== undefined) states.setPlan("shop", plan);
    const asked: [string, boolean][] = [];
    const record = { reason, note: "", action: "", type: "Warning", regarding } as EventRecord;
    const warn = (key: string, _record: EventRecord, isStillTrue: () => boolean): void =>
      void asked.push([key, isStillTrue()]);
    warnLater({ states, warnings: { warn } }, "shop", record);
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
  test.each<[string, Target, Target | undefined, object | undefined, string | undefined]>([
    ["names the first clusters in order", both, undefined, undefined, PLACED],
    ["names other clusters", both, target(on("a")), undefined, PLACED],
    ["is none for the same clusters", both, target(on("a", "b")), undefined, undefined],
    ["names other clusters than the status", both, undefined, { clusters: on("a") }, PLACED],
    ["says why the object is nowhere", nowhere("NoClusterFits"), target(on("a")), undefined, NOWHERE],
    ["is none for the same reason", nowhere("NoClusterFits"), nowhere("NoClusterFits"), undefined, undefined],
    ["says another reason", nowhere("NoClusterFits"), nowhere("NoPlacement"), undefined, NOWHERE],
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
});
