import { describe, expect, test } from "vitest";
import type { FederatedStatus, Placement } from "../../apis/index.ts";
import type { ClusterSnapshot, Subject } from "../../scheduler/index.ts";
import { placement as placed } from "../testing/builders.ts";
import { scheduleWithFailover } from "./schedule.ts";
import { clusterAt, MINUTE, T } from "./testing.ts";
import type { Contacts, Departure, FailoverRules } from "./types.ts";

const ago = (minutes: number): string => new Date(T - minutes * MINUTE).toISOString().replace(".000Z", "Z");

/** A cluster that has been lost for so many minutes, or is well. */
const cluster = (name: string, lostFor?: number, more: Partial<ClusterSnapshot> = {}): ClusterSnapshot =>
  clusterAt(name, lostFor === undefined ? undefined : lostFor * MINUTE, more);

interface Setting {
  rules?: FailoverRules;
  /** How many clusters the object is to be on. */
  count?: number;
  /** The placement, beyond that. */
  spec?: Partial<Placement["spec"]>;
  clusters: readonly ClusterSnapshot[];
  /** Where it runs. */
  on: readonly string[];
  departures?: readonly Departure[];
  /** By cluster, since how many minutes it is unhealthy. */
  ill?: Readonly<Record<string, number>>;
  subject?: Partial<Subject>;
  contacts?: Contacts;
  turnAt?: number;
}

function decided({ rules = { gracePeriod: "5m" }, count = 1, spec = {}, on, departures, ill = {}, ...more }: Setting) {
  const replicas = { desired: 2, updated: 2, ready: 2, available: 2 };
  const previous: FederatedStatus = {
    clusters: on.map((name) => {
      const minutes = ill[name];
      return { name, state: "Available", replicas, ...(minutes === undefined ? {} : { unhealthySince: ago(minutes) }) };
    }),
    ...(departures === undefined ? {} : { departures: [...departures] }),
  };
  const { decision, failover } = scheduleWithFailover(
    { labels: {}, current: new Map(on.map((name) => [name, 2])), ...more.subject },
    placed("p", { clusterCount: count, ...spec }),
    rules,
    more.clusters,
    { previous, contacts: more.contacts, turnAt: more.turnAt },
    T,
  );
  return { names: decision.clusters.map(({ name }) => name), decision, failover };
}

const left = (name: string, minutes: number, reason: Departure["reason"] = "ClusterLost"): Departure => ({
  cluster: name,
  reason,
  at: ago(minutes),
});

describe("an object on a cluster", () => {
  test("that was lost a moment ago stays until the grace period is over", () => {
    const { names, failover, decision } = decided({
      clusters: [cluster("a", 2), cluster("b"), cluster("c")],
      on: ["a"],
    });
    expect(names).toEqual(["a"]);
    expect(failover).toStrictEqual({
      departures: [],
      condition: {
        status: "True",
        reason: "ClusterLost",
        message: "a lost since 2026-11-22T07:58:00Z; the object leaves it at 2026-11-22T08:03:00Z",
      },
      watchesHealth: false,
    });
    expect(decision.recheckAt).toBe(T + 3 * MINUTE);
  });

  test("that has been lost for the grace period leaves for another one, and that is written down", () => {
    const { names, failover, decision } = decided({
      clusters: [cluster("a", 5), cluster("b"), cluster("c")],
      on: ["a"],
    });
    expect(names).toEqual(["b"]);
    expect(failover).toStrictEqual({
      departures: [left("a", 0)],
      condition: { status: "True", reason: "FailedOver", message: "left a at 2026-11-22T08:00:00Z (ClusterLost)" },
      turn: T,
      watchesHealth: false,
    });
    const verdict = decision.verdicts.find((one) => one.cluster === "a");
    expect(verdict).toMatchObject({ fits: false, reason: "ClusterLost", message: "left at 2026-11-22T08:00:00Z" });
  });

  test("where it is unhealthy leaves when the policy says so", () => {
    const setting = { clusters: [cluster("a"), cluster("b")], on: ["a"], rules: { unhealthyAfter: "10m" } };
    const soon = decided({ ...setting, ill: { a: 4 } });
    expect(soon.names).toEqual(["a"]);
    expect(soon.failover.watchesHealth).toBe(true);
    expect(soon.failover.condition).toEqual({
      status: "True",
      reason: "ObjectUnhealthy",
      message: "a unhealthy since 2026-11-22T07:56:00Z; the object leaves it at 2026-11-22T08:06:00Z",
    });
    const now = decided({ ...setting, ill: { a: 10 } });
    expect(now.names).toEqual(["b"]);
    expect(now.failover.departures).toEqual([left("a", 0, "ObjectUnhealthy")]);
    // Turns are for those that leave a lost cluster.
    expect(now.failover).not.toHaveProperty("turn");
  });

  test("that is lost stays where no other takes it, and the object has no turn", () => {
    const clusters = [
      cluster("a", 9),
      cluster("b", undefined, { taints: [{ key: "full", effect: "NoSchedule" }] }),
      cluster("c", undefined, { deleting: true }),
      cluster("d", undefined, { taints: [{ key: "full", effect: "NoSchedule" }] }),
    ];
    const { names, failover } = decided({ clusters, on: ["a"] });
    expect(names).toEqual(["a"]);
    expect(failover).toStrictEqual({
      departures: [],
      condition: {
        status: "False",
        reason: "NowhereToGo",
        message: {
          what: "no other cluster takes what is on",
          where: ["a"],
          remedy: "add one that the Placement selects",
        },
      },
      watchesHealth: false,
    });
  });

  test("is not left for one that runs the object anyway", () => {
    const clusters = [cluster("a", 9), cluster("b"), cluster("c", 8), cluster("d"), cluster("e"), cluster("f")];
    const spec = { clusterAffinities: [{ name: "g", clusterNames: ["a", "b", "c"] }] };
    const { names, failover } = decided({ clusters, on: ["a", "b", "c"], count: 3, spec });
    expect(names).toEqual(["a", "b", "c"]);
    expect(failover.condition).toMatchObject({
      reason: "NowhereToGo",
      message: expect.objectContaining({ where: ["a", "c"] }),
    });
  });

  test("is left for one that gets more of its replicas", () => {
    const clusters = [cluster("a", 9), cluster("b"), cluster("c")];
    const spec: Partial<Placement["spec"]> = {
      clusterAffinities: [{ name: "g", clusterNames: ["a", "b"] }],
      replicaScheduling: { mode: "Divided", strategy: "Weighted" },
    };
    const { decision, failover } = decided({ clusters, on: ["a", "b"], count: 2, spec, subject: { replicas: 4 } });
    expect(decision.clusters).toEqual([{ name: "b", replicas: 4 }]);
    expect(failover.departures).toEqual([left("a", 0)]);
    const none = decided({ clusters, on: ["a", "b"], count: 2, spec, subject: { replicas: 0 } });
    expect(none.failover.condition.reason).toBe("NowhereToGo");
  });
});

describe("an object that left a cluster", () => {
  test("is told when it may return, once that is well again", () => {
    const back = (name: string) => cluster(name, undefined, { ready: { status: "True", since: T - 2 * MINUTE } });
    const rules = { returnAfter: "5m" };
    const one = decided({ rules, clusters: [back("a"), cluster("b")], on: ["b"], departures: [left("a", 20)] });
    expect(one.failover.condition).toEqual({
      status: "True",
      reason: "AwaitingReturn",
      message: "left a at 2026-11-22T07:40:00Z; it may return at 2026-11-22T08:03:00Z",
    });
    expect(one.decision.recheckAt).toBe(T + 3 * MINUTE);
    const departures = [left("a", 20), left("d", 10)];
    const two = decided({ rules, clusters: [back("a"), cluster("b"), back("d")], on: ["b"], departures });
    expect(two.failover.condition.message).toMatch(/it may return at 2026-11-22T08:03:00Z, and 1 more$/);
    const other = decided({
      rules,
      clusters: [cluster("a", 30), cluster("b"), cluster("c"), back("d")],
      on: ["b"],
      departures,
    });
    expect(other.failover.condition).toMatchObject({
      reason: "FailedOver",
      message: expect.stringMatching(/^left a at/),
    });
  });

  test("and is unhealthy on another as well stays there", () => {
    const rules = { unhealthyAfter: "5m" };
    const departures = [left("a", 20, "ObjectUnhealthy")];
    const setting = { rules, clusters: [cluster("a"), cluster("b"), cluster("c")], on: ["b"], departures };
    const { names, failover } = decided({ ...setting, ill: { b: 9 } });
    expect(names).toEqual(["b"]);
    expect(failover.condition).toEqual({
      status: "False",
      reason: "UnhealthyEverywhere",
      message: {
        what: "unhealthy on",
        where: ["b"],
        why: "another cluster would not help",
        remedy: "look at the object itself",
      },
    });
    const both = decided({ rules, clusters: setting.clusters, on: ["a", "b"], count: 2, ill: { a: 9, b: 8 } });
    expect(both.failover.condition.message).toMatchObject({ where: ["a", "b"] });
  });
});

describe("where only so many objects leave a lost cluster in a minute", () => {
  const clusters = [cluster("a", 9), cluster("b"), cluster("c")];

  test("an object waits for its turn", () => {
    const { names, failover, decision } = decided({ clusters, on: ["a"], turnAt: T + 4 * MINUTE });
    expect(names).toEqual(["a"]);
    expect(failover.turn).toBe(T + 4 * MINUTE);
    expect(failover.condition.message).toBe(
      "a lost since 2026-11-22T07:51:00Z; the object leaves it at 2026-11-22T08:04:00Z, others before it",
    );
    expect(decision.recheckAt).toBe(T + 4 * MINUTE);
  });
});

test("nothing comes of a loss that this process has not seen itself, and it is asked to look", () => {
  const clusters = [cluster("a", 9), cluster("b"), cluster("c")];
  const contacts = { isLost: () => false, isReached: () => false };
  const { names, failover } = decided({ clusters, on: ["a"], contacts });
  expect(names).toEqual(["a"]);
  expect(failover).toMatchObject({ departures: [], awaitsContact: true });
  expect(failover).not.toHaveProperty("turn");
});
