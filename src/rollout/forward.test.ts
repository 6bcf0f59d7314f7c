import { describe, expect, test } from "vitest";
import {
  ago,
  BROKEN,
  clusterIn,
  fact,
  FAILED,
  GOOD,
  type Look,
  look,
  OLD,
  planned,
  stage,
  UNCHANGED,
  UNKNOWN,
} from "./testing.ts";
import type { RolloutCluster, RolloutFacts, RolloutHealth, RolloutPolicy, RolloutStage } from "./types.ts";

const SLOW: RolloutHealth = { state: "Progressing", available: 0, desired: 2 };
const BAD: RolloutHealth = { state: "Failed", available: 0, desired: 2 };
const UNREACHABLE = { inContact: false } as const;
const deferred = (name: string): RolloutCluster => clusterIn(name, "Deferred@60 (ClusterUnreachable)");
const away = (name: string): RolloutFacts => fact(name, { ...OLD, ...UNREACHABLE });
const done = (name: string): RolloutCluster => planned(name, "Done");
const waitingOf = (...names: string[]): RolloutCluster[] => names.map((name) => planned(name, "Waiting"));
const old = (...names: string[]): RolloutFacts[] => names.map((name) => fact(name, OLD));

/** A stage that has begun; a second cluster keeps it from being over. */
function oneOf(cluster: RolloutCluster, known: Partial<RolloutFacts> | undefined, isHeld = false) {
  return look({
    stages: [{ name: "all", state: "Progressing", clusters: [cluster, planned("z", "Applying", { since: ago(1) })] }],
    facts: [...(known === undefined ? [] : [fact("a", known)]), fact("z", { ...OLD })],
    isHeld,
  });
}

/** A cluster before, its facts, the cluster after, and its changes of state. */
type Row = [before: string, known: Partial<RolloutFacts> | undefined, after: string, log?: string[]];
const expectCluster =
  (isHeld = false) =>
  (...[before, known, after, noted]: Row): void => {
    const { clusters, log } = oneOf(clusterIn("a", before), known, isHeld);
    expect(clusters["a"]).toStrictEqual(clusterIn("a", after));
    if (noted !== undefined)
      expect(log.filter((line) => line.startsWith("a:")).map((line) => line.replace(/^.* -> /, ""))).toEqual(noted);
  };

test.each<Row>([
  ...["Waiting", "Applying@1", "Verifying@1", "Deferred@1", "Failed"].map((state): Row => [
    state,
    undefined,
    "Skipped (ClusterLeft)",
  ]),
  ["Done", undefined, "Done"],
  ["Skipped (ClusterUnreachable)", undefined, "Skipped (ClusterUnreachable)"],
])("a cluster that has left is skipped before its turn is over: %s", expectCluster());

test.each<Row>([
  ["Waiting", { ...OLD, ...UNREACHABLE }, "Deferred@0 (ClusterUnreachable)"],
  ["Waiting", OLD, "Waiting"],
  ["Deferred@60 (ClusterUnreachable)", OLD, "Waiting"],
  ["Deferred@60 (ClusterUnreachable)", { ...OLD, ...UNREACHABLE }, "Deferred@60 (ClusterUnreachable)"],
])("a cluster whose turn has not come is deferred while it cannot be reached: %s", expectCluster(true));

test("clusters of later stages are looked at as well", () => {
  const { clusters, log } = look({
    stages: [
      { name: "one", state: "Progressing", clusters: [clusterIn("a", "Applying@1")] },
      { name: "two", state: "Waiting", clusters: waitingOf("b") },
      { name: "three", state: "Waiting", clusters: waitingOf("c", "d") },
      { name: "four", state: "Waiting" },
    ],
    facts: [...old("a", "c"), away("b")],
  });
  expect(log).toEqual(["b: Waiting -> Deferred (ClusterUnreachable)", "d: Waiting -> Skipped (ClusterLeft)"]);
  expect(clusters["c"]?.state).toBe("Waiting");
});

describe("a cluster that has its turn", () => {
  test.each<Row>([
    ["Applying@60", {}, "Done", ["Verifying", "Done"]],
    ["Verifying@600 (HealthUnknown)", {}, "Done", ["Done"]],
    ["Applying@60", UNREACHABLE, "Applying@60 (HealthUnknown)", []],
    ["Applying@60 (Forbidden)", { ...OLD, health: BROKEN }, "Applying@60", []],
    ["Applying@60", { ...OLD, error: "Forbidden" }, "Applying@60 (Forbidden)", []],
    ["Verifying@60", { health: FAILED }, "Failed (ProgressDeadlineExceeded)", ["Failed (ProgressDeadlineExceeded)"]],
    ["Verifying@600", { health: BROKEN }, "Failed (ImagePullBackOff)", ["Failed (ImagePullBackOff)"]],
    ["Verifying@600", { health: SLOW }, "Failed (GateTimeout)", ["Failed (GateTimeout)"]],
    ["Verifying@600", { health: BROKEN, ...UNREACHABLE }, "Deferred@0 (ClusterUnreachable)"],
  ])("is %s, with %j: %s", expectCluster());

  test.each<[string, "Applying" | "Verifying", Partial<RolloutFacts>, string, string]>([
    ["why it cannot be written", "Applying", { ...OLD, error: "Forbidden" }, "Forbidden", "Forbidden"],
    ["that its health is not known", "Verifying", { health: UNKNOWN }, "HealthUnknown", "HealthUnknown"],
    ["what is wrong", "Applying", { ...OLD, health: BROKEN }, "ImagePullBackOff", "ImagePullBackOff"],
    ["that it was not written", "Applying", OLD, "NotWritten", "not applied"],
  ])("is no failure where nobody can say, and says %s", (_what, state, known, reason, why) => {
    const { clusters, progress, log } = oneOf(planned("a", state, { since: ago(600) }), known);
    expect(clusters["a"]?.reason).toBe(reason);
    expect(progress).toEqual({ kind: "Waits", pause: "Unknown", message: `stage all: a: ${why} after 10m` });
    expect(log.filter((line) => line.includes("Failed"))).toEqual([]);
  });

  test.each<Row>(["Waiting", "Skipped", "RolledBack"].map((state) => [state, { health: FAILED }, state, []]))(
    "is none that is %s",
    expectCluster(true),
  );
});

test.each<Row>([
  ["Done", { health: FAILED }, "Failed (ProgressDeadlineExceeded)"],
  ["Done", { health: BAD }, "Failed (Unhealthy)"],
  ["Done", { ...UNCHANGED, health: FAILED }, "Done"],
])("a cluster that was done fails with its new revision only: %s, %j", expectCluster());

describe("the clusters of a stage that begin", () => {
  const begun = (maxConcurrency: number, clusters: RolloutCluster[], facts: RolloutFacts[], isHeld = false) =>
    look({
      policy: { stages: [stage("all", { maxConcurrency })] },
      stages: [{ name: "all", state: "Progressing", clusters }],
      facts,
      isHeld,
    });

  test("are as many as may change at once, in the order of the plan", () => {
    const { clusters, log, progress } = begun(2, waitingOf("a", "b", "c"), old("a", "b", "c"));
    expect(log).toEqual(["a: Waiting -> Applying", "b: Waiting -> Applying"]);
    expect(clusters["a"]).toStrictEqual(planned("a", "Applying", { since: ago(0) }));
    expect(progress).toEqual({ kind: "Going" });
  });

  test.each<[string, RolloutCluster, Partial<RolloutFacts>, boolean]>([
    ["is verified", planned("a", "Verifying", { since: ago(1) }), { health: BROKEN }, true],
    ["was deferred just now", planned("a", "Deferred", { since: ago(599) }), UNREACHABLE, true],
    ["was deferred long ago", planned("a", "Deferred", { since: ago(600) }), UNREACHABLE, false],
    ["is done", planned("a", "Done"), {}, false],
  ])("are fewer by one that %s", (_what, cluster, known, takesPlace) => {
    const { clusters } = begun(1, [cluster, ...waitingOf("b", "c")], [fact("a", known), ...old("b", "c")]);
    expect([clusters["b"]?.state, clusters["c"]?.state]).toEqual([takesPlace ? "Waiting" : "Applying", "Waiting"]);
  });

  test("are all of those for which nothing changes, or that have it already: they take no place", () => {
    const facts = [fact("a", OLD), fact("b", UNCHANGED), fact("c", { health: BROKEN }), fact("d", OLD)];
    expect(begun(1, waitingOf("a", "b", "c", "d"), facts).log).toEqual([
      "a: Waiting -> Applying",
      "b: Waiting -> Done",
      "c: Waiting -> Verifying",
    ]);
  });

  test("are none while the run is held, and what has begun goes on", () => {
    const facts = [fact("a"), fact("b", UNCHANGED), fact("c", OLD)];
    const { log, progress } = begun(3, [planned("a", "Applying"), ...waitingOf("b", "c")], facts, true);
    expect(log).toEqual(["a: Applying -> Verifying", "a: Verifying -> Done"]);
    expect(progress).toEqual({ kind: "Going" });
  });
});

describe("clusters that come back after their stage was over", () => {
  const late = (maxConcurrency: number, clusters: RolloutCluster[], facts: RolloutFacts[], isHeld = false) =>
    look({
      policy: { stages: [stage("all", { maxConcurrency })] },
      state: "Succeeded",
      stages: [
        { name: "all", state: "Succeeded", clusters },
        { name: "none", state: "Succeeded" },
      ],
      facts,
      isHeld,
    });

  test("get their turn, as many at once as may change", () => {
    const facts = [fact("a", UNREACHABLE), fact("b", OLD), fact("c", OLD), fact("d", OLD)];
    const { log, clusters, progress } = late(2, ["a", "b", "c", "d"].map(deferred), facts);
    expect(log).toEqual(["b: Deferred -> Applying", "c: Deferred -> Applying"]);
    expect(clusters["a"]).toStrictEqual(deferred("a"));
    expect(clusters["b"]).toStrictEqual(planned("b", "Applying", { since: ago(0) }));
    expect(progress).toEqual({ kind: "Succeeded" });
  });

  test.each<[string, RolloutCluster, Partial<RolloutFacts>]>([
    ["verified", planned("a", "Verifying", { since: ago(1) }), { health: BROKEN }],
  ])("wait for one that is being %s, unless they have the new revision already", (_what, cluster, known) => {
    const facts = [fact("a", known), fact("b", OLD), fact("c", { health: BROKEN })];
    expect(late(1, [cluster, deferred("b"), deferred("c")], facts).log).toEqual(["c: Deferred -> Verifying"]);
  });

  test("go on when they have had their turn, and one that has left is skipped", () => {
    const clusters = [planned("a", "Applying", { since: ago(1) }), deferred("b"), planned("c", "Done")];
    expect(late(1, clusters, [fact("a", { health: GOOD })]).log).toEqual([
      "b: Deferred -> Skipped (ClusterLeft)",
      "a: Applying -> Verifying",
      "a: Verifying -> Done",
    ]);
  });
});

const progressing = (name: string, ...clusters: RolloutCluster[]): RolloutStage => ({
  name,
  state: "Progressing",
  startedAt: ago(60),
  clusters,
});
const waiting = (name: string, ...clusters: string[]): RolloutStage => ({
  name,
  state: "Waiting",
  clusters: clusters.map((one) => planned(one, "Waiting")),
});
const states = ({ stages }: ReturnType<typeof look>): string[] => stages.map(({ state }) => state);

describe("the stages of a run", () => {
  test("begin one after the other, and the time of each is written down", () => {
    const looked = look({
      stages: [progressing("one", done("a")), waiting("two", "b"), waiting("three", "c")],
      facts: [fact("a"), fact("b", OLD), fact("c", OLD)],
    });
    expect(looked.progress).toEqual({ kind: "Going" });
    expect(looked.log).toEqual([
      "one: Progressing -> Succeeded",
      "two: Waiting -> Progressing",
      "b: Waiting -> Applying",
    ]);
    expect(looked.stages.map(({ startedAt }) => startedAt)).toEqual([ago(60), ago(0), undefined]);
  });

  test("do not begin while the run is held, and one that is over is not left", () => {
    const facts = [fact("a"), fact("b", UNCHANGED)];
    const held = look({ stages: [progressing("one", done("a")), waiting("two", "b")], facts, isHeld: true });
    expect([held.progress, held.log]).toEqual([{ kind: "Going" }, []]);
    const later = look({
      stages: [{ ...progressing("one", done("a")), state: "Succeeded" }, waiting("two", "b")],
      facts,
      isHeld: true,
    });
    expect([later.progress, later.log]).toEqual([{ kind: "Going" }, []]);
    expect(later.stages[1]?.startedAt).toBeUndefined();
  });
});

describe("a stage fails", () => {
  const failed = (name: string, reason?: string) => planned(name, "Failed", reason === undefined ? {} : { reason });
  const run = (maxFailures: number | undefined, state: RolloutStage["state"], runState?: "Succeeded") =>
    look({
      policy: { stages: [stage("one", maxFailures === undefined ? {} : { maxFailures })] },
      stages: [
        { name: "one", state, clusters: [failed("a", "Unhealthy"), failed("b"), done("c")] },
        waiting("two", "d"),
      ],
      facts: [fact("a"), fact("b"), fact("c"), fact("d", OLD)],
      ...(runState === undefined ? {} : { state: runState }),
    });
  const failure = { kind: "Failed", message: "stage one: a (Unhealthy), b failed" };

  test.each<[number | undefined, RolloutStage["state"]]>([
    [undefined, "Progressing"],
    [1, "Progressing"],
    [undefined, "Succeeded"],
    [1, "Succeeded"],
  ])("where more clusters than %s have failed, also afterwards: %s", (maxFailures, state) => {
    const looked = run(maxFailures, state);
    expect([looked.progress, states(looked)]).toEqual([failure, ["Failed", "Waiting"]]);
  });

  test.each(["Progressing", "Succeeded"] as const)("and does not where as many may: %s", (state) => {
    const looked = run(2, state);
    expect([looked.progress, states(looked)]).toEqual([{ kind: "Going" }, ["Succeeded", "Progressing"]]);
  });

  test.each<[string, number, string]>([
    ["its time is not over", 61, "Progressing"],
    ["its time is over", 60, "Failed"],
  ])("when it takes too long: %s", (_what, seconds, state) => {
    const looked = look({
      policy: { stages: [stage("one", { deadline: `${seconds}s` })] },
      stages: [progressing("one", planned("a", "Verifying", { since: ago(1) }), planned("b", "Waiting"))],
      facts: [fact("a", { health: BROKEN }), fact("b", OLD)],
    });
    const hasFailed = state === "Failed";
    expect(states(looked)).toEqual([state]);
    expect(looked.progress).toEqual(
      hasFailed ? { kind: "Failed", message: "stage one took longer than 60s" } : { kind: "Going" },
    );
    expect(looked.recheckAfter).toBe(hasFailed ? 599 : 1);
    expect(looked.clusters["b"]?.state).toBe(hasFailed ? "Waiting" : "Applying");
  });
});

test("a stage of which nobody can tell how its clusters are begins no others, and says what is wrong with the first", () => {
  const looked = look({
    stages: [
      progressing(
        "one",
        planned("a", "Applying", { since: ago(1) }),
        planned("b", "Verifying", { since: ago(600) }),
        planned("c", "Applying", { since: ago(600) }),
        planned("d", "Waiting"),
      ),
    ],
    facts: [fact("a", OLD), fact("b", { health: UNKNOWN }), fact("c", { ...OLD, error: "Forbidden" }), fact("d", OLD)],
  });
  const message = "stage one: b: HealthUnknown after 10m";
  expect(looked.progress).toEqual({ kind: "Waits", pause: "Unknown", message });
  expect(looked.clusters["d"]?.state).toBe("Waiting");
});

describe("a stage that nobody can reach", () => {
  const waits = { kind: "Waits", pause: "Unknown", message: "stage two: none of its clusters can be reached" };
  const run = (policy: RolloutPolicy, clusters: RolloutCluster[], facts: RolloutFacts[], ...others: RolloutStage[]) =>
    look({
      policy,
      stages: [{ name: "one", state: "Succeeded", clusters: [done("a")] }, progressing("two", ...clusters), ...others],
      facts: [fact("a"), ...facts],
    }).progress;
  const reached = { kind: "Succeeded" };

  test.each<[string, object, RolloutFacts, RolloutStage]>([
    ["does not let those after it begin", waits, fact("c", OLD), waiting("three", "c")],
    ["nor those that cannot be reached either", waits, away("c"), { ...waiting("three"), clusters: [deferred("c")] }],
    ["holds up nobody where nothing is left", reached, fact("c"), progressing("three", done("c"))],
  ])("%s", (_name, want, third, stages) => expect(run({}, [deferred("b")], [away("b"), third], stages)).toEqual(want));

  test("is one of which no cluster is done, or has failed", () => {
    const third = waiting("three", "c");
    const facts = [away("b"), fact("x"), fact("c", OLD)];
    expect(run({}, [deferred("b"), done("x")], facts, third)).toEqual({ kind: "Going" });
    const policy = { stages: [stage("two", { maxFailures: 1 })] };
    expect(run(policy, [deferred("b"), planned("x", "Failed")], facts, third)).toEqual({ kind: "Going" });
    expect(run({}, [deferred("b"), planned("x", "Skipped")], facts, third)).toEqual(waits);
  });

  test("is not enough for a run in which nothing is known of any", () => {
    const only = (...stages: RolloutStage[]) => look({ stages, facts: [away("b")] }).progress;
    expect(only(progressing("two", deferred("b")))).toEqual(waits);
    expect(only({ name: "one", state: "Succeeded" }, progressing("two", deferred("b")))).toEqual(waits);
    const failed: RolloutStage = { name: "one", state: "Succeeded", clusters: [planned("a", "Failed")] };
    const last = { policy: { stages: [stage("one", { maxFailures: 1 })] }, facts: [away("b"), fact("a")] };
    expect(look({ ...last, stages: [failed, progressing("two", deferred("b"))] }).progress).toEqual(reached);
  });
});

describe("a stage that soaks", () => {
  const soaking = (since: number | undefined, known: Partial<RolloutFacts> | undefined, more: RolloutCluster[] = []) =>
    look({
      policy: { stages: [stage("one", { soak: "2m" })] },
      stages: [
        since === undefined
          ? progressing("one", done("a"), ...more)
          : { ...progressing("one", done("a"), ...more), soakingSince: ago(since), state: "Soaking" },
      ],
      facts: known === undefined ? [] : [fact("a", known)],
    });

  test("begins when its clusters are done, and is looked at again", () => {
    const looked = soaking(undefined, {});
    expect(looked.progress).toEqual({ kind: "Going" });
    expect(looked.stages).toMatchObject([{ state: "Soaking", soakingSince: ago(0) }]);
    expect(looked.recheckAfter).toBe(120);
  });

  test("is over in its time", () => {
    const before = soaking(119, {});
    expect([states(before), before.stages[0]?.soakingSince, before.recheckAfter]).toEqual([["Soaking"], ago(119), 1]);
    expect(soaking(120, {}).progress).toEqual({ kind: "Succeeded" });
  });

  test("begins anew when a cluster is not healthy", () => {
    const looked = soaking(119, { health: BROKEN });
    expect(looked.progress).toEqual({ kind: "Going" });
    expect(looked.log).toEqual(["a: Done -> Verifying", "one: Soaking -> Progressing"]);
    expect(looked.stages[0]).not.toHaveProperty("soakingSince");
  });

  test.each<[string, Partial<RolloutFacts> | undefined]>([
    ["where nothing has changed", { ...UNCHANGED, health: FAILED }],
    ["that has left", undefined],
  ])("does not begin anew for a cluster %s", (_what, known) => expect(states(soaking(60, known))).toEqual(["Soaking"]));

  test("has somebody to wait for: one without a cluster that is done does not soak", () => {
    const { progress } = look({
      policy: { stages: [stage("one", { soak: "2m" })] },
      stages: [progressing("one", planned("a", "Skipped"))],
      facts: [fact("a")],
    });
    expect(progress).toEqual({ kind: "Succeeded" });
    expect(states(soaking(60, {}, [planned("b", "Skipped")]))).toEqual(["Soaking"]);
  });
});

describe("the gate of a stage", () => {
  const asking: RolloutPolicy = { gate: { prometheus: { query: "up" } } };
  const at = (more: Partial<Look>) =>
    look({ policy: asking, stages: [progressing("one", done("a"))], facts: [fact("a")], ...more });
  const paused = (message: string) => ({ kind: "Waits", pause: "Gate", message: `stage one: ${message}` });

  test("is asked, and the stage waits for the answer", () => {
    const looked = at({});
    expect([looked.progress, looked.asks, states(looked)]).toEqual([
      paused("the gate is being asked"),
      ["one"],
      ["Paused"],
    ]);
  });

  test("is asked again where there was no answer, and says why", () => {
    const gates = new Map([["one", "Unknown" as const]]);
    expect(at({ gates })).toMatchObject({
      progress: paused("the gate's query has no answer; see the manager's log"),
      asks: ["one"],
    });
    const gateProblems = new Map([["one", "no sample"]]);
    expect(at({ gates, gateProblems }).progress).toEqual(paused("no sample"));
    expect(at({ gateProblems }).progress).toEqual(paused("the gate is being asked"));
  });

  test("lets it pass, or fail, and is not asked again", () => {
    const passed = at({ gates: new Map([["one", "Passed"]]) });
    expect([passed.progress, passed.asks, states(passed)]).toEqual([{ kind: "Succeeded" }, [], ["Succeeded"]]);
    const failed = at({ gates: new Map([["one", "Failed"]]) });
    const message = "stage one: the query of the gate did not pass";
    expect([failed.progress, failed.asks, states(failed)]).toEqual([{ kind: "Failed", message }, [], ["Failed"]]);
  });
});

describe("the approval of a stage", () => {
  const manual: RolloutPolicy = { stages: [stage("one", { approval: "Manual" })] };
  const at = (more: Partial<Look> = {}, of: Partial<RolloutStage> = {}) =>
    look({ policy: manual, stages: [{ ...progressing("one", done("a")), ...of }], facts: [fact("a")], ...more });
  const commands = { paused: false, approvals: new Map([["one", "alice"]]) };

  test("is waited for at its end", () => {
    const looked = at();
    const message = "stage one waits for approval";
    expect(looked.progress).toEqual({ kind: "Waits", pause: "Gate", message });
    expect(states(looked)).toEqual(["Paused"]);
  });

  test("is written down with who gave it, and asked for no more", () => {
    const looked = at({ commands });
    expect([looked.progress, looked.stages[0]?.approvedBy]).toEqual([{ kind: "Succeeded" }, "alice"]);
    const again = at({}, { approvedBy: "bob" });
    expect([again.progress, again.stages[0]?.approvedBy]).toEqual([{ kind: "Succeeded" }, "bob"]);
  });

  test("of a name that nobody vouches for says so", () => {
    expect(at({ commands }).stages[0]).toMatchObject({ approvedBy: "alice", approverVerified: false });
    const verified = at({ commands: { ...commands, areApproversVerified: true } });
    expect(verified.stages[0]).not.toHaveProperty("approverVerified");
  });

  test("in the format of an earlier release is none, and the status says why", () => {
    const looked = at({ commands: { paused: false, approvals: new Map(), hasOldApprovals: true } });
    expect(looked.progress).toMatchObject({
      pause: "Gate",
      message: expect.stringMatching(/earlier release/) as string,
    });
  });

  test("is written down while the run is held, and the stage is not over", () => {
    const looked = at({ commands, isHeld: true });
    expect([looked.progress, states(looked), looked.stages[0]?.approvedBy]).toEqual([
      { kind: "Going" },
      ["Progressing"],
      "alice",
    ]);
  });
});
