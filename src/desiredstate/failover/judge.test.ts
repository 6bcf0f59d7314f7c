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

  test("is told only where the object runs on one of them and has not left it", () => {
    const clusters = [cluster("a", 9 * MINUTE), cluster("b", 9 * MINUTE), cluster("c")];
    expect(judged({ clusters, current: new Set(["c"]) })).toEqual(NOTHING);
    expect(judged({ clusters, departures: [left(9)] })).not.toHaveProperty("held");
    expect(judged({ clusters })).toHaveProperty("held");
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

test("a cluster whose state is unknown is lost, too", () => {
  const unknown = cluster("a", undefined, { ready: { status: "Unknown", since: T - 9 * MINUTE } });
  expect(judged({ clusters: [unknown, cluster("b"), cluster("c")] }).due).toHaveLength(1);
});

describe("an object that has left a cluster", () => {
  test("for being unhealthy there may return after the delay, however long the cluster has been well", () => {
    const departures = [left(4, "ObjectUnhealthy")];
    const plan = judged({ departures, current: new Set(["b"]), clusters: [cluster("a"), cluster("b")] });
    expect(plan.barred.get("a")).toEqual({
      reason: "AwaitingReturn",
      message: "left at 2026-11-22T07:56:00Z: the object was unhealthy there; it may return at 2026-11-22T08:01:00Z",
      remedy: "wait, or shorten failover.returnAfter",
    });
    expect(plan.recheckAt).toBe(T + MINUTE);
    const justReady = cluster("a", undefined, { ready: { status: "True", since: T - 1 } });
    expect(judged({ departures: [left(5, "ObjectUnhealthy")], clusters: [justReady, cluster("b")] })).toEqual(NOTHING);
  });

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

  test("counts from when it left where that was later than the return of the cluster", () => {
    const plan = judged({ departures: [left(2)], current: new Set(["b"]), clusters: [cluster("a"), cluster("b")] });
    expect(plan.returning).toEqual([{ cluster: "a", at: T + 3 * MINUTE }]);
  });

  test("returns after a delay of its own", () => {
    const departures = [left(2)];
    const clusters = [cluster("a"), cluster("b")];
    expect(judged({ departures, clusters, rules: { returnAfter: "2m" } })).toEqual(NOTHING);
    expect(judged({ departures, clusters, rules: { returnAfter: "3m" } }).recheckAt).toBe(T + MINUTE);
  });

  test("waits for this process only once its time has come", () => {
    const contacts = { isLost: () => false, isReached: () => false };
    const given = { current: new Set(["b"]), clusters: [cluster("a"), cluster("b")], contacts };
    expect(judged({ ...given, departures: [left(4)] })).toMatchObject({
      untried: [],
      returning: [{ cluster: "a", at: T + MINUTE }],
      recheckAt: T + MINUTE,
    });
    expect(judged({ ...given, departures: [left(5)] })).toMatchObject({
      untried: ["a"],
      returning: [],
      recheckAt: NEVER,
      departures: [left(5)],
    });
  });

  test("stands in the plan no more once its cluster is gone", () => {
    const departures = [{ ...left(1), cluster: "gone" }];
    expect(judged({ departures })).toEqual(NOTHING);
  });
});

describe("an unhealthy object", () => {
  const rules = { unhealthyAfter: "5m" };
  const since = (minutes: number, ...names: string[]) => new Map(names.map((name) => [name, T - minutes * MINUTE]));

  test("leaves when its time has come, and says when that is", () => {
    expect(judged({ rules, unhealthySince: since(4, "a") })).toEqual({
      ...NOTHING,
      leaving: [{ cluster: "a", reason: "ObjectUnhealthy", since: T - 4 * MINUTE, at: T + MINUTE }],
      recheckAt: T + MINUTE,
    });
    expect(judged({ rules, unhealthySince: since(5, "a") }).due).toHaveLength(1);
  });

  test("waits for nobody's turn, and for no contact", () => {
    const contacts = { isLost: () => false, isReached: () => true };
    expect(judged({ rules, unhealthySince: since(5, "a"), turnAt: T + 1, contacts }).due).toHaveLength(1);
  });

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

  test("does not stay away for what the policy says nothing of", () => {
    const departures = [left(9, "ObjectUnhealthy")];
    const current = new Set(["b"]);
    expect(judged({ departures, current, unhealthySince: since(5, "b") })).toEqual(NOTHING);
  });
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

  test("does not matter before", () => {
    expect(judged({ clusters: lostA(4 * MINUTE), turnAt: T + 9 * MINUTE })).toMatchObject({
      leaving: [{ at: T + MINUTE }],
      recheckAt: T + MINUTE,
    });
  });
});

test("what is next is the first of all that is to come", () => {
  const clusters = [cluster("a", 4 * MINUTE), cluster("b"), cluster("c"), cluster("d"), cluster("e"), cluster("f")];
  const departures = [
    { ...left(2), cluster: "b" },
    { ...left(3), cluster: "c" },
  ];
  expect(judged({ clusters, departures }).recheckAt).toBe(T + MINUTE);
  expect(judged({ clusters: [cluster("a", MINUTE), ...clusters.slice(1)], departures }).recheckAt).toBe(T + 2 * MINUTE);
});

test("a cluster that joined a moment ago does not count as one that came back where none is lost but those left out", () => {
  const back = (name: string, ago: number): ClusterSnapshot =>
    cluster(name, undefined, { ready: { status: "True", since: T - ago } });
  const without = cluster("a", 0, { ready: { status: "False", since: 0 } });
  const plan = judged({
    clusters: [
      without,
      cluster("b", 9 * MINUTE),
      back("c", 5_000),
      back("d", 6_000),
      ...["e", "f"].map((name) => back(name, 99 * MINUTE)),
    ],
  });
  expect(plan.leaving).toEqual([{ cluster: "a", reason: "ClusterLost", since: 0, at: T - 6_000 + 5 * MINUTE }]);
});
