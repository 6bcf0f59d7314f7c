import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import type { ClusterSnapshot } from "../../scheduler/index.ts";
import { judgeFailover } from "./judge.ts";
import { clusterAt as cluster, MINUTE, T } from "./testing.ts";
import type { FailoverInput } from "./types.ts";

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

  test("has its clock from the end of the hold: what comes back last is no more lost than what came back first", () => {
    const back = (name: string, ago: number): ClusterSnapshot =>
      cluster(name, undefined, { ready: { status: "True", since: T - ago } });
    const healing = [cluster("a", 20 * MINUTE), back("b", 5_000), back("c", 9_000)];
    const plan = judged({ clusters: healing });
    expect(plan.due).toEqual([]);
    expect(plan.leaving).toEqual([
      { cluster: "a", reason: "ClusterLost", since: T - 20 * MINUTE, at: T - 5_000 + MINUTE },
    ]);
    expect(plan.recheckAt).toBe(T + 55_000);
    expect(
      judged({ clusters: [cluster("a", 20 * MINUTE), back("b", MINUTE), back("c", 2 * MINUTE)] }).due,
    ).toHaveLength(1);
    // One that came back alone was not lost together with so many that nothing moved.
    const others = ["d", "e", "f", "g"].map((name) => cluster(name));
    expect(judged({ clusters: [cluster("a", 20 * MINUTE), back("b", 5_000), ...others] }).due).toHaveLength(1);
  });

  test("that was never there, as plan --without sees one, was not lost together with clusters that joined just now", () => {
    const fresh = { ready: { status: "True" as const, since: T - 5_000 } };
    const never = { ready: { status: "False" as const, since: 0 } };
    const clusters = [cluster("a", 0, never), cluster("b", undefined, fresh), cluster("c", undefined, fresh)];
    expect(judged({ clusters }).due).toHaveLength(1);
  });

  test("is not left before this process has found it lost, too", () => {
    const clusters = [cluster("a", MINUTE * 9), cluster("b"), cluster("c")];
    const untried = judged({ clusters, contacts: { isLost: () => false, isReached: () => false } });
    expect(untried).toMatchObject({ due: [], untried: ["a"], recheckAt: Number.POSITIVE_INFINITY });
    expect(untried.leaving).toHaveLength(1);
    const contacts = { isLost: (name: string) => name === "a", isReached: (name: string) => name !== "a" };
    expect(judged({ clusters, contacts })).toMatchObject({
      due: [{ cluster: "a" }],
      untried: [],
    });
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

test("an object returns only when this process has reached the cluster, too", () => {
  const departures = [{ cluster: "a", reason: "ClusterLost" as const, at: "2026-11-22T07:30:00Z" }];
  const well = [cluster("a"), cluster("b")];
  const at = (isReached: boolean) => {
    const contacts = { isLost: () => false, isReached: () => isReached };
    return judged({ departures, current: new Set(["b"]), clusters: well, contacts });
  };
  expect(at(false)).toMatchObject({ departures, untried: ["a"] });
  expect(at(false).barred.get("a")).toMatchObject({ reason: "AwaitingReturn" });
  expect(at(true)).toMatchObject({ departures: [], untried: [] });
});

describe("an object that another cluster does not cure", () => {
  const rules = { unhealthyAfter: "5m", returnAfter: "5m" };
  const ill = (...names: string[]) => new Map(names.map((name) => [name, T - 30 * MINUTE]));
  const departures = [{ cluster: "a", reason: "ObjectUnhealthy" as const, at: "2026-11-22T07:30:00Z" }];

  test("moves once: what is unhealthy after the move as well stays, and does not return while it is", () => {
    const plan = judged({ rules, departures, current: new Set(["b"]), unhealthySince: ill("b") });
    expect(plan).toMatchObject({ due: [], departures, incurable: ["b"], returning: [] });
    expect(plan.barred.get("a")).toMatchObject({ reason: "FailedOver" });
    const soon = new Map([["b", T - MINUTE]]);
    expect(judged({ rules, departures, current: new Set(["b"]), unhealthySince: soon })).toMatchObject({
      ...{ due: [], departures, incurable: [], leaving: [], recheckAt: T + 4 * MINUTE },
    });
    // It is well again, by a new image, say.
    expect(judged({ rules, departures, current: new Set(["b"]) })).toMatchObject({ departures: [], incurable: [] });
  });

  test("stays where it is unhealthy on all of its clusters", () => {
    const current = new Set(["a", "b"]);
    expect(judged({ rules, current, unhealthySince: ill("a", "b") })).toMatchObject({ due: [], incurable: ["a", "b"] });
    expect(judged({ rules, current, unhealthySince: ill("a") }).due).toMatchObject([{ cluster: "a" }]);
  });

  test("leaves a cluster that is lost all the same", () => {
    const clusters = [cluster("a"), cluster("b", MINUTE * 9), cluster("c"), cluster("d")];
    expect(
      judged({ rules, clusters, departures, current: new Set(["b"]), unhealthySince: ill("b") }).due,
    ).toMatchObject([{ cluster: "b", reason: "ClusterLost" }]);
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

/** What befell each cluster in the last half hour, as the seconds after which it was lost or came back; and what the hub knows of that at its end. */
const histories = fc.array(fc.uniqueArray(fc.integer({ min: 0, max: 1_800 }), { maxLength: 5 }), {
  minLength: 3,
  maxLength: 6,
});

property.prop([histories])("never leaves a cluster within a grace period of the end of a hold", (history) => {
  const start = T - 1_800_000;
  const changes = history.map((seconds) => seconds.toSorted((a, b) => a - b).map((second) => start + second * 1000));
  const isLostAt = (times: readonly number[], at: number): boolean =>
    times.filter((time) => time <= at).length % 2 === 1;
  const clusters = changes.map((times, i) =>
    cluster(names[i] ?? "", undefined, {
      ready: { status: isLostAt(times, T) ? "False" : "True", since: times.at(-1) ?? start - MINUTE },
    }),
  );
  const { due } = judged({ clusters, current: new Set(names) });
  const moments = [T - MINUTE + 1, ...changes.flat().filter((time) => time > T - MINUTE)];
  for (const at of moments) {
    const lost = changes.filter((times) => isLostAt(times, at)).length;
    if (lost / clusters.length > 0.34) expect(due).toEqual([]);
  }
});

property.prop([fleets, fc.subarray(names)])("says nothing new before the moment that it names", (lost, on) => {
  const clusters = lost.map((lostFor, i) => cluster(names[i] ?? "", lostFor));
  const at = (now: number) => {
    const input = { rules: { gracePeriod: "60s" }, departures: [], unhealthySince: new Map() };
    const { due, ...rest } = judgeFailover({ ...input, clusters, current: new Set(on) }, now);
    return { due: due.map((one) => one.cluster), ...rest };
  };
  const plan = at(T);
  expect(at(Math.min(plan.recheckAt, T + 20 * MINUTE) - 1)).toEqual(plan);
});
