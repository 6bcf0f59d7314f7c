import { describe, expect, test } from "vitest";
import { aggregate, withClusters } from "../aggregate.ts";
import {
  after,
  at,
  condition,
  entry,
  healthy,
  inputOf,
  refused,
  row,
  rowWithout,
  SECOND,
  T0,
  target,
  unhealthy,
  view,
} from "../testing.ts";
import { laterOf } from "./time.ts";
import type { RowView } from "../types.ts";

const failure = { reason: "PlanningFailed", message: "a patch is too deep" };
const settled = aggregate(inputOf([view("a"), view("b")]), T0);

describe("an object that cannot be planned", () => {
  test("keeps what was said of it, but that it were applied", () => {
    const input = inputOf([view("a")], { target: undefined, failure, generation: 4 });
    const status = aggregate(after(input, settled), T0 + SECOND);
    expect(condition(status, "Applied")).toEqual(["Unknown", "PlanningFailed", "a patch is too deep"]);
    for (const type of ["Scheduled", "Available", "Progressing", "Fresh"])
      expect(condition(status, type)).toEqual(condition(settled, type));
    expect(status.conditions?.map(({ type }) => type)).toEqual([
      "Scheduled",
      "Applied",
      "Available",
      "Progressing",
      "Fresh",
      "Ready",
    ]);
    expect(condition(status, "Ready")).toEqual(["False", "PlanningFailed", "a patch is too deep"]);
    expect(status).toMatchObject({ observedGeneration: 4, replicas: settled.replicas, clusters: settled.clusters });
    const again = after(input, status);
    expect(aggregate(again, T0 + 9 * SECOND)).toBe(again.previous);
  });

  test("says why when nothing was said before", () => {
    const status = aggregate(inputOf([], { target: undefined, failure }), T0);
    expect(status.conditions).toEqual([
      {
        type: "Applied",
        status: "Unknown",
        ...failure,
        observedGeneration: 3,
        lastTransitionTime: at(T0),
      },
      { type: "Ready", status: "False", ...failure, observedGeneration: 3, lastTransitionTime: at(T0) },
    ]);
    expect(status).not.toHaveProperty("clusters");
  });

  test("any more has what its last plan says, and is not called applied", () => {
    const status = aggregate(inputOf([view("a")], { failure }), T0);
    expect(condition(status, "Applied")).toEqual(["Unknown", "PlanningFailed", "a patch is too deep"]);
    expect(condition(status, "Available")[0]).toBe("True");
    expect(entry(status)?.state).toBe("Available");
  });
});

describe("a copy that is to go", () => {
  const leaving = (stays: RowView["stays"], more: Partial<RowView> = {}) =>
    inputOf([view("b", { rows: [rowWithout(["desiredHash"], { inSync: false, ...(stays && { stays }), ...more })] })], {
      target: target([]),
    });
  const moving = { reason: "AwaitingReplacement", message: "it serves until the object is available on a" };
  const held = { reason: "KindBeingDeleted", message: "its kind is being deleted" };

  test("and that waits for another one goes by itself", () => {
    const status = aggregate(leaving(moving), T0);
    expect(entry(status, "b")).toMatchObject({ state: "Removing", ...moving });
    expect(condition(status, "Progressing")).toEqual(["True", "Removing", "removing from b"]);
  });

  test("and that waits for a person is held, and makes no progress", () => {
    const status = aggregate(leaving(held, { failure: { reason: "Forbidden", message: "no", final: true } }), T0);
    expect(entry(status, "b")).toMatchObject({ state: "Held", ...held });
    expect(condition(status, "Progressing")).toEqual(["False", "Settled", ""]);
    expect(condition(status, "Available")[0]).toBe("False");
    expect(condition(status, "Applied")).toEqual(["False", "NoClusters", "no cluster is selected"]);
    expect(condition(status, "Fresh")[0]).toBe("True");
  });

  test("and whose removal fails says so, rather than what it waits for", () => {
    const more = { failure: { reason: "Forbidden", message: "no", final: true } };
    expect(entry(aggregate(leaving(moving, more), T0), "b")).toMatchObject({ state: "Removing", reason: "Forbidden" });
  });

  test("is told of by the one of several that is held", () => {
    const rows = [
      rowWithout(["desiredHash"], { inSync: false }),
      rowWithout(["desiredHash"], { inSync: false, stays: held }),
    ];
    const status = aggregate(inputOf([view("b", { rows })], { target: target([]) }), T0);
    expect(entry(status, "b")).toMatchObject({ state: "Held", ...held });
  });

  test("while the object is being deleted is what the deletion waits for", () => {
    const deleting = (stays: RowView["stays"]) =>
      condition(aggregate({ ...leaving(stays), deleting: true, target: undefined }, T0), "Progressing");
    expect(deleting(held)).toEqual(["True", "Deleting", "waits for b: its kind is being deleted"]);
    expect(deleting(moving)).toEqual(["True", "Deleting", "objects remain on b"]);
  });

  test("has a hash of its own and no desired one", () => {
    const found = entry(aggregate(leaving(undefined), T0), "b");
    expect(found).toHaveProperty("observedHash");
    expect(found).not.toHaveProperty("desiredHash");
  });

  test("may be there though nothing is seen: then the last numbers stand", () => {
    const gone = view("b", { rows: [], mayRemain: true });
    const input = inputOf([view("a"), gone], { target: target(["a"]) });
    const found = entry(aggregate(after(input, settled), T0), "b");
    expect(found).toMatchObject({
      state: "Removing",
      replicas: { desired: 0, ready: 2 },
      observedHash: entry(settled, "b")?.observedHash,
    });
    expect(entry(aggregate(input, T0), "b")).toMatchObject({ replicas: { desired: 0, ready: 0 } });
    const { mayRemain: _mayRemain, ...seen } = gone;
    expect(entry(aggregate(after({ ...input, clusters: [view("a"), seen] }, settled), T0), "b")).toBeUndefined();
  });
});

describe("what is being deleted", () => {
  test("says where it was scheduled as long as that is known, and how it goes", () => {
    const planned = inputOf([view("a")], { deleting: true });
    expect(condition(aggregate(planned, T0), "Scheduled")).toEqual([
      "True",
      "ClustersSelected",
      "1 of 1 cluster selected",
    ]);
    const forgotten = aggregate({ ...planned, target: undefined }, T0);
    expect(forgotten.conditions?.map(({ type }) => type)).toEqual([
      "Applied",
      "Available",
      "Progressing",
      "Fresh",
      "Ready",
    ]);
    expect(condition(forgotten, "Applied")).toEqual(["False", "Deleting", ""]);
    expect(condition(forgotten, "Available")).toEqual(["False", "Deleting", "objects remain on a"]);
    expect(forgotten).not.toHaveProperty("availableClusters");
    expect(aggregate(planned, T0)).not.toHaveProperty("availableClusters");
  });
});

describe("a cluster out of contact", () => {
  const lost = (rows: RowView[], more = {}) =>
    aggregate(after(inputOf([view("a", { contact: refused, rows })], more), settled), T0);

  test("where an override cannot be applied is not called applied", () => {
    const clusters = [
      { name: "a", replicas: 2, frozen: false, objects: [], problem: { reason: "InvalidPatch", message: "no" } },
    ];
    expect(condition(lost([], { target: target(["a"], { clusters }) }), "Applied")[0]).toBe("False");
  });

  test("is applied when what was seen last of every object was right", () => {
    const service = { ref: { apiVersion: "v1", kind: "Service", namespace: "default", name: "shop" } };
    const unseen = rowWithout(["observedHash", "health"], { ...service, inSync: false });
    expect(condition(lost([row(), row(service)]), "Applied")[0]).toBe("True");
    expect(condition(lost([row(), unseen]), "Applied")[0]).toBe("False");
    expect(condition(lost([row({ inSync: false })]), "Applied")[0]).toBe("False");
  });

  test("and not chosen, of which nothing is known, is not there", () => {
    const input = inputOf([view("a", { contact: refused, rows: [] })], { target: target([]) });
    expect(aggregate(input, T0)).not.toHaveProperty("clusters");
    const rows = [rowWithout(["desiredHash"], { inSync: false })];
    const known = inputOf([view("a", { contact: refused, rows })], { target: target([]) });
    expect(entry(aggregate(known, T0))).toMatchObject({ state: "Unknown", replicas: { desired: 0, ready: 2 } });
    expect(entry(aggregate(known, T0))).not.toHaveProperty("desiredHash");
  });
});

test("a status is extended by clusters on which something may be, each once and in order", () => {
  expect(withClusters(undefined, ["b", "a"])).toEqual({ unlistedClusters: ["a", "b"] });
  const extended = withClusters({ ...settled, unlistedClusters: ["z"] }, ["a", "c", "z"]);
  expect(extended).toEqual({ ...settled, unlistedClusters: ["c", "z"] });
});

test("clusters beyond a hundred are summed up by region, with the states that are not Available", () => {
  const fleet = Array.from({ length: 101 }, (_, i) =>
    view(`c${String(i).padStart(3, "0")}`, { region: i % 2 ? "b" : "a" }),
  );
  const { region: _region, ...somewhere } = view("c050");
  const views = [...fleet.filter(({ name }) => name !== "c050"), somewhere];
  const { clusters, summary, unlistedClusters } = aggregate(inputOf(views), T0);
  expect(clusters).toBeUndefined();
  expect(unlistedClusters).toHaveLength(101);
  expect(summary?.map(({ region, clusters: count, replicas }) => [region, count, replicas.ready])).toEqual([
    ["", 1, 2],
    ["a", 50, 100],
    ["b", 50, 100],
  ]);
  expect(summary?.some((one) => "states" in one)).toBe(false);
  const ill = views.map((one) => ({ ...one, rows: [row({ health: unhealthy("Degraded", 1) })] }));
  const listed = aggregate(inputOf(ill), T0);
  expect(listed.clusters).toHaveLength(101);
  expect(listed).not.toHaveProperty("summary");
  const many = Array.from({ length: 301 }, (_, i) => ({
    ...view(`d${String(i).padStart(3, "0")}`, { region: "a" }),
    rows: [row({ health: i === 0 ? healthy(2) : unhealthy("Degraded", 1) })],
  }));
  const most = aggregate(inputOf([...many, ...ill.slice(0, 1)]), T0);
  expect(most.clusters).toHaveLength(300);
  expect(most.summary).toMatchObject([{ region: "a", clusters: 2, states: { Available: 1, Degraded: 1 } }]);
});

test.each([
  [undefined, undefined, undefined],
  ["2026-11-21T08:00:00Z", undefined, "2026-11-21T08:00:00Z"],
  [undefined, "2026-11-21T08:00:00Z", "2026-11-21T08:00:00Z"],
  ["2026-11-21T08:00:00Z", "2026-11-21T09:00:00Z", "2026-11-21T09:00:00Z"],
  ["2026-11-21T09:00:00Z", "2026-11-21T08:00:00Z", "2026-11-21T09:00:00Z"],
])("of %s and %s the later is %s", (a, b, want) => expect(laterOf(a, b)).toBe(want));
