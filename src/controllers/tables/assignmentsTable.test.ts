import { describe, expect, test } from "vitest";
import { type ObjectRef, type OwnerRef, refKey } from "../../apis/index.ts";
import type { WorkDelta } from "../../clusters/index.ts";
import type { Observation } from "../../desiredstate/index.ts";
import type { GroupKind } from "../../interpreter/index.ts";
import { Emitter } from "../../runtime/index.ts";
import { Assignments, type AssignmentsOptions } from "./assignments.ts";
import { Observations } from "./observations.ts";
import {
  absent,
  applyRow,
  CLUSTER,
  CONFIG_KEY,
  CONFIG_REF,
  holdRow,
  inContact,
  observation,
  owner,
  SHOP,
} from "../testing/builders.ts";

const CART = owner("cart");
const SHOP_KEY = refKey(SHOP);
const CART_KEY = refKey(CART);
const WIDGET: ObjectRef = { apiVersion: "shop.example/v1", kind: "Widget", namespace: "default", name: "shop" };
const OTHER: ObjectRef = { ...CONFIG_REF, name: "other" };
const ROLE: ObjectRef = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", name: "shop" };
const CONFIGMAPS = { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true };

function tables(more: Partial<AssignmentsOptions> = {}, needing: readonly OwnerRef[] = []) {
  const observations = new Observations();
  const needs = new Emitter<ObjectRef>();
  const kindChanges = new Emitter<void>();
  const state = { now: 0, kinds: [CONFIGMAPS], wanted: new Set<string>() };
  const rooms = { isWanted: (cluster: string) => state.wanted.has(cluster), wanted: new Emitter<string>() };
  const assignments = new Assignments({
    observations,
    kinds: { memberKinds: () => state.kinds, onChange: (handler) => kindChanges.subscribe(handler) },
    expected: () => [],
    others: { needing: () => needing, needs },
    rooms,
    monotonic: () => state.now,
    ...more,
  });
  const departed: string[] = [];
  const vacated: object[] = [];
  assignments.departures.subscribe((gone) => void departed.push(gone));
  assignments.vacated.subscribe((place) => void vacated.push(place));
  observations.contact(CLUSTER, inContact);
  const left = (key = SHOP_KEY): string[] => Array.from(assignments.leftBy(key), ({ ref }) => ref.name);
  /** The deltas of a worker: each call gives what comes next. */
  const worker = () => {
    const stop = new AbortController();
    const deltas = assignments.assignment(CLUSTER, stop.signal)[Symbol.asyncIterator]();
    const next = async (): Promise<WorkDelta | undefined> =>
      ((await deltas.next()).value as WorkDelta | null) ?? undefined;
    return { next, stop: () => stop.abort() };
  };
  return { observations, needs, kindChanges, state, rooms, assignments, departed, vacated, left, worker };
}

const origin = (reconcileId: string) => ({
  spanContext: { traceId: "t", spanId: "s", traceFlags: 1 },
  reconcileId,
  at: 0,
});

describe("a hub object that asks again for what it had given up", () => {
  test("has not left it", () => {
    const { assignments, observations, departed, left } = tables();
    assignments.replace(SHOP_KEY, [applyRow()]);
    assignments.replace(SHOP_KEY, []);
    assignments.replace(SHOP_KEY, [applyRow()]);
    expect(left()).toEqual([]);
    observations.report(CLUSTER, [absent({ revision: 1_000 })]);
    expect(departed).toEqual([]);
  });
});

describe("the plan that asked last", () => {
  test("is the one that gave something up, too", () => {
    const { assignments } = tables();
    assignments.replace(SHOP_KEY, [applyRow()], origin("first"));
    assignments.replace(SHOP_KEY, [], origin("second"));
    expect(assignments.get(CLUSTER, CONFIG_KEY)?.origin?.reconcileId).toBe("second");
  });
});

describe("a change of a member object concerns", () => {
  const change = (before?: OwnerRef, after?: OwnerRef) => ({
    cluster: CLUSTER,
    key: CONFIG_KEY,
    ref: CONFIG_REF,
    before: undefined,
    after: undefined,
    named: { before: before && refKey(before), after: after && refKey(after) },
  });

  test.each<{ name: string; named: [OwnerRef?, OwnerRef?]; want: readonly string[] }>([
    { name: "who asks, when the copy names nobody", named: [], want: [SHOP_KEY] },
    { name: "who asks, when the copy names that one", named: [SHOP, SHOP], want: [SHOP_KEY] },
    { name: "also whom it named", named: [CART, SHOP], want: [SHOP_KEY, CART_KEY] },
    { name: "also whom it names now", named: [SHOP, CART], want: [SHOP_KEY, CART_KEY] },
  ])("$name", ({ named, want }) => {
    const { assignments } = tables();
    assignments.replace(SHOP_KEY, [applyRow()]);
    expect([...assignments.concernedBy(change(...named))]).toEqual(want);
  });

  test("who asked before, beside who asks", () => {
    const { assignments, observations } = tables();
    assignments.replace(SHOP_KEY, [applyRow()]);
    assignments.replace(CART_KEY, [applyRow({ owner: CART })]);
    observations.report(CLUSTER, [observation()]);
    assignments.replace(SHOP_KEY, []);
    expect([...assignments.concernedBy(change())]).toEqual([CART_KEY, SHOP_KEY]);
    expect([...assignments.askedBy(CLUSTER, CONFIG_KEY)]).toEqual([CART_KEY, SHOP_KEY]);
    expect([...assignments.askedBy("elsewhere", CONFIG_KEY)]).toEqual([]);
  });
});

describe("a row that counts", () => {
  test("is the same while others ask for less, and was assigned when it came", () => {
    const { assignments, state } = tables();
    assignments.replace(SHOP_KEY, [applyRow()]);
    state.now = 5;
    assignments.replace(CART_KEY, [holdRow({ owner: CART })]);
    expect(assignments.get(CLUSTER, CONFIG_KEY)?.assignedAt).toBe(0);
    assignments.replace(SHOP_KEY, [applyRow({ hash: "h2" })]);
    expect(assignments.get(CLUSTER, CONFIG_KEY)?.assignedAt).toBe(5);
  });

  test("has no alternatives of objects of another class, unless it is of a dependency, nor its own once more", () => {
    const effective = (needing: OwnerRef, role: "rendered" | "dependency") => {
      const { assignments } = tables({}, [needing]);
      assignments.replace(SHOP_KEY, [applyRow({ role })]);
      return assignments.get(CLUSTER, CONFIG_KEY)?.effective;
    };
    expect(effective(CART, "rendered")).toEqual(applyRow());
    expect(effective(SHOP, "dependency")).toEqual(applyRow({ role: "dependency" }));
  });

  test("is considered again only where something is asked for, when others need another object", () => {
    const { assignments, needs } = tables({}, [CART]);
    assignments.replace(SHOP_KEY, [applyRow()]);
    needs.emit(OTHER);
    needs.emit(CONFIG_REF);
    expect(assignments.get(CLUSTER, CONFIG_KEY)?.effective).toEqual(applyRow());
    expect(assignments.get(CLUSTER, refKey(OTHER))).toBeUndefined();
  });
});

describe("what an object has left", () => {
  test.each<{ name: string; reported: Observation; want: readonly string[] }>([
    { name: "remains while its copy names it", reported: observation({ revision: 2 }), want: ["shop"] },
    {
      name: "does not remain where the worker looked and found nothing",
      reported: absent({ absent: true, revision: 2 }),
      want: [],
    },
  ])("$name", ({ reported, want }) => {
    const { assignments, observations, left } = tables();
    assignments.replace(SHOP_KEY, [applyRow()]);
    assignments.replace(SHOP_KEY, []);
    observations.report(CLUSTER, [reported]);
    expect(left()).toEqual(want);
  });

  test("goes one by one, and nothing else with it", () => {
    const { assignments, observations, left, departed, vacated } = tables();
    assignments.replace(SHOP_KEY, [applyRow(), applyRow({ ref: OTHER }), applyRow({ ref: ROLE })]);
    assignments.replace(SHOP_KEY, []);
    observations.report(CLUSTER, [absent({ revision: 1_000 })]);
    expect([left(), vacated]).toEqual([["other", "shop"], []]);
    observations.report(CLUSTER, [absent({ ref: ROLE, revision: 1_000 })]);
    expect([left(), vacated]).toEqual([["other"], []]);
    expect(Array.from(assignments.in(CLUSTER), ({ ref }) => ref.name)).toEqual(["other"]);
    observations.report(CLUSTER, [absent({ ref: OTHER, revision: 1_000 })]);
    expect([left(), vacated]).toEqual([[], [{ cluster: CLUSTER, namespace: "default" }]]);
    expect(departed).toEqual([SHOP_KEY, SHOP_KEY, SHOP_KEY]);
  });

  test("is of no concern on a cluster without a MemberCluster, also where nothing ever was", () => {
    const { assignments, observations, departed } = tables();
    observations.contact("elsewhere", undefined);
    assignments.replace(SHOP_KEY, [applyRow(), applyRow({ ref: OTHER })]);
    assignments.replace(SHOP_KEY, []);
    observations.contact(CLUSTER, undefined);
    expect([departed, [...assignments.in(CLUSTER)]]).toEqual([[SHOP_KEY, SHOP_KEY], []]);
  });
});

describe("a worker", () => {
  const kinds = (others: readonly GroupKind[], watched = [CONFIGMAPS]) => ({ kind: "Kinds", kinds: watched, others });
  const RECORDED = { group: "networking.k8s.io", kind: "Ingress" };
  const WIDGETS = { group: "shop.example", kind: "Widget" };

  test("is told first what is expected, then the kinds, then the rows that count", async () => {
    const { assignments, worker } = tables({ expected: () => [SHOP_KEY], recordedKinds: () => [RECORDED] });
    assignments.replace(SHOP_KEY, [applyRow({ ref: WIDGET }), applyRow()], origin("first"));
    assignments.replace(SHOP_KEY, [applyRow({ ref: WIDGET })]);
    const { next } = worker();
    expect([await next(), await next(), await next()]).toEqual([
      { kind: "Expected", owners: [SHOP_KEY] },
      kinds([RECORDED, WIDGETS]),
      { kind: "Rows", rows: [{ ref: WIDGET, row: applyRow({ ref: WIDGET }), revision: 1, origin: origin("first") }] },
    ]);
  });

  test("is told of kinds that come to be asked for, with the row, and of those that nobody asks for any more", async () => {
    const { assignments, observations, worker } = tables();
    const { next } = worker();
    expect([await next(), await next(), await next()]).toEqual([
      { kind: "Expected", owners: [] },
      kinds([]),
      { kind: "Rows", rows: [] },
    ]);
    const later = next();
    assignments.replace(SHOP_KEY, [applyRow({ ref: WIDGET })]);
    expect([await later, await next()]).toEqual([
      kinds([WIDGETS]),
      { kind: "Rows", rows: [{ ref: WIDGET, row: applyRow({ ref: WIDGET }), revision: 1, origin: undefined }] },
    ]);
    assignments.replace(SHOP_KEY, []);
    expect(await next()).toMatchObject({ kind: "Rows", rows: [{ ref: WIDGET, row: undefined, revision: 2 }] });
    const last = next();
    observations.report(CLUSTER, [absent({ ref: WIDGET, revision: 2 })]);
    expect(await last).toEqual(kinds([]));
  });

  test("is told of another set of kinds that are watched everywhere", async () => {
    const { kindChanges, state, worker } = tables();
    const { next } = worker();
    for (let first = 0; first < 3; first += 1) await next();
    const later = next();
    const more = { ...CONFIGMAPS, kind: "Secret", plural: "secrets" };
    state.kinds = [CONFIGMAPS, more];
    kindChanges.emit();
    expect(await later).toEqual(kinds([], [CONFIGMAPS, more]));
  });

  test("is told when the room on its cluster is to be measured, and when not any more", async () => {
    const { rooms, state, worker, assignments } = tables();
    const { next, stop } = worker();
    for (let first = 0; first < 3; first += 1) await next();
    const begins = next();
    state.wanted.add(CLUSTER);
    rooms.wanted.emit("elsewhere");
    rooms.wanted.emit(CLUSTER);
    expect(await begins).toEqual({ kind: "Room", wanted: true });
    const ends = next();
    state.wanted.clear();
    rooms.wanted.emit(CLUSTER);
    expect(await ends).toEqual({ kind: "Room", wanted: false });
    const row = next();
    assignments.replace(SHOP_KEY, [applyRow()]);
    expect(await row).toMatchObject({ kind: "Rows" });
    const over = next();
    stop();
    expect(await over).toBeUndefined();
  });

  test("is told of no room where nobody measures any", async () => {
    const { rooms: _, ...parts } = tables();
    const alone = new Assignments({
      observations: parts.observations,
      kinds: { memberKinds: () => [], onChange: (handler) => parts.kindChanges.subscribe(handler) },
      expected: () => [],
      others: { needing: () => [], needs: parts.needs },
      monotonic: () => 0,
    });
    const deltas = alone.assignment(CLUSTER, new AbortController().signal)[Symbol.asyncIterator]();
    for (let first = 0; first < 3; first += 1) await deltas.next();
    const next = deltas.next();
    alone.replace(SHOP_KEY, [applyRow()]);
    expect((await next).value).toMatchObject({ kind: "Kinds" });
    expect((await deltas.next()).value).toMatchObject({ kind: "Rows" });
  });
});
