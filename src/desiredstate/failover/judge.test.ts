import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import type { ClusterSnapshot } from "../../scheduler/index.ts";
import { judgeFailover } from "./judge.ts";
import { clusterAt as cluster, MINUTE, T } from "./testing.ts";
import type { Departure, FailoverInput, FailoverPlan } from "./types.ts";

/** The clocks of failover to the moment, and all that a plan says. */

const judged = (more: Partial<FailoverInput>, now = T): FailoverPlan =>
  judgeFailover(
    {
      rules: {},
      clusters: [cluster("a"), cluster("b"), cluster("c")],
      current: new Set(["a"]),
      departures: [],
      unhealthySince: new Map(),
      ...more,
    },
    now,
  );
const NEVER = Number.POSITIVE_INFINITY;
const NOTHING: FailoverPlan = {
  due: [],
  barred: new Map(),
  departures: [],
  leaving: [],
  untried: [],
  returning: [],
  incurable: [],
  recheckAt: NEVER,
};
const lostA = (lostFor: number): ClusterSnapshot[] => [cluster("a", lostFor), cluster("b"), cluster("c")];
const left = (minutesAgo: number, reason: Departure["reason"] = "ClusterLost"): Departure => ({
  cluster: "a",
  reason,
  at: new Date(T - minutesAgo * MINUTE).toISOString().replace(".000Z", "Z"),
});

test("where every cluster is well nothing is to be done, ever", () => expect(judged({})).toEqual(NOTHING));

describe("unless the policy says otherwise", () => {
  test("a lost cluster is left after five minutes", () => {
    const since = T - 5 * MINUTE + 1;
    expect(judged({ clusters: lostA(5 * MINUTE - 1) })).toEqual({
      ...NOTHING,
      leaving: [{ cluster: "a", reason: "ClusterLost", since, at: T + 1 }],
      recheckAt: T + 1,
    });
    expect(judged({ clusters: lostA(5 * MINUTE) })).toEqual({
      ...NOTHING,
      due: [{ cluster: "a", reason: "ClusterLost", at: "2026-11-22T08:00:00Z" }],
    });
  });

  test("an object returns five minutes after its cluster did", () => {
    const back = (ago: number) =>
      judged({
        departures: [left(30)],
        current: new Set(["b"]),
        clusters: [cluster("a", undefined, { ready: { status: "True", since: T - ago } }), cluster("b")],
      });
    expect(back(5 * MINUTE)).toEqual(NOTHING);
    expect(back(5 * MINUTE - 1)).toEqual({
      ...NOTHING,
      departures: [left(30)],
      barred: new Map([
        [
          "a",
          {
            reason: "AwaitingReturn",
            message: "left at 2026-11-22T07:30:00Z: the cluster was lost; it may return at 2026-11-22T08:00:00Z",
            remedy: "wait, or shorten failover.returnAfter",
          },
        ],
      ]),
      returning: [{ cluster: "a", at: T + 1 }],
      recheckAt: T + 1,
    });
  });

  test.each([
    [1, 2, true],
    [1, 3, false],
    [17, 50, false],
    [18, 50, true],
  ])("nothing moves while more than 34 of 100 are lost: %i of %i", (lost, of, isHeld) => {
    const clusters = Array.from({ length: of }, (_, i) => cluster(`c${i}`, i < lost ? 9 * MINUTE : undefined));
    const { held, due } = judged({ clusters, current: new Set(["c0"]) });
    const names = clusters.slice(0, lost).map(({ name }) => name);
    expect(held).toEqual(isHeld ? { lost: names, of } : undefined);
    expect(due).toHaveLength(isHeld ? 0 : 1);
  });
});

describe("the share of lost clusters at which nothing moves", () => {
  test("is what the policy says", () => {
    const clusters = lostA(9 * MINUTE);
    expect(judged({ clusters, rules: { maxUnhealthyClusters: "33%" } })).toEqual({
      ...NOTHING,
      held: { lost: ["a"], of: 3 },
    });
    expect(judged({ clusters: clusters.slice(0, 2), rules: { maxUnhealthyClusters: "50%" } }).due).toHaveLength(1);
  });

  test("does not keep an object that is unhealthy on a cluster that answers", () => {
    const clusters = [cluster("a"), cluster("b", MINUTE), cluster("c", MINUTE)];
    const { due } = judged({
      clusters,
      rules: { unhealthyAfter: "5m" },
      unhealthySince: new Map([["a", T - 9 * MINUTE]]),
    });
    expect(due).toMatchObject([{ cluster: "a", reason: "ObjectUnhealthy" }]);
  });
});

test("a cluster of which nothing has been said yet is not lost", () => {
  const { ready: _, ...unheard } = cluster("a");
  expect(judged({ clusters: [unheard, cluster("b")] })).toEqual(NOTHING);
  expect(judged({ clusters: [unheard, cluster("b")], departures: [left(5)] })).toEqual(NOTHING);
  expect(judged({ clusters: [unheard, cluster("b")], departures: [left(4)] }).recheckAt).toBe(T + MINUTE);
});

describe("an object that has left a cluster", () => {
  test("does not return while the cluster is lost, and says what to do", () => {
    const plan = judged({ departures: [left(9)], current: new Set(["b"]), clusters: lostA(9 * MINUTE) });
    expect(plan).toEqual({
      ...NOTHING,
      departures: [left(9)],
      barred: new Map([
        [
          "a",
          {
            reason: "FailedOver",
            message: "left at 2026-11-22T07:51:00Z: the cluster was lost",
            remedy: "bring a back; the object may return once the cluster has been ready for failover.returnAfter",
          },
        ],
      ]),
    });
  });

  const well = { current: new Set(["b"]), clusters: [cluster("a"), cluster("b")] };

  test("returns after a delay of its own, and for being unhealthy however long the cluster has been well", () => {
    expect(judged({ ...well, departures: [left(2)], rules: { returnAfter: "2m" } })).toEqual(NOTHING);
    expect(judged({ ...well, departures: [left(2)], rules: { returnAfter: "3m" } }).recheckAt).toBe(T + MINUTE);
    const clusters = [cluster("a", undefined, { ready: { status: "True", since: T - 1 } }), cluster("b")];
    expect(judged({ clusters, departures: [left(5, "ObjectUnhealthy")] })).toEqual(NOTHING);
  });

  test("waits for this process only once its time has come", () => {
    const contacts = { isLost: () => false, isReached: () => false };
    const returning = [{ cluster: "a", at: T + MINUTE }];
    expect(judged({ ...well, contacts, departures: [left(4)] })).toMatchObject({ untried: [], returning });
    expect(judged({ ...well, contacts, departures: [left(5)] })).toMatchObject({ untried: ["a"], returning: [] });
  });
});

describe("an unhealthy object", () => {
  const rules = { unhealthyAfter: "5m" };
  const since = (minutes: number, ...names: string[]) => new Map(names.map((name) => [name, T - minutes * MINUTE]));

  test("is not cured elsewhere where all of its clusters have it, and says when that is certain", () => {
    const current = new Set(["a", "b"]);
    expect(judged({ rules, current, unhealthySince: since(5, "a", "b") })).toEqual({
      ...NOTHING,
      incurable: ["a", "b"],
    });
    expect(judged({ rules, current, unhealthySince: since(4, "a", "b") })).toEqual({
      ...NOTHING,
      recheckAt: T + MINUTE,
    });
    const early = new Map([...since(1, "a"), ...since(3, "b")]);
    expect(judged({ rules, current, unhealthySince: early }).recheckAt).toBe(T + 2 * MINUTE);
  });

  test("that had left for a loss is not incurable, and what is lost does not count as ill", () => {
    const current = new Set(["b"]);
    expect(judged({ rules, current, departures: [left(1)], unhealthySince: since(5, "b") }).due).toHaveLength(1);
    const clusters = [cluster("a"), cluster("b", MINUTE), cluster("c"), cluster("d")];
    const both = { rules, clusters, current: new Set(["a", "b"]) };
    expect(judged({ ...both, unhealthySince: since(5, "a", "b") }).due).toMatchObject([{ cluster: "a" }]);
  });
});

test("an unhealthy object leaves only where the policy says so, and waits for no turn and no contact", () => {
  const unhealthySince = new Map([["a", T - 5 * MINUTE]]);
  const contacts = { isLost: () => false, isReached: () => true };
  const due = (rules: FailoverInput["rules"]) => judged({ rules, unhealthySince, turnAt: T + 1, contacts }).due;
  expect([due({}), due({ unhealthyAfter: "5m" })]).toMatchObject([[], [{ cluster: "a" }]]);
});

test("a cluster whose state is unknown is lost, too", () => {
  const unknown = cluster("a", undefined, { ready: { status: "Unknown", since: T - 9 * MINUTE } });
  expect(judged({ clusters: [unknown, cluster("b"), cluster("c")] }).due).toHaveLength(1);
});

test("that too many are lost is told only where the object runs on one of them and has not left it", () => {
  const clusters = [cluster("a", 9 * MINUTE), cluster("b", 9 * MINUTE), cluster("c")];
  expect(judged({ clusters, current: new Set(["c"]) })).toEqual(NOTHING);
  expect(judged({ clusters, departures: [left(9)] })).not.toHaveProperty("held");
  expect(judged({ clusters })).toHaveProperty("held");
});

test("a cluster that is being deleted is none of those that are lost at once", () => {
  const deleting = cluster("b", MINUTE, { deleting: true });
  expect(judged({ clusters: [cluster("a", 9 * MINUTE), deleting, cluster("c"), cluster("d")] }).due).toHaveLength(1);
});

describe("a turn", () => {
  const clusters = lostA(9 * MINUTE);

  test("is waited for when the time has come", () => {
    expect(judged({ clusters, turnAt: T + 1 })).toEqual({
      ...NOTHING,
      leaving: [{ cluster: "a", reason: "ClusterLost", since: T - 9 * MINUTE, at: T + 1, waitsForTurn: true }],
      recheckAt: T + 1,
    });
    expect(judged({ clusters, turnAt: T }).due).toHaveLength(1);
  });
});

/** With delays that differ from those where the policy says nothing. */
const soon = (more: Partial<FailoverInput>): FailoverPlan =>
  judged({ rules: { gracePeriod: "60s", returnAfter: "10m" }, ...more });

describe("a lost cluster", () => {
  test("has its clock from the end of the hold: what comes back last is no more lost than what came back first", () => {
    const back = (name: string, ago: number): ClusterSnapshot =>
      cluster(name, undefined, { ready: { status: "True", since: T - ago } });
    const healing = [cluster("a", 20 * MINUTE), back("b", 5_000), back("c", 9_000)];
    const plan = soon({ clusters: healing });
    expect(plan.due).toEqual([]);
    expect(plan.leaving).toEqual([
      { cluster: "a", reason: "ClusterLost", since: T - 20 * MINUTE, at: T - 5_000 + MINUTE },
    ]);
    expect(plan.recheckAt).toBe(T + 55_000);
    expect(soon({ clusters: [cluster("a", 20 * MINUTE), back("b", MINUTE), back("c", 2 * MINUTE)] }).due).toHaveLength(
      1,
    );
    // One that came back alone was not lost together with so many that nothing moved.
    const others = ["d", "e", "f", "g"].map((name) => cluster(name));
    expect(soon({ clusters: [cluster("a", 20 * MINUTE), back("b", 5_000), ...others] }).due).toHaveLength(1);
  });

  test("is not left before this process has found it lost, too", () => {
    const clusters = [cluster("a", MINUTE * 9), cluster("b"), cluster("c")];
    const untried = soon({ clusters, contacts: { isLost: () => false, isReached: () => false } });
    expect(untried).toMatchObject({ due: [], untried: ["a"], recheckAt: Number.POSITIVE_INFINITY });
    expect(untried.leaving).toHaveLength(1);
    const contacts = { isLost: (name: string) => name === "a", isReached: (name: string) => name !== "a" };
    expect(soon({ clusters, contacts })).toMatchObject({
      due: [{ cluster: "a" }],
      untried: [],
    });
  });
});

describe("an object that another cluster does not cure", () => {
  const rules = { unhealthyAfter: "5m", returnAfter: "5m" };
  const ill = (...names: string[]) => new Map(names.map((name) => [name, T - 30 * MINUTE]));
  const departures = [{ cluster: "a", reason: "ObjectUnhealthy" as const, at: "2026-11-22T07:30:00Z" }];

  test("moves once: what is unhealthy after the move as well stays, and does not return while it is", () => {
    const plan = soon({ rules, departures, current: new Set(["b"]), unhealthySince: ill("b") });
    expect(plan).toMatchObject({ due: [], departures, incurable: ["b"], returning: [] });
    expect(plan.barred.get("a")).toMatchObject({ reason: "FailedOver" });
    const fresh = new Map([["b", T - MINUTE]]);
    expect(soon({ rules, departures, current: new Set(["b"]), unhealthySince: fresh })).toMatchObject({
      ...{ due: [], departures, incurable: [], leaving: [], recheckAt: T + 4 * MINUTE },
    });
    // It is well again, by a new image, say.
    expect(soon({ rules, departures, current: new Set(["b"]) })).toMatchObject({ departures: [], incurable: [] });
  });
});

const NAMES = ["a", "b", "c", "d", "e", "f"];
const fleets = fc.array(fc.option(fc.nat(20 * MINUTE), { nil: undefined }), { minLength: 1, maxLength: 6 });

property.prop([fleets, fc.subarray(NAMES)])(
  "never leaves a lost cluster while more than a third are lost",
  (lost, on) => {
    const clusters = lost.map((lostFor, i) => cluster(NAMES[i] ?? "", lostFor));
    const { due } = soon({ clusters, current: new Set(on) });
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
    cluster(NAMES[i] ?? "", undefined, {
      ready: { status: isLostAt(times, T) ? "False" : "True", since: times.at(-1) ?? start - MINUTE },
    }),
  );
  const { due } = soon({ clusters, current: new Set(NAMES) });
  const moments = [T - MINUTE + 1, ...changes.flat().filter((time) => time > T - MINUTE)];
  for (const at of moments) {
    const lost = changes.filter((times) => isLostAt(times, at)).length;
    if (lost / clusters.length > 0.34) expect(due).toEqual([]);
  }
});

property.prop([fleets, fc.subarray(NAMES)])("says nothing new before the moment that it NAMES", (lost, on) => {
  const clusters = lost.map((lostFor, i) => cluster(NAMES[i] ?? "", lostFor));
  const at = (now: number) => {
    const input = { rules: { gracePeriod: "60s" }, departures: [], unhealthySince: new Map() };
    const { due, ...rest } = judgeFailover({ ...input, clusters, current: new Set(on) }, now);
    return { due: due.map((one) => one.cluster), ...rest };
  };
  const plan = at(T);
  expect(at(Math.min(plan.recheckAt, T + 20 * MINUTE) - 1)).toEqual(plan);
});
