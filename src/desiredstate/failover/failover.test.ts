import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import type { ClusterSnapshot } from "../../scheduler/index.ts";
import { judgeFailover } from "./judge.ts";
import type { FailoverInput } from "./types.ts";

const T = Date.parse("2026-11-22T08:00:00Z");
const MINUTE = 60_000;

const cluster = (name: string, lostFor?: number, more: Partial<ClusterSnapshot> = {}): ClusterSnapshot => ({
  name,
  labels: {},
  taints: [],
  deleting: false,
  local: false,
  ready: lostFor === undefined ? { status: "True", since: T - 3_600_000 } : { status: "False", since: T - lostFor },
  ...more,
});

function judged(more: Partial<FailoverInput>) {
  return judgeFailover(
    {
      rules: { gracePeriod: "60s", returnAfter: "10m" },
      clusters: [cluster("a"), cluster("b"), cluster("c")],
      current: new Set(["a"]),
      departures: [],
      unhealthySince: new Map(),
      ...more,
    },
    T,
  );
}

describe("a lost cluster", () => {
  test("is left when the grace period is over, and not a moment earlier", () => {
    const clusters = (lostFor: number) => [cluster("a", lostFor), cluster("b"), cluster("c")];
    const early = judged({ clusters: clusters(59_000) });
    expect(early.due).toEqual([]);
    expect(early.leaving).toEqual([{ cluster: "a", reason: "ClusterLost", since: T - 59_000, at: T + 1_000 }]);
    expect(early.recheckAt).toBe(T + 1_000);
    expect(judged({ clusters: clusters(60_000) }).due).toEqual([
      { cluster: "a", reason: "ClusterLost", at: "2026-11-22T08:00:00Z" },
    ]);
  });

  test("on which the object does not run has no clock", () => {
    expect(judged({ clusters: [cluster("a"), cluster("b", MINUTE * 9), cluster("c")] })).toMatchObject({
      due: [],
      leaving: [],
    });
  });

  test("is kept while more than a third are lost at once", () => {
    const plan = judged({ clusters: [cluster("a", MINUTE * 9), cluster("b", MINUTE), cluster("c")] });
    expect(plan.due).toEqual([]);
    expect(plan.held).toEqual({ lost: ["a", "b"], of: 3 });
  });

  test("that is being removed does not count", () => {
    const plan = judged({
      clusters: [cluster("a", MINUTE * 9), cluster("b", MINUTE, { deleting: true }), cluster("c"), cluster("d")],
    });
    expect(plan.due).toHaveLength(1);
  });

  test("takes the object back when it has been well for long enough; a new loss begins anew", () => {
    const departures = [{ cluster: "a", reason: "ClusterLost" as const, at: "2026-11-22T07:30:00Z" }];
    const well = (since: number) => [cluster("a", undefined, { ready: { status: "True", since } }), cluster("b")];
    const soon = judged({ departures, current: new Set(["b"]), clusters: well(T - 9 * MINUTE) });
    expect(soon.barred.get("a")).toMatchObject({ reason: "AwaitingReturn" });
    expect(soon.returning).toEqual([{ cluster: "a", at: T + MINUTE }]);
    expect(judged({ departures, current: new Set(["b"]), clusters: well(T - 10 * MINUTE) })).toMatchObject({
      departures: [],
      recheckAt: Number.POSITIVE_INFINITY,
    });
    const lostAgain = judged({ departures, current: new Set(["b"]), clusters: [cluster("a", 1_000), cluster("b")] });
    expect(lostAgain.barred.get("a")).toMatchObject({ reason: "FailedOver" });
    expect(lostAgain.recheckAt).toBe(Number.POSITIVE_INFINITY);
  });
});

test("an unhealthy object leaves a cluster that answers only where the policy says so", () => {
  const unhealthySince = new Map([["a", T - 5 * MINUTE]]);
  expect(judged({ unhealthySince }).due).toEqual([]);
  expect(judged({ unhealthySince, rules: { unhealthyAfter: "5m" } }).due).toEqual([
    { cluster: "a", reason: "ObjectUnhealthy", at: "2026-11-22T08:00:00Z" },
  ]);
});

const names = ["a", "b", "c", "d", "e", "f"];
const fleets = fc.array(fc.option(fc.nat(20 * MINUTE), { nil: undefined }), { minLength: 1, maxLength: 6 });

property.prop([fleets, fc.subarray(names)])(
  "never leaves a lost cluster while more than a third are lost",
  (lost, on) => {
    const clusters = lost.map((lostFor, i) => cluster(names[i] ?? "", lostFor));
    const { due } = judged({ clusters, current: new Set(on) });
    const share = lost.filter((lostFor) => lostFor !== undefined).length / lost.length;
    if (share > 0.34) expect(due).toEqual([]);
    for (const { cluster: name } of due) expect(on).toContain(name);
  },
);
