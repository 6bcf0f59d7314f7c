import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import type { RolloutStatus } from "../apis/index.ts";
import { Draft } from "./draft.ts";
import type { RolloutCluster, RolloutClusterState } from "./types.ts";

const NOW = Date.parse("2026-11-22T08:00:00Z");
const EARLIER = "2026-11-22T07:00:00Z";
const AT = "2026-11-22T08:00:00Z";
const status = (more: Partial<RolloutStatus> = {}): RolloutStatus => ({
  state: "Progressing",
  revision: 3,
  since: EARLIER,
  ...more,
});

describe("a draft", () => {
  test("names the clusters that a stage fails for: those that have failed, or else those that are not done", () => {
    const reasonFor = (...clusters: RolloutCluster[]): string | undefined => {
      const draft = new Draft(status(), NOW);
      draft.stage({ name: "one", state: "Progressing", clusters }, "Failed");
      return draft.transitions[0]?.reason;
    };
    const [done, late]: [RolloutCluster, RolloutCluster] = [
      { name: "a", state: "Done" },
      { name: "b", state: "Applying" },
    ];
    const failed: RolloutCluster = { name: "c", state: "Failed", reason: "Unhealthy" };
    expect([reasonFor(done, late, failed), reasonFor(done, late), reasonFor(done)]).toEqual([
      "c: Unhealthy",
      "b: Applying",
      undefined,
    ]);
  });
});

describe("a change of the run", () => {
  test.each<[string, Partial<RolloutStatus>, Parameters<Draft["run"]>, Partial<RolloutStatus>, unknown[]]>([
    [
      "into another state is noted, with the time",
      {},
      ["Succeeded"],
      { state: "Succeeded", since: AT },
      [{ of: "Run", from: "Progressing", to: "Succeeded", revision: 3 }],
    ],
    [
      "has a reason and a message",
      {},
      ["Paused", "Gate", "one waits"],
      { state: "Paused", reason: "Gate", message: "one waits", since: AT },
      [{ of: "Run", from: "Progressing", to: "Paused", reason: "Gate", revision: 3 }],
    ],
    [
      "for another reason is one, too",
      { state: "Paused", reason: "Gate", message: "one waits" },
      ["Paused", "Failures", "one failed"],
      { state: "Paused", reason: "Failures", message: "one failed", since: AT },
      [{ of: "Run", from: "Paused", to: "Paused", reason: "Failures", revision: 3 }],
    ],
    [
      "is none where state and reason are the same: the message may be another",
      { state: "Paused", reason: "Gate", message: "one waits" },
      ["Paused", "Gate", "two waits"],
      { state: "Paused", reason: "Gate", message: "two waits" },
      [],
    ],
  ])("%s", (_what, before, call, after, noted) => {
    const draft = new Draft(status(before), NOW);
    draft.run(...call);
    expect(draft.status).toStrictEqual(status(after));
    expect(draft.transitions).toStrictEqual(noted);
  });
});

describe("a change of a cluster", () => {
  const cluster = (more: Partial<RolloutCluster> = {}): RolloutCluster => ({ name: "a", state: "Waiting", ...more });

  test.each<[RolloutClusterState, boolean]>([
    ["Applying", true],
    ["Verifying", true],
    ["Deferred", true],
    ["Done", false],
    ["Failed", false],
    ["Skipped", false],
    ["RolledBack", false],
  ])("into %s is noted, and whether a clock runs from now on: %s", (to, hasClock) => {
    const draft = new Draft(status(), NOW);
    const one = cluster({ since: EARLIER, reason: "Before" });
    draft.cluster(one, to);
    expect(one).toStrictEqual({ name: "a", state: to, ...(hasClock ? { since: AT } : {}) });
    expect(draft.transitions).toStrictEqual([{ of: "Cluster", name: "a", from: "Waiting", to, revision: 3 }]);
  });

  test("is none where the state is the same: the clock runs on, the reason may be another", () => {
    const draft = new Draft(status(), NOW);
    const one = cluster({ state: "Verifying", since: EARLIER });
    draft.cluster(one, "Verifying", "HealthUnknown");
    expect(one).toStrictEqual({ name: "a", state: "Verifying", since: EARLIER, reason: "HealthUnknown" });
    draft.cluster(one, "Verifying");
    expect(one).toStrictEqual({ name: "a", state: "Verifying", since: EARLIER });
    expect(draft.transitions).toEqual([]);
    draft.restartClock(one);
    expect(one.since).toBe(AT);
  });
});

describe("the clock of a draft", () => {
  test.each<[string, string | undefined, number, boolean, number]>([
    ["has run out", EARLIER, 3_600_000, true, Number.POSITIVE_INFINITY],
    ["begins now, where nobody started it", undefined, 5_000, false, NOW + 5_000],
  ])("%s", (_what, since, milliseconds, want, recheckAt) => {
    const draft = new Draft(status(), NOW);
    expect(draft.hasPassed(since, milliseconds)).toBe(want);
    expect(draft.recheckAt).toBe(recheckAt);
  });

  property.prop([fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1 })])(
    "rings for the first of several that have not run out",
    (waits) => {
      const draft = new Draft(status(), NOW);
      for (const wait of waits) draft.hasPassed(AT, wait);
      draft.hasPassed(EARLIER, 1);
      expect(draft.recheckAt).toBe(NOW + Math.min(...waits));
    },
  );
});
