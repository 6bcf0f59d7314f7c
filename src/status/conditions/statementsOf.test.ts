import { describe, expect, test } from "vitest";
import { type ClusterStatusEntry, type Condition, conditionMessage, type RolloutStatus } from "../../apis/index.ts";
import type { ClusterReport } from "../entries/report.ts";
import { statementsOf } from "./statements.ts";
import { at, inputOf, T0, target } from "../testing/builders.ts";
import type { StatusInput } from "../types.ts";

const counts = { desired: 2, updated: 2, ready: 2, available: 2 };

function report(
  name: string,
  entry: Partial<ClusterStatusEntry> = {},
  more: Partial<ClusterReport> = {},
): ClusterReport {
  return {
    entry: { name, state: "Available", replicas: counts, desiredHash: "h", observedHash: "h", ...entry },
    planned: true,
    applied: true,
    available: "Yes",
    fresh: true,
    ...more,
  };
}

const input = (more: Partial<StatusInput> = {}): StatusInput => ({
  ...inputOf([]),
  target: target(["a", "b"]),
  ...more,
});
const said = (reports: ClusterReport[], more?: Partial<StatusInput>) =>
  statementsOf(input(more), reports).map((statement) => ({
    ...statement,
    message: conditionMessage(statement.message),
  }));
const one = (type: string, reports: ClusterReport[], more?: Partial<StatusInput>): string[] => {
  const found = said(reports, more).find((statement) => statement.type === type);
  return found === undefined ? [] : [found.status, found.reason, found.message];
};
const before = (more: Partial<Condition> & Pick<Condition, "type">): Condition => ({
  status: "True",
  reason: "R",
  message: "m",
  observedGeneration: 2,
  lastTransitionTime: at(T0),
  ...more,
});
const SCHEDULED = {
  type: "Scheduled",
  status: "True",
  reason: "ClustersSelected",
  message: "2 of 2 clusters selected",
};
const FRESH = { type: "Fresh", status: "True", reason: "AllClustersObserved", message: "" };
const ill = (name: string, state: ClusterStatusEntry["state"], more: Partial<ClusterReport> = {}): ClusterReport =>
  report(name, { state, reason: `${state}Reason`, message: `${name} is ${state}` }, { available: "No", ...more });

describe("all that is said of an object", () => {
  test("that is as it should be", () => {
    expect(said([report("a"), report("b")])).toStrictEqual([
      SCHEDULED,
      { type: "Applied", status: "True", reason: "AllClustersApplied", message: "2 of 2 clusters applied" },
      { type: "Available", status: "True", reason: "AllClustersAvailable", message: "2 of 2 clusters available" },
      { type: "Progressing", status: "False", reason: "Settled", message: "" },
      FRESH,
      { type: "Ready", status: "True", reason: "AllClustersReady", message: "2 of 2 clusters ready" },
    ]);
  });

  test("with all that its placement and its kind ask for", () => {
    const condition = { status: "True", reason: "Moving", message: "from a to b" } as const;
    const more = {
      target: target(["a"], { failover: { departures: [], condition, watchesHealth: false } }),
      sum: { refusal: undefined },
      validated: { refusal: undefined },
      ownerClass: "v1",
      namedClass: "v2",
    };
    expect(said([report("a")], more).slice(6)).toStrictEqual([
      { type: "FailingOver", ...condition },
      { type: "StatusAggregated", status: "True", reason: "StatusSummedUp", message: "" },
      { type: "Validated", status: "True", reason: "Valid", message: "" },
      {
        type: "HandedOver",
        status: "False",
        reason: "WaitingForManager",
        message: "class v1 owns the object until a manager of class v2 has claimed it",
      },
    ]);
    const refusal = { reason: "R", message: "no" };
    expect(said([report("a")], { sum: { refusal }, validated: { refusal } }).slice(6)).toStrictEqual([
      { type: "StatusAggregated", status: "False", ...refusal },
      { type: "Validated", status: "False", ...refusal },
    ]);
  });

  test("that is being deleted", () => {
    const left = report("b", { state: "Removing" }, { planned: false, applied: false, available: "No" });
    const message = "objects remain on b";
    const deleting = { deleting: true, validated: { refusal: undefined } };
    const rest = [
      { type: "Applied", status: "False", reason: "Deleting", message: "" },
      { type: "Available", status: "False", reason: "Deleting", message },
      { type: "Progressing", status: "True", reason: "Deleting", message },
      FRESH,
      { type: "Ready", status: "False", reason: "Deleting", message },
      { type: "Validated", status: "True", reason: "Valid", message: "" },
    ];
    expect(said([left], deleting)).toStrictEqual([SCHEDULED, ...rest]);
    const previous = { conditions: [before({ type: "Other" }), before({ type: "Scheduled", reason: "Before" })] };
    expect(said([left], { ...deleting, previous })).toStrictEqual([
      { type: "Scheduled", status: "True", reason: "Before", message: "m" },
      ...rest,
    ]);
    expect(said([left], { ...deleting, target: undefined })).toStrictEqual(rest);
  });

  test("whose deletion takes long", () => {
    const left = report("b", { state: "Removing" }, { planned: false });
    const held = { reason: "Terminating", message: "Deployment shop has finalizer example.com/hold" };
    const long = report("b", { state: "Removing", ...held }, { planned: false });
    expect(one("Ready", [long], { deleting: true })).toEqual(["False", "Deleting", `waits for b: ${held.message}`]);
    expect(one("Ready", [left], { deleting: true })[2]).toBe("objects remain on b");
  });

  test("that could never be planned, by what was said before", () => {
    const failure = { reason: "PlanningFailed", message: "too deep" };
    const previous = {
      conditions: [
        before({ type: "Fresh" }),
        before({ type: "Scheduled" }),
        before({ type: "Applied" }),
        before({ type: "Ready" }),
        before({ type: "Other" }),
      ],
    };
    const classes = { ownerClass: "v1", namedClass: "v2" };
    const more = { target: undefined, failure, previous, validated: { refusal: failure }, ...classes };
    expect(said([], more)).toStrictEqual([
      { type: "Scheduled", status: "True", reason: "R", message: "m" },
      { type: "Applied", status: "Unknown", ...failure },
      { type: "Fresh", status: "True", reason: "R", message: "m" },
      { type: "Ready", status: "False", ...failure },
      { type: "Validated", status: "False", ...failure },
      expect.objectContaining({ type: "HandedOver" }),
    ]);
  });

  test("that cannot be planned any more, by its last plan", () => {
    const failure = { reason: "PlanningFailed", message: "too deep" };
    expect(said([report("a")], { failure }).map(({ type, reason }) => [type, reason])).toEqual([
      ["Scheduled", "ClustersSelected"],
      ["Applied", "PlanningFailed"],
      ["Available", "AllClustersAvailable"],
      ["Progressing", "Settled"],
      ["Fresh", "AllClustersObserved"],
      ["Ready", "PlanningFailed"],
    ]);
  });

  test("that is not planned yet", () => {
    const none = { status: "False", reason: "NoClusters", message: "not planned yet" };
    const unplanned = { type: "Scheduled", status: "Unknown", reason: "NotPlanned", message: "not planned yet" };
    expect(said([], { target: undefined })).toStrictEqual([
      unplanned,
      { type: "Applied", ...none },
      { type: "Available", ...none },
      { type: "Progressing", status: "False", reason: "Settled", message: "" },
      { type: "Fresh", status: "Unknown", reason: "NoClusters", message: "" },
      { type: "Ready", status: "False", reason: "NotPlanned", message: "not planned yet" },
    ]);
    const previous = { conditions: [before({ type: "Scheduled" })] };
    expect(said([], { target: undefined, previous })[0]).toStrictEqual({
      type: "Scheduled",
      status: "True",
      reason: "R",
      message: "m",
    });
  });

  test("of which a policy wants no cluster", () => {
    const unfit = { status: "False", reason: "NoClusterFits", message: "none fits" } as const;
    expect(one("Applied", [], { target: target([], { scheduled: unfit }) })).toEqual([
      "False",
      "NoClusters",
      "none fits",
    ]);
    const fit = { ...unfit, status: "True" } as const;
    const none = ["False", "NoClusters", "no cluster is selected"];
    expect(one("Applied", [], { target: target([], { scheduled: fit }) })).toEqual(none);
    expect(one("Ready", [], { target: target([], { scheduled: fit }) })).toEqual(none);
  });
});

describe("the cluster that a condition is about", () => {
  test.each<[ClusterStatusEntry["state"], ClusterStatusEntry["state"]]>([
    ["Failed", "Unknown"],
    ["Unknown", "Degraded"],
    ["Degraded", "Pending"],
    ["Pending", "Progressing"],
    ["Progressing", "Held"],
    ["Held", "Removing"],
    ["Removing", "Available"],
  ])("is one that is %s rather than one that is %s", (worse, better) => {
    const [status, reason, message] = one("Available", [ill("a", better), ill("b", worse)]);
    expect([status, reason]).toEqual(["False", `${worse}Reason`]);
    expect(message).toMatch(new RegExp(`^0 of 2 clusters available: .* 1, .* 1; b: b is ${worse}$`));
  });

  test("is the first by name of several, and only one of those that it does not hold for", () => {
    expect(one("Available", [ill("a", "Degraded"), ill("b", "Degraded")])[2]).toMatch(/; a: /);
    expect(one("Available", [ill("a", "Failed", { available: "Yes" }), ill("b", "Degraded")])).toEqual([
      "False",
      "DegradedReason",
      "1 of 2 clusters available; b: b is Degraded",
    ]);
  });

  test("is told by its message, else its reason, else its state", () => {
    const of = (entry: Partial<ClusterStatusEntry>) => one("Available", [report("a", entry, { available: "No" })]);
    expect(of({ state: "Degraded" })).toEqual(["False", "Degraded", "0 of 1 cluster available; a: Degraded"]);
    expect(of({ state: "Degraded", reason: "R" })).toEqual(["False", "R", "0 of 1 cluster available; a: R"]);
    expect(of({ state: "Degraded", message: "m" })).toEqual(["False", "Degraded", "0 of 1 cluster available; a: m"]);
  });

  test("is told without the count where both have no room", () => {
    const message = "m".repeat(100);
    expect(one("Available", [report("a", { message }, { available: "No" })])[2]).toBe(`a: ${message}`);
  });

  test("is said to be behind where it is held with something else than is asked for", () => {
    const of = (entry: Partial<ClusterStatusEntry>) =>
      one("Available", [report("a", { state: "Held", message: "m", ...entry }, { available: "No" })])[2];
    const BEHIND = "0 of 1 cluster available; a: the last change is not carried out: m";
    expect(of({ observedHash: "other" })).toBe(BEHIND);
    expect(of({})).toBe("0 of 1 cluster available; a: m");
    expect(of({ state: "Degraded", observedHash: "other" })).toBe("0 of 1 cluster available; a: m");
    const { observedHash: _hash, ...unseen } = report("a", { state: "Held", message: "m" }).entry;
    expect(one("Available", [{ ...report("a"), entry: unseen, available: "No" }])[2]).toBe(
      "0 of 1 cluster available; a: m",
    );
  });
});

describe("Available of a change that is on its way", () => {
  const previous = { conditions: [before({ type: "Other", status: "False" }), before({ type: "Available" })] };
  const found = (reports: ClusterReport[], more: Partial<StatusInput>) =>
    said(reports, more).find(({ type }) => type === "Available");

  test("stands, of the generation of before, where all serve", () => {
    expect(found([report("a"), ill("b", "Progressing", { available: "Before" })], { previous })).toStrictEqual({
      type: "Available",
      status: "True",
      reason: "AllClustersAvailable",
      message: "2 of 2 clusters available",
      observedGeneration: 2,
    });
    expect(found([report("a")], { previous })).not.toHaveProperty("observedGeneration");
  });

  test.each<{ name: string; available: "Before" | "No"; conditions: Condition[] }>([
    { name: "one does not serve", available: "No", conditions: previous.conditions },
    { name: "it was not available", available: "Before", conditions: [before({ type: "Available", status: "False" })] },
    { name: "nothing was said", available: "Before", conditions: [] },
    {
      name: "nobody knows of which generation it was said",
      available: "Before",
      conditions: [{ type: "Available", status: "True", reason: "R", message: "m", lastTransitionTime: at(T0) }],
    },
  ])("does not stand where $name", ({ available, conditions }) => {
    expect(found([report("a"), ill("b", "Progressing", { available })], { previous: { conditions } })).toStrictEqual({
      type: "Available",
      status: "False",
      reason: "ProgressingReason",
      message: "1 of 2 clusters available; b: b is Progressing",
    });
  });
});

describe("Progressing", () => {
  const busy = (name: string, activity: ClusterReport["activity"]) =>
    report(name, {}, activity === undefined ? {} : { activity });
  test.each([
    {
      reports: [busy("a", "Removing"), busy("b", "RollingOut"), busy("c", "Applying")],
      want: ["True", "Applying", "applying to c"],
    },
    {
      reports: [busy("a", "Removing"), busy("b", "RollingOut"), busy("c", "RollingOut")],
      want: ["True", "RollingOut", "rolling out on b, c"],
    },
    { reports: [busy("a", "Removing"), busy("b", undefined)], want: ["True", "Removing", "removing from a"] },
    {
      reports: [
        report("a", { reason: "R" }, { applied: false }),
        report("b", { state: "Failed" }, { applied: false }),
        report("c", { state: "Held" }, { applied: false, planned: false }),
      ],
      want: ["False", "Stalled", "not carried out on a (R), b (Failed)"],
    },
    {
      reports: [report("a"), ill("b", "Degraded"), ill("c", "Failed"), ill("d", "Unknown"), ill("e", "Progressing")],
      want: ["False", "Stalled", "not healthy on b (DegradedReason), c (FailedReason)"],
    },
    { reports: [report("a")], want: ["False", "Settled", ""] },
  ])("says $want", ({ reports, want }) => expect(one("Progressing", reports)).toEqual(want));

  test("says that the placement suspends the object, whatever goes on", () => {
    expect(one("Progressing", [busy("a", "Applying")], { target: target(["a"], { suspended: true }) })).toEqual([
      "False",
      "Suspended",
      "suspended by its placement",
    ]);
  });
});

describe("Ready", () => {
  test.each<{ name: string; reports: ClusterReport[]; more?: Partial<StatusInput>; want: string[] }>([
    {
      name: "is not while something is under way",
      reports: [report("a", {}, { activity: "RollingOut" })],
      want: ["False", "RollingOut", "rolling out on a"],
    },
    {
      name: "is not while pods do not start, and says so rather than that a change goes its way",
      reports: [
        report("a", { state: "Progressing", reason: "RollingOut" }, { activity: "RollingOut" }),
        report("b", { state: "Progressing", reason: "ImagePullBackOff", message: "m" }, { activity: "RollingOut" }),
      ],
      want: ["False", "ImagePullBackOff", "0 of 2 clusters ready; b: m"],
    },
    {
      name: "is not while a change goes its way, but for a cluster that is not healthy",
      reports: [
        report("a", { state: "Progressing", reason: "RollingOut" }, { activity: "RollingOut" }),
        report("b", { state: "Degraded", reason: "QuotaExceeded", message: "m" }),
      ],
      want: ["False", "QuotaExceeded", "0 of 2 clusters ready; b: m"],
    },
    {
      name: "is not while a rollout is paused",
      reports: [report("a")],
      more: { rollout: { state: "Paused", message: "gate" } as RolloutStatus },
      want: ["False", "RolloutPaused", "gate"],
    },
    {
      name: "is not what was not applied",
      reports: [report("a", { state: "Degraded", message: "m" }, { applied: false })],
      want: ["False", "Degraded", "0 of 1 cluster applied; a: m"],
    },
    {
      name: "is what is held as it should be",
      reports: [report("a", { state: "Held" })],
      want: ["True", "AllClustersReady", "1 of 1 cluster ready"],
    },
    {
      name: "is not what serves, and is not healthy",
      reports: [report("a", { state: "Degraded", message: "m" }), report("b")],
      want: ["False", "Degraded", "1 of 2 clusters ready; a: m"],
    },
    {
      name: "is not what serves as before",
      reports: [report("a", { message: "m" }, { available: "Before" })],
      more: { previous: { conditions: [before({ type: "Available" })] } },
      want: ["False", "Available", "0 of 1 cluster ready; a: m"],
    },
  ])("$name", ({ reports, more, want }) => expect(one("Ready", reports, more)).toEqual(want));
});

describe("Fresh", () => {
  test("names those that were not heard, with the reason of the first", () => {
    const stale = { fresh: false };
    expect(one("Fresh", [report("a"), report("b", {}, stale)])).toEqual([
      "False",
      "ClusterUnreachable",
      "not observed: b (never)",
    ]);
    expect(
      one("Fresh", [report("b", { reason: "R", observedAt: at(T0) }, stale), report("c", { reason: "S" }, stale)]),
    ).toEqual(["False", "R", `not observed: b (since ${at(T0)}), c (never)`]);
  });
});
