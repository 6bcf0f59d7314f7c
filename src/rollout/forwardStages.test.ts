import { describe, expect, test } from "vitest";
import { ago, BROKEN, fact, FAILED, type Look, look, OLD, planned, stage, UNCHANGED, UNKNOWN } from "./testing.ts";
import type { RolloutCluster, RolloutFacts, RolloutPolicy, RolloutStage } from "./types.ts";

const UNREACHABLE = { inContact: false } as const;
const deferred = (name: string): RolloutCluster => planned(name, "Deferred", { since: ago(60) });
const away = (name: string): RolloutFacts => fact(name, { ...OLD, ...UNREACHABLE });
const done = (name: string): RolloutCluster => planned(name, "Done");
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
  test("are over where there are none, or none with a cluster", () => {
    expect(look({ stages: [], facts: [] }).progress).toEqual({ kind: "Succeeded" });
    const empty = look({ stages: [{ name: "one", state: "Waiting" }, waiting("two")], facts: [] });
    expect([empty.progress, states(empty)]).toEqual([{ kind: "Succeeded" }, ["Succeeded", "Succeeded"]]);
  });

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

  test("are gone through at once where nothing changes", () => {
    const looked = look({
      stages: [waiting("one", "a"), waiting("two", "b"), waiting("three", "c")],
      facts: [fact("a", UNCHANGED), fact("b", UNCHANGED), fact("c", UNCHANGED)],
    });
    expect([looked.progress, states(looked)]).toEqual([{ kind: "Succeeded" }, ["Succeeded", "Succeeded", "Succeeded"]]);
  });

  test("begin anew after they failed", () => {
    const failed: RolloutStage = {
      ...progressing("one", planned("a", "Verifying", { since: ago(1) })),
      state: "Failed",
    };
    const looked = look({ stages: [failed], facts: [fact("a", { health: BROKEN })] });
    expect([states(looked), looked.stages[0]?.startedAt]).toEqual([["Progressing"], ago(0)]);
  });

  test.each(["Progressing", "Soaking", "Paused"] as const)("do not begin anew while they are %s", (state) => {
    const stages = [{ ...progressing("one", planned("a", "Verifying", { since: ago(1) })), state }];
    const looked = look({ stages, facts: [fact("a", { health: BROKEN })] });
    expect([states(looked), looked.stages[0]?.startedAt]).toEqual([[state], ago(60)]);
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

  test("and not when the run is over", () =>
    expect(states(run(undefined, "Succeeded", "Succeeded"))).toEqual(["Succeeded", "Progressing"]));

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

  test("not for its time when it is over", () =>
    expect(
      look({
        policy: { stages: [stage("one", { deadline: "1s" })] },
        stages: [progressing("one", done("a"))],
        facts: [fact("a")],
      }).progress,
    ).toEqual({ kind: "Succeeded" }));
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

  test("does not let those after it begin", () =>
    expect(run({}, [deferred("b")], [away("b"), fact("c", OLD)], waiting("three", "c"))).toEqual(waits));

  test("does not let those after it begin that cannot be reached either", () =>
    expect(
      run({}, [deferred("b")], [away("b"), away("c")], { name: "three", state: "Waiting", clusters: [deferred("c")] }),
    ).toEqual(waits));

  test("holds up nobody where nothing is left for those after it", () =>
    expect(run({}, [deferred("b")], [away("b"), fact("c")], progressing("three", done("c")))).toEqual(reached));

  test("holds up nobody where it is the last", () => expect(run({}, [deferred("b")], [away("b")])).toEqual(reached));

  test("is one of which no cluster is done, or has failed", () => {
    const third = waiting("three", "c");
    const facts = [away("b"), fact("x"), fact("c", OLD)];
    expect(run({}, [deferred("b"), done("x")], facts, third)).toEqual({ kind: "Going" });
    const policy = { stages: [stage("two", { maxFailures: 1 })] };
    expect(run(policy, [deferred("b"), planned("x", "Failed")], facts, third)).toEqual({ kind: "Going" });
    expect(run({}, [deferred("b"), planned("x", "Skipped")], facts, third)).toEqual(waits);
  });

  test("is none of which all clusters have left", () =>
    expect(run({}, [planned("b", "Skipped")], [fact("c", OLD)], waiting("three", "c"))).toEqual({ kind: "Going" }));

  test("is not enough for a run in which nothing is known of any", () => {
    const only = (...stages: RolloutStage[]) => look({ stages, facts: [away("b")] }).progress;
    expect(only(progressing("two", deferred("b")))).toEqual(waits);
    expect(only({ name: "one", state: "Succeeded" }, progressing("two", deferred("b")))).toEqual(waits);
    const failed: RolloutStage = { name: "one", state: "Succeeded", clusters: [planned("a", "Failed")] };
    const policy = { stages: [stage("one", { maxFailures: 1 })] };
    const stages = [failed, progressing("two", deferred("b"))];
    expect(look({ policy, stages, facts: [away("b"), fact("a")] }).progress).toEqual(reached);
  });
});

describe("a stage that soaks", () => {
  const soaking = (since: number | undefined, known: Partial<RolloutFacts> | undefined, more: RolloutCluster[] = []) =>
    look({
      policy: { stages: [stage("one", { soak: "2m" })] },
      stages: [
        {
          ...progressing("one", done("a"), ...more),
          ...(since === undefined ? {} : { soakingSince: ago(since), state: "Soaking" }),
        },
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

  test("is none where the policy has no query", () => {
    expect(at({ policy: { gate: {} } })).toMatchObject({ progress: { kind: "Succeeded" }, asks: [] });
    expect(at({ policy: {} })).toMatchObject({ progress: { kind: "Succeeded" }, asks: [] });
  });

  test("is asked after the soak", () => {
    const policy = { ...asking, stages: [stage("one", { soak: "1m" })] };
    expect(at({ policy })).toMatchObject({ progress: { kind: "Going" }, asks: [] });
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

  test("of another stage is none", () =>
    expect(at({ commands: { ...commands, approvals: new Map([["two", "alice"]]) } }).progress.kind).toBe("Waits"));

  test("is written down while the run is held, and the stage is not over", () => {
    const looked = at({ commands, isHeld: true });
    expect([looked.progress, states(looked), looked.stages[0]?.approvedBy]).toEqual([
      { kind: "Going" },
      ["Progressing"],
      "alice",
    ]);
  });

  test("is not needed where the policy does not ask for one", () =>
    expect(at({ policy: {}, commands }).stages[0]).not.toHaveProperty("approvedBy"));

  test("is asked for after the gate", () => {
    const policy = { ...manual, gate: { prometheus: { query: "up" } } };
    expect(at({ policy, commands }).progress).toMatchObject({ message: "stage one: the gate is being asked" });
  });
});
