import { describe, expect, test } from "vitest";
import { type FederatedStatus, type RolloutStatus } from "../apis/index.ts";
import { aggregate } from "./aggregate.ts";
import { conditionsOf } from "./conditions/conditions.ts";
import {
  after,
  at,
  condition,
  entry,
  inputOf,
  refused,
  row,
  SECOND,
  T0,
  target,
  unhealthy,
  view,
} from "./testing/builders.ts";
import type { StatusInput } from "./types.ts";

const counts = (desired: number, ready = desired) => ({ desired, updated: desired, ready, available: ready });
const stale = { contact: refused };
const departures = [{ cluster: "gone", at: at(T0), replicas: 1 }] as unknown as NonNullable<
  FederatedStatus["departures"]
>;
const failover = (moved: typeof departures, watchesHealth = false) => ({
  departures: moved,
  condition: { status: "False", reason: "Settled", message: "" } as const,
  watchesHealth,
});

describe("the whole status", () => {
  test("lacks what there is not", () => {
    const given = inputOf([], { target: undefined, podSelector: undefined, kinds: [] });
    expect(Object.keys(aggregate(given, T0))).toEqual(["observedGeneration", "replicas", "conditions"]);
  });

  test("keeps what is known of the plan of before while there is none", () => {
    const previous = aggregate(inputOf([view("a")], { target: target(["a"], { failover: failover(departures) }) }), T0);
    const { placement, departures: kept } = aggregate(inputOf([], { target: undefined, previous }), T0);
    expect([placement, kept]).toEqual([previous.placement, departures]);
    const planned = aggregate(inputOf([], { target: target([], { failover: failover([]) }), previous }), T0);
    expect(planned).not.toHaveProperty("departures");
    const { placement: _placement, ...unplaced } = target([]);
    expect(aggregate(inputOf([], { target: unplaced, previous }), T0)).not.toHaveProperty("placement");
    const orphaned = { ...previous, deletionPolicy: "Orphan" as const };
    expect(aggregate(inputOf([], { target: target([]), previous: orphaned }), T0)).not.toHaveProperty("deletionPolicy");
  });

  test("counts as available what serves as before, where the condition says that all do", () => {
    const settledBefore = aggregate(inputOf([view("a"), view("b")]), T0);
    const moving = row({
      inSync: false,
      observedHash: "h0",
      health: { ...unhealthy("Progressing", 1), serves: "Now" },
    });
    const changing = inputOf([view("a"), view("b", { rows: [moving] })], { generation: 4 });
    expect(aggregate(after(changing, settledBefore), T0).availableClusters).toBe("2/2");
    expect(aggregate(changing, T0).availableClusters).toBe("1/2");
  });
});

describe("a status is written again", () => {
  const given = inputOf([view("a"), view("b", stale)], {
    target: target(["a", "b"], { failover: failover(departures), deletionPolicy: "Orphan" }),
    ownerClass: "v1",
    namedClass: "v1",
    kinds: ["ConfigMap"],
    rollout: { state: "Succeeded" } as RolloutStatus,
  });
  const stored = aggregate(given, T0);
  const again = (previous: FederatedStatus, more: Partial<StatusInput> = {}) =>
    aggregate({ ...given, ...more, previous }, T0 + SECOND);

  test.each<{ name: string; change: object }>([
    { name: "generation", change: { observedGeneration: 2 } },
    { name: "class", change: { controllerClass: "v2" } },
    { name: "placement", change: { placement: { kind: "Placement", name: "other" } } },
    { name: "deletion policy", change: { deletionPolicy: "Delete" } },
    { name: "replicas", change: { replicas: counts(9) } },
    { name: "stale replicas", change: { staleReplicas: counts(9) } },
    { name: "selector", change: { selector: "app=other" } },
    { name: "available clusters", change: { availableClusters: "9/9" } },
    { name: "conditions", change: { conditions: stored.conditions?.slice(1) } },
    { name: "clusters", change: { clusters: stored.clusters?.slice(1) } },
    { name: "summary", change: { summary: [{ region: "r", clusters: 1, replicas: counts(1) }] } },
    { name: "unlisted clusters", change: { unlistedClusters: ["z"] } },
    { name: "kinds", change: { kinds: ["Secret"] } },
    { name: "departures", change: { departures: [] } },
  ])("where another $name stands there", ({ change }) => {
    const previous = { ...stored, ...change } as FederatedStatus;
    const status = again(previous);
    expect(status).not.toBe(previous);
    expect(Object.keys(status)).toEqual(Object.keys(stored));
  });

  test("to take back a condition of Meridian's own that does not hold any more, and for no other", () => {
    const with_ = (type: string): FederatedStatus => ({
      ...stored,
      conditions: [
        ...(stored.conditions ?? []),
        { type, status: "False", reason: "R", message: "", lastTransitionTime: at(T0) },
      ],
    });
    const handover = with_("HandedOver");
    expect(again(handover)).not.toBe(handover);
    const other = with_("Other");
    expect(again(other)).toBe(other);
    const { failover: _failover, ...settling } = given.target ?? target([]);
    const { departures: _departures, ...rest } = stored;
    expect(again(rest, { target: settling })).not.toBe(rest);
  });

  test("not for an empty list that the server keeps", () => {
    const bare = inputOf([], { target: target([]) });
    const empty = { clusters: [], summary: [], unlistedClusters: [], kinds: [], departures: [] };
    const previous = { ...aggregate(bare, T0), ...empty };
    expect(aggregate({ ...bare, previous }, T0 + SECOND)).toBe(previous);
  });
});

describe("the summary of clusters that are not listed", () => {
  test("counts the replicas and the states of each region, regions in order", () => {
    const views = Array.from({ length: 400 }, (_, index) =>
      view(`c${String(index).padStart(3, "0")}`, {
        region: index % 2 === 0 ? "b" : "a",
        rows: [row({ health: unhealthy(index < 380 ? "Degraded" : "Progressing", 1) })],
      }),
    );
    const { clusters, summary, unlistedClusters } = aggregate(inputOf(views), T0);
    expect(clusters).toHaveLength(300);
    expect(unlistedClusters?.slice(0, 2)).toEqual(["c300", "c301"]);
    expect(summary).toStrictEqual([
      { region: "a", clusters: 50, replicas: { ...counts(100, 50) }, states: { Degraded: 40, Progressing: 10 } },
      { region: "b", clusters: 50, replicas: { ...counts(100, 50) }, states: { Degraded: 40, Progressing: 10 } },
    ]);
  });

  test("is none where every cluster is listed, and the list none where all are summed up", () => {
    const of = (count: number, rows = [row()]) =>
      aggregate(inputOf(Array.from({ length: count }, (_, index) => view(`c${index}`, { rows }))), T0);
    expect(of(100).clusters).toHaveLength(100);
    expect(of(101)).not.toHaveProperty("clusters");
    expect(of(101).summary?.map((one) => "states" in one)).toEqual(Array(101).fill(false));
    const ill = of(101, [row({ health: unhealthy("Degraded", 1), conditions: [{ type: "T", status: "True" }] })]);
    expect(ill).not.toHaveProperty("summary");
    expect(ill).not.toHaveProperty("unlistedClusters");
    expect(ill.clusters?.[0]).not.toHaveProperty("conditions");
    const hundred = of(100, [row({ conditions: [{ type: "T", status: "True" }] })]);
    expect(hundred.clusters?.[0]?.conditions).toEqual([{ type: "T", status: "True" }]);
  });
});

test("what the planner has written is no part of a report, and no reason to write one", () => {
  const report = aggregate(inputOf([view("b")]), T0);
  const previous: FederatedStatus = { ...report, plannedClusters: ["c"], rollout: { state: "Paused", revision: 1 } };
  expect(aggregate({ ...inputOf([view("b")]), previous }, T0)).toBe(previous);
  expect(report).not.toHaveProperty("rollout");
});

test("a condition keeps its time while its status stays, is said of the present generation, and is cut", () => {
  const statement = { type: "Ready", status: "True" as const, reason: "R", message: "word ".repeat(40) };
  const previous = [
    { ...statement, type: "Other", lastTransitionTime: at(T0 - 9 * SECOND) },
    { ...statement, lastTransitionTime: at(T0 - 5 * SECOND) },
  ];
  const [made] = conditionsOf([statement], previous, 7, T0);
  expect(made).toEqual({
    type: "Ready",
    status: "True",
    reason: "R",
    message: `${"word ".repeat(24).trim()}…`,
    observedGeneration: 7,
    lastTransitionTime: at(T0 - 5 * SECOND),
  });
  expect(conditionsOf([{ ...statement, observedGeneration: 4 }], undefined, 7, T0)[0]).toMatchObject({
    observedGeneration: 4,
    lastTransitionTime: at(T0),
  });
  expect(conditionsOf([{ ...statement, status: "False" }], previous, 7, T0)[0]?.lastTransitionTime).toBe(at(T0));
});

test("the entry has the message in full, and a condition has the point of it", () => {
  const name = "c".repeat(40);
  const policy = `OverridePolicy ${"p".repeat(40)}`;
  const planned = target([name]);
  const message = { what: `${policy}, rule 0`, why: "replicas must be a whole number" };
  const clusters = planned.clusters.map((cluster) => ({ ...cluster, problem: { reason: "InvalidPatch", message } }));
  const status = aggregate(inputOf([view(name)], { target: { ...planned, clusters } }), T0);
  expect(entry(status, name)).toMatchObject({ message: `${policy}, rule 0: replicas must be a whole number` });
  for (const type of ["Applied", "Available", "Ready"])
    expect(condition(status, type)[2]).toBe(
      `${"c".repeat(23)}…: OverridePolicy ${"p".repeat(23)}…, rule 0: replicas must be a whole number`,
    );
});
