import { describe, expect, test } from "vitest";
import { ago, BROKEN, fact, FAILED, GOOD, look, OLD, planned, stage, UNCHANGED, UNKNOWN } from "./testing.ts";
import type { RolloutCluster, RolloutFacts, RolloutHealth } from "./types.ts";

const SLOW: RolloutHealth = { state: "Progressing", available: 0, desired: 2 };
const BAD: RolloutHealth = { state: "Failed", available: 0, desired: 2 };
const UNREACHABLE = { inContact: false } as const;

/** A stage that has begun; a second cluster keeps it from being over. */
function oneOf(cluster: RolloutCluster, known: Partial<RolloutFacts> | undefined, isHeld = false) {
  return look({
    stages: [{ name: "all", state: "Progressing", clusters: [cluster, planned("z", "Applying", { since: ago(1) })] }],
    facts: [...(known === undefined ? [] : [fact("a", known)]), fact("z", { ...OLD })],
    isHeld,
  });
}

describe("a cluster that has left", () => {
  test.each(["Waiting", "Applying", "Verifying", "Deferred", "Failed"] as const)("is skipped: one %s", (state) =>
    expect(oneOf(planned("a", state, { since: ago(1) }), undefined).clusters["a"]).toStrictEqual(
      planned("a", "Skipped", { reason: "ClusterLeft" }),
    ),
  );

  test.each([planned("a", "Done"), planned("a", "Skipped", { reason: "ClusterUnreachable" })])(
    "stays as it is where its turn is over: $state",
    (cluster) => expect(oneOf(cluster, undefined).clusters["a"]).toStrictEqual(cluster),
  );
});

describe("a cluster whose turn has not come", () => {
  test.each<[string, RolloutCluster, Partial<RolloutFacts>, RolloutCluster]>([
    [
      "is deferred when it cannot be reached",
      planned("a", "Waiting"),
      { ...OLD, ...UNREACHABLE },
      planned("a", "Deferred", { reason: "ClusterUnreachable", since: ago(0) }),
    ],
    ["waits while it can be reached", planned("a", "Waiting"), OLD, planned("a", "Waiting")],
    [
      "waits again when it is back",
      planned("a", "Deferred", { reason: "ClusterUnreachable", since: ago(60) }),
      OLD,
      planned("a", "Waiting"),
    ],
    [
      "stays deferred while it cannot be reached",
      planned("a", "Deferred", { reason: "ClusterUnreachable", since: ago(60) }),
      { ...OLD, ...UNREACHABLE },
      planned("a", "Deferred", { reason: "ClusterUnreachable", since: ago(60) }),
    ],
  ])("%s", (_what, cluster, known, want) => expect(oneOf(cluster, known, true).clusters["a"]).toStrictEqual(want));

  test("is looked at in the stages to come as well", () => {
    const { clusters, log } = look({
      stages: [
        { name: "one", state: "Progressing", clusters: [planned("a", "Applying", { since: ago(1) })] },
        { name: "two", state: "Waiting", clusters: [planned("b", "Waiting")] },
        { name: "three", state: "Waiting", clusters: [planned("c", "Waiting"), planned("d", "Waiting")] },
        { name: "four", state: "Waiting" },
      ],
      facts: [fact("a", OLD), fact("b", { ...OLD, ...UNREACHABLE }), fact("c", OLD)],
    });
    expect(log).toEqual(["b: Waiting -> Deferred (ClusterUnreachable)", "d: Waiting -> Skipped (ClusterLeft)"]);
    expect(clusters["c"]?.state).toBe("Waiting");
  });
});

describe("a cluster that has its turn", () => {
  const SINCE = ago(60);
  const LATE = ago(600);
  test.each<[string, RolloutCluster, Partial<RolloutFacts>, RolloutCluster, string[]]>([
    [
      "is done when it is healthy, by way of being verified",
      planned("a", "Applying", { since: SINCE }),
      {},
      planned("a", "Done"),
      ["a: Applying -> Verifying", "a: Verifying -> Done"],
    ],
    [
      "is done when it is healthy",
      planned("a", "Verifying", { since: LATE, reason: "HealthUnknown" }),
      {},
      planned("a", "Done"),
      ["a: Verifying -> Done"],
    ],
    [
      "is verified from when it has the new revision",
      planned("a", "Applying", { since: SINCE }),
      { health: BROKEN },
      planned("a", "Verifying", { since: ago(0) }),
      ["a: Applying -> Verifying"],
    ],
    [
      "is not verified where nobody can look",
      planned("a", "Applying", { since: SINCE }),
      UNREACHABLE,
      planned("a", "Applying", { since: SINCE, reason: "HealthUnknown" }),
      [],
    ],
    [
      "is being written for as long as it has not the new revision",
      planned("a", "Applying", { since: SINCE, reason: "Forbidden" }),
      { ...OLD, health: BROKEN },
      planned("a", "Applying", { since: SINCE }),
      [],
    ],
    [
      "says why it cannot be written",
      planned("a", "Applying", { since: SINCE }),
      { ...OLD, error: "Forbidden" },
      planned("a", "Applying", { since: SINCE, reason: "Forbidden" }),
      [],
    ],
    [
      "says that its health is not known",
      planned("a", "Verifying", { since: SINCE }),
      { health: { ...UNKNOWN, reason: "Other" } },
      planned("a", "Verifying", { since: SINCE, reason: "HealthUnknown" }),
      [],
    ],
    [
      "has failed at once where it says so",
      planned("a", "Verifying", { since: SINCE }),
      { health: FAILED },
      planned("a", "Failed", { reason: "ProgressDeadlineExceeded" }),
      ["a: Verifying -> Failed (ProgressDeadlineExceeded)"],
    ],
    [
      "has failed, though it does not say why",
      planned("a", "Verifying", { since: SINCE }),
      { health: BAD },
      planned("a", "Failed", { reason: "Unhealthy" }),
      ["a: Verifying -> Failed (Unhealthy)"],
    ],
    [
      "has failed when its time is over, for what is wrong",
      planned("a", "Verifying", { since: LATE }),
      { health: BROKEN },
      planned("a", "Failed", { reason: "ImagePullBackOff" }),
      ["a: Verifying -> Failed (ImagePullBackOff)"],
    ],
    [
      "has failed when its time is over, for that alone",
      planned("a", "Verifying", { since: LATE }),
      { health: SLOW },
      planned("a", "Failed", { reason: "GateTimeout" }),
      ["a: Verifying -> Failed (GateTimeout)"],
    ],
    [
      "is deferred when its time is over and it cannot be reached",
      planned("a", "Verifying", { since: LATE }),
      { health: BROKEN, ...UNREACHABLE },
      planned("a", "Deferred", { reason: "ClusterUnreachable", since: ago(0) }),
      ["a: Verifying -> Deferred (ClusterUnreachable)"],
    ],
  ])("%s", (_what, cluster, known, want, noted) => {
    const { clusters, log } = oneOf(cluster, known);
    expect(clusters["a"]).toStrictEqual(want);
    expect(log.filter((line) => line.startsWith("a:"))).toEqual(noted);
  });

  test("is looked at again when its time is over", () =>
    expect(oneOf(planned("a", "Verifying", { since: ago(590) }), { health: BROKEN }).recheckAfter).toBe(10));

  test.each<[string, "Applying" | "Verifying", Partial<RolloutFacts>, string, string]>([
    ["why it cannot be written", "Applying", { ...OLD, error: "Forbidden" }, "Forbidden", "Forbidden"],
    ["that its health is not known", "Verifying", { health: UNKNOWN }, "HealthUnknown", "HealthUnknown"],
    ["what is wrong", "Applying", { ...OLD, health: BROKEN }, "ImagePullBackOff", "ImagePullBackOff"],
    ["that it was not written", "Applying", OLD, "NotWritten", "not applied"],
  ])("is no failure where nobody can say, and says %s", (_what, state, known, reason, why) => {
    const { clusters, progress, log } = oneOf(planned("a", state, { since: LATE }), known);
    expect(clusters["a"]?.reason).toBe(reason);
    expect(progress).toEqual({ kind: "Waits", pause: "Unknown", message: `stage all: a: ${why} after 10m` });
    expect(log.filter((line) => line.includes("Failed"))).toEqual([]);
  });

  test("may take as long as the policy says", () => {
    const { progress } = look({
      policy: { gate: { timeout: "30s" } },
      stages: [{ name: "all", state: "Progressing", clusters: [planned("a", "Applying", { since: ago(30) })] }],
      facts: [fact("a", OLD)],
    });
    expect(progress).toMatchObject({ message: "stage all: a: not applied after 30s" });
  });

  test.each(["Waiting", "Skipped", "RolledBack"] as const)("is none that is %s", (state) =>
    expect(oneOf(planned("a", state), { health: FAILED }, true)).toMatchObject({
      clusters: { a: planned("a", state) },
      log: [],
    }),
  );
});

describe("a cluster that was done", () => {
  test.each<[string, RolloutHealth, string]>([
    ["for what is wrong", FAILED, "ProgressDeadlineExceeded"],
    ["though nobody says why", BAD, "Unhealthy"],
  ])("has failed after all when it fails before its stage is over, %s", (_what, health, reason) =>
    expect(oneOf(planned("a", "Done"), { health }).clusters["a"]).toStrictEqual(planned("a", "Failed", { reason })),
  );

  test.each<[string, Partial<RolloutFacts> | undefined]>([
    ["is only on its way", { health: BROKEN }],
    ["is as it was before the run", { ...UNCHANGED, health: FAILED }],
    ["has the last good revision again", { ...OLD, health: FAILED }],
    ["has left", undefined],
  ])("is done still where it %s", (_what, known) =>
    expect(oneOf(planned("a", "Done"), known).clusters["a"]).toStrictEqual(planned("a", "Done")),
  );
});

describe("the clusters of a stage that begin", () => {
  const begun = (maxConcurrency: number, clusters: RolloutCluster[], facts: RolloutFacts[], isHeld = false) =>
    look({
      policy: { stages: [stage("all", { maxConcurrency })] },
      stages: [{ name: "all", state: "Progressing", clusters }],
      facts,
      isHeld,
    });
  const old = (...names: string[]): RolloutFacts[] => names.map((name) => fact(name, OLD));
  const waiting = (...names: string[]): RolloutCluster[] => names.map((name) => planned(name, "Waiting"));

  test("are as many as may change at once, in the order of the plan", () => {
    const { clusters, log, progress } = begun(2, waiting("a", "b", "c"), old("a", "b", "c"));
    expect(log).toEqual(["a: Waiting -> Applying", "b: Waiting -> Applying"]);
    expect(clusters["a"]).toStrictEqual(planned("a", "Applying", { since: ago(0) }));
    expect(progress).toEqual({ kind: "Going" });
  });

  test.each<[string, RolloutCluster, Partial<RolloutFacts>, boolean]>([
    ["is written", planned("a", "Applying", { since: ago(1) }), OLD, true],
    ["is verified", planned("a", "Verifying", { since: ago(1) }), { health: BROKEN }, true],
    ["was deferred just now", planned("a", "Deferred", { since: ago(599) }), UNREACHABLE, true],
    ["was deferred long ago", planned("a", "Deferred", { since: ago(600) }), UNREACHABLE, false],
    ["is done", planned("a", "Done"), {}, false],
    ["was skipped", planned("a", "Skipped"), {}, false],
  ])("are fewer by one that %s", (_what, cluster, known, takesPlace) => {
    const { clusters } = begun(1, [cluster, ...waiting("b", "c")], [fact("a", known), ...old("b", "c")]);
    expect([clusters["b"]?.state, clusters["c"]?.state]).toEqual([takesPlace ? "Waiting" : "Applying", "Waiting"]);
  });

  test("are looked at again when a deferred one gives up its place", () => {
    const deferred = planned("a", "Deferred", { since: ago(590) });
    expect(begun(1, [deferred, ...waiting("b")], [fact("a", UNREACHABLE), ...old("b")]).recheckAfter).toBe(10);
  });

  test("are all of those for which nothing changes, or that have it already: they take no place", () => {
    const facts = [fact("a", OLD), fact("b", UNCHANGED), fact("c", { health: BROKEN }), fact("d", OLD)];
    expect(begun(1, waiting("a", "b", "c", "d"), facts).log).toEqual([
      "a: Waiting -> Applying",
      "b: Waiting -> Done",
      "c: Waiting -> Verifying",
    ]);
  });

  test("are none while the run is held, and what has begun goes on", () => {
    const facts = [fact("a"), fact("b", UNCHANGED), fact("c", OLD)];
    const { log, progress } = begun(3, [planned("a", "Applying"), ...waiting("b", "c")], facts, true);
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
  const deferred = (name: string) => planned(name, "Deferred", { since: ago(60), reason: "ClusterUnreachable" });

  test("get their turn, as many at once as may change", () => {
    const facts = [fact("a", UNREACHABLE), fact("b", OLD), fact("c", OLD), fact("d", OLD)];
    const { log, clusters, progress } = late(2, ["a", "b", "c", "d"].map(deferred), facts);
    expect(log).toEqual(["b: Deferred -> Applying", "c: Deferred -> Applying"]);
    expect(clusters["a"]).toStrictEqual(deferred("a"));
    expect(clusters["b"]).toStrictEqual(planned("b", "Applying", { since: ago(0) }));
    expect(progress).toEqual({ kind: "Succeeded" });
  });

  test.each<[string, RolloutCluster, Partial<RolloutFacts>]>([
    ["written", planned("a", "Applying", { since: ago(1) }), OLD],
    ["verified", planned("a", "Verifying", { since: ago(1) }), { health: BROKEN }],
  ])("wait for one that is being %s, unless they have the new revision already", (_what, cluster, known) => {
    const facts = [fact("a", known), fact("b", OLD), fact("c", { health: BROKEN })];
    expect(late(1, [cluster, deferred("b"), deferred("c")], facts).log).toEqual(["c: Deferred -> Verifying"]);
  });

  test("take no place of others when they have the new revision already", () => {
    const facts = [fact("a", { health: BROKEN }), fact("b", OLD), fact("c", OLD)];
    expect(late(1, ["a", "b", "c"].map(deferred), facts).log).toEqual([
      "a: Deferred -> Verifying",
      "b: Deferred -> Applying",
    ]);
  });

  test("go on when they have had their turn, and one that has left is skipped", () => {
    const clusters = [planned("a", "Applying", { since: ago(1) }), deferred("b"), planned("c", "Done")];
    expect(late(1, clusters, [fact("a", { health: GOOD })]).log).toEqual([
      "b: Deferred -> Skipped (ClusterLeft)",
      "a: Applying -> Verifying",
      "a: Verifying -> Done",
    ]);
  });

  test("do not begin while the run is held, and go on when they have", () => {
    const clusters = [planned("a", "Verifying", { since: ago(1) }), deferred("b")];
    expect(late(2, clusters, [fact("a"), fact("b", OLD)], true).log).toEqual(["a: Verifying -> Done"]);
  });
});
