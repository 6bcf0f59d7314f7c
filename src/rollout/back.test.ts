import { describe, expect, test } from "vitest";
import { GOING_BACK, goBack } from "./back.ts";
import { Draft } from "./draft.ts";
import { ago, BROKEN, fact, FAILED, lineOf, NOTHING_SAID, OLD, planned, stage, START } from "./testing.ts";
import type { RolloutCluster, RolloutClusterState, RolloutFacts, RolloutPolicy, RolloutStage } from "./types.ts";

/** What one look makes of the stages of a run that goes back. */
function back(stages: RolloutStage[], facts: RolloutFacts[], policy: RolloutPolicy = {}) {
  const draft = new Draft({ state: "RollingBack", revision: 2, lastGoodRevision: 1, stages }, START);
  const way = goBack(draft, { ...NOTHING_SAID, policy }, new Map(facts.map((one) => [one.name, one])));
  return {
    way,
    stages: draft.stages,
    log: draft.transitions.map(lineOf),
    recheckAfter: (draft.recheckAt - START) / 1000,
  };
}

/** The same, of one cluster in one stage. */
function backOf(cluster: RolloutCluster, known: Partial<RolloutFacts> | undefined, policy: RolloutPolicy = {}) {
  const stages: RolloutStage[] = [{ name: "one", state: "Progressing", clusters: [cluster] }];
  const looked = back(stages, known === undefined ? [] : [fact("a", known)], policy);
  return { ...looked, cluster: looked.stages[0]?.clusters?.[0] };
}

const goingBack = (name: string, seconds: number, state: RolloutClusterState = "Applying"): RolloutCluster =>
  planned(name, state, { reason: GOING_BACK, since: ago(seconds) });
const UNREACHABLE = { inContact: false } as const;
/** The last good revision is there, and healthy. */
const BACK = { onTarget: false, onLastGood: true, runs: "LastGood" } as const;

describe("a cluster that the run may have changed", () => {
  const changed = goingBack("a", 0);
  const left = planned("a", "Skipped", { reason: "ClusterLeft" });
  const lost = planned("a", "Deferred", { reason: "ClusterUnreachable", since: ago(0) });
  const back1 = planned("a", "RolledBack");

  test.each<[string, RolloutClusterState, Partial<RolloutFacts> | undefined, RolloutCluster]>([
    ["is done", "Done", {}, changed],
    ["is being verified", "Verifying", { health: BROKEN }, changed],
    ["has what is the same in both", "Verifying", { runs: "Target", onLastGood: true }, changed],
    ["has it from an earlier run, though it waits", "Waiting", {}, changed],
    ["has another one from an earlier run", "Waiting", { onTarget: false, runs: "Other" }, changed],
    ["has it though it was skipped", "Skipped", {}, changed],
    ["left when it was done", "Done", undefined, left],
    ["cannot be reached when it was done", "Done", UNREACHABLE, lost],
    ["never got it", "Applying", BACK, back1],
    ["never got it, and is broken", "Failed", { ...BACK, health: FAILED }, back1],
  ])("goes back where it %s", (_what, state, known, want) => {
    const { cluster, way, stages } = backOf(planned("a", state, { since: ago(60) }), known);
    expect(cluster).toStrictEqual(want);
    const isGoing = want.reason === GOING_BACK;
    expect(way).toEqual({ kind: isGoing ? "Going" : "RolledBack" });
    expect(stages[0]?.state).toBe(isGoing ? "Progressing" : "RolledBack");
  });

  test.each<[string, RolloutCluster, Partial<RolloutFacts> | undefined]>([
    ["is done, and nothing has changed there", planned("a", "Done"), BACK],
    ["is back", planned("a", "RolledBack"), {}],
    ["has the last good revision and waits", planned("a", "Waiting"), OLD],
    ["left while it waited", planned("a", "Waiting"), undefined],
  ])("is left alone where it %s", (_what, cluster, known) => {
    const { cluster: after, way, log } = backOf(cluster, known);
    expect(after).toStrictEqual(cluster);
    expect(way).toEqual({ kind: "RolledBack" });
    expect(log).toEqual(["one: Progressing -> RolledBack"]);
  });
});

describe("a cluster on its way back", () => {
  test.each<[string, Partial<RolloutFacts>]>([
    ["has the last good revision, and is healthy", BACK],
    ["is to have nothing, and has nothing", { ...BACK, kept: false, health: BROKEN }],
  ])("is back when it %s", (_what, known) => {
    const { cluster, way, log } = backOf(goingBack("a", 599), known);
    expect(cluster).toStrictEqual(planned("a", "RolledBack"));
    expect([way, log]).toEqual([
      { kind: "RolledBack" },
      ["a: Applying -> RolledBack", "one: Progressing -> RolledBack"],
    ]);
  });

  test.each<[string, Partial<RolloutFacts>]>([
    ["has not the last good revision yet", { ...BACK, onLastGood: false }],
    ["is not healthy yet", { ...BACK, health: BROKEN }],
    ["cannot be reached", { ...BACK, ...UNREACHABLE }],
  ])("is waited for while it %s, as long as its gate may take", (_what, known) => {
    const { cluster, way, recheckAfter, log } = backOf(goingBack("a", 590), known);
    expect(cluster).toStrictEqual(goingBack("a", 590));
    expect([way, recheckAfter, log]).toEqual([{ kind: "Going" }, 10, []]);
  });

  test("may take as long as the policy says, and pass with as much as it says", () => {
    const policy = { gate: { timeout: "30s", available: "50%" } };
    expect(backOf(goingBack("a", 29), { ...BACK, health: BROKEN }, policy).way).toEqual({ kind: "Going" });
    expect(backOf(goingBack("a", 30), { ...BACK, health: BROKEN }, policy).way).toMatchObject({ kind: "Failed" });
    const half = { state: "Progressing", available: 1, desired: 2 } as const;
    expect(backOf(goingBack("a", 30), { ...BACK, health: half }, policy).way).toEqual({ kind: "RolledBack" });
  });

  test.each<[string, Partial<RolloutFacts>, string]>([
    ["why it cannot be written", { onTarget: false, error: "Forbidden", health: BROKEN }, "Forbidden"],
    [
      "why it may not be written any more",
      { onTarget: false, error: "Forbidden", errorOfLastGood: "PodSecurity" },
      "PodSecurity",
    ],
    ["what is wrong", { ...BACK, health: BROKEN }, "ImagePullBackOff"],
    ["no more, where nobody knows more", { ...BACK, onLastGood: false }, "not available"],
  ])("fails when its time is over, and says %s", (_what, known, why) => {
    const { way, cluster, stages } = backOf(goingBack("a", 600), known);
    expect(way).toEqual({ kind: "Failed", message: `a is not back on the last good revision: ${why}` });
    expect([cluster, stages[0]?.state]).toEqual([goingBack("a", 600), "Progressing"]);
  });

  test("is deferred when its time is over and it cannot be reached", () => {
    const { cluster, way } = backOf(goingBack("a", 600), { ...BACK, ...UNREACHABLE });
    expect(cluster).toStrictEqual(planned("a", "Deferred", { reason: "ClusterUnreachable", since: ago(0) }));
    expect(way).toEqual({ kind: "RolledBack" });
  });

  test("is skipped when it has left", () => {
    const { cluster, way } = backOf(goingBack("a", 1), undefined);
    expect(cluster).toStrictEqual(planned("a", "Skipped", { reason: "ClusterLeft" }));
    expect(way).toEqual({ kind: "RolledBack" });
  });
});

describe("a cluster that does not come back", () => {
  const done = (name: string) => planned(name, "Done");
  const stages = (): RolloutStage[] => [
    { name: "one", state: "Succeeded", clusters: [done("a"), done("b")] },
    { name: "two", state: "Failed", clusters: [goingBack("c", 600)] },
  ];
  const stuck = fact("c", { ...BACK, health: BROKEN });
  const message = "c is not back on the last good revision: ImagePullBackOff";

  test("holds up no other one, and its stage is not back", () => {
    const { log, way, stages: after } = back(stages(), [fact("a"), fact("b"), stuck]);
    expect(way).toEqual({ kind: "Going" });
    expect(log).toEqual(["b: Done -> Applying (RollingBack)"]);
    expect(after.map(({ state }) => state)).toEqual(["Succeeded", "Failed"]);
  });

  test("leaves the last copy that serves as it is, and is named with that one", () => {
    const [one, two] = stages();
    const run = [{ ...one, clusters: [done("a"), goingBack("b", 600)] } as RolloutStage, two as RolloutStage];
    const { log, way } = back(run, [fact("a"), fact("b", { ...BACK, health: BROKEN }), stuck]);
    expect(log).toEqual([]);
    expect(way).toEqual({
      kind: "Failed",
      message: `${message}; b is not back on the last good revision: ImagePullBackOff; a keeps what it has, as the last that serves`,
    });
  });

  test("is what the failure is about, once all the others are back", () => {
    const [one, two] = stages();
    const run = [
      { ...one, clusters: [goingBack("a", 1), planned("b", "RolledBack")] } as RolloutStage,
      two as RolloutStage,
    ];
    const { log, way } = back(run, [fact("a", BACK), fact("b", BACK), stuck]);
    expect(log).toEqual(["a: Applying -> RolledBack", "one: Succeeded -> RolledBack"]);
    expect(way).toEqual({ kind: "Failed", message });
  });

  test("takes nothing that serves nobody into account: such a copy goes back", () => {
    const [one, two] = stages();
    const run = [{ ...one, clusters: [done("a")] } as RolloutStage, two as RolloutStage];
    expect(back(run, [fact("a", { health: FAILED }), stuck]).log).toEqual(["a: Done -> Applying (RollingBack)"]);
  });
});

describe("the way back", () => {
  const done = (name: string) => planned(name, "Done");
  const of = (name: string, state: RolloutStage["state"], ...clusters: RolloutCluster[]): RolloutStage => ({
    name,
    state,
    clusters,
  });

  test("goes on with the stage before when one is back; stages that never began stay as they are", () => {
    const stages = [
      of("zero", "Succeeded"),
      of("one", "Succeeded", done("a")),
      of("two", "Failed", goingBack("b", 1)),
      of("three", "Waiting", planned("c", "Waiting")),
      { name: "four", state: "Waiting" } as const,
    ];
    const facts = [fact("a"), fact("b", BACK), fact("c", OLD)];
    const { log, way, stages: after } = back(stages, facts);
    expect(log).toEqual([
      "b: Applying -> RolledBack",
      "two: Failed -> RolledBack",
      "a: Done -> Applying (RollingBack)",
    ]);
    expect(way).toEqual({ kind: "Going" });
    expect(after.map(({ state }) => state)).toEqual(["Succeeded", "Succeeded", "RolledBack", "Waiting", "Waiting"]);
    const last = back([of("zero", "Succeeded"), of("one", "Succeeded", goingBack("a", 1))], [fact("a", BACK)]);
    expect([last.way, last.stages.map(({ state }) => state)]).toEqual([
      { kind: "RolledBack" },
      ["RolledBack", "RolledBack"],
    ]);
  });

  test.each<[string, RolloutCluster[], string[]]>([
    ["begin, the last ones first", [done("a"), done("b"), done("c")], ["c", "b"]],
    ["wait for those on their way", [done("a"), goingBack("b", 1), goingBack("c", 1)], []],
  ])("is gone by as many clusters at once as their stage allows: they %s", (_what, clusters, begun) => {
    const policy = { stages: [stage("one", { maxConcurrency: 2 })] };
    const { log } = back(
      [of("one", "Progressing", ...clusters)],
      ["a", "b", "c"].map((name) => fact(name)),
      policy,
    );
    expect(log).toEqual(begun.map((name) => `${name}: Done -> Applying (RollingBack)`));
  });

  test("is not held up by those that have nowhere to go: they take no place", () => {
    const policy = { stages: [stage("one", { maxConcurrency: 1 })] };
    const clusters = [done("a"), done("b"), planned("c", "Failed"), done("d")];
    const facts = [fact("a"), fact("b"), fact("c", { ...BACK, health: FAILED }), fact("d", UNREACHABLE)];
    expect(back([of("one", "Progressing", ...clusters)], facts, policy).log).toEqual([
      "d: Done -> Deferred (ClusterUnreachable)",
      "c: Failed -> RolledBack",
      "b: Done -> Applying (RollingBack)",
    ]);
  });
});
