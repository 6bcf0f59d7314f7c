import { describe, expect, test } from "vitest";
import { DELETION_POLICY_ANNOTATION, type ObjectRef, type OwnerRef, refKey } from "../../apis/index.ts";
import {
  absent,
  applyRow,
  CLUSTER,
  CONFIG_KEY,
  CONFIG_REF,
  deleteRow,
  holdRow,
  inContact,
  observation,
  owner,
  SHOP,
  workTables,
} from "../testing/builders.ts";

const CART = owner("cart");
const SHOP_KEY = refKey(SHOP);
const CART_KEY = refKey(CART);
const OTHER: ObjectRef = { ...CONFIG_REF, name: "other" };
const ROLE: ObjectRef = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", name: "shop" };
const WITHDRAWN = 1_000;

function tables(more: Parameters<typeof workTables>[0] = {}) {
  const all = workTables(more);
  const { assignments } = all;
  const changed: string[] = [];
  const departed: string[] = [];
  const vacated: object[] = [];
  assignments.changes.subscribe((change) => void changed.push(change.owner));
  assignments.departures.subscribe((gone) => void departed.push(gone));
  assignments.vacated.subscribe((place) => void vacated.push(place));
  const cell = () => assignments.get(CLUSTER, CONFIG_KEY);
  const effective = () => cell()?.effective;
  const left = (key = SHOP_KEY): string[] => Array.from(assignments.leftBy(key), ({ ref }) => ref.name);
  return { ...all, changed, departed, vacated, cell, effective, left };
}

const origin = (reconcileId: string) => ({
  spanContext: { traceId: "t", spanId: "s", traceFlags: 1 },
  reconcileId,
  at: 0,
});

describe("rows", () => {
  test("that are set again change nothing and wake nobody", () => {
    const { assignments, changed } = tables();
    expect([...assignments.replace(SHOP_KEY, [applyRow()])]).toEqual([CLUSTER]);
    expect(changed).toEqual([SHOP_KEY]);
    expect([...assignments.replace(SHOP_KEY, [applyRow()])]).toEqual([]);
    expect(changed).toEqual([SHOP_KEY]);
  });

  test("of the first owner are effective, and those of the second owner when they go", () => {
    const { assignments, effective } = tables();
    assignments.replace(SHOP_KEY, [applyRow()]);
    assignments.replace(CART_KEY, [applyRow({ owner: CART, hash: "h2" })]);
    expect(effective()).toMatchObject({ hash: "h1", alternatives: [{ owner: CART, hash: "h2" }] });
    assignments.replace(SHOP_KEY, []);
    expect(effective()).toMatchObject({ hash: "h2" });
  });

  test("that remove a member object are not effective while another owner asks for the object", () => {
    const { assignments, effective } = tables();
    assignments.replace(SHOP_KEY, [deleteRow()]);
    expect(effective()?.verb).toBe("Delete");
    assignments.replace(CART_KEY, [holdRow({ owner: CART })]);
    expect(effective()?.verb).toBe("Hold");
    assignments.replace(CART_KEY, [applyRow({ owner: CART })]);
    expect(effective()?.verb).toBe("Apply");
  });

  test("of a dependency have alternatives for owners of another class, as long as these need the dependency", () => {
    const { assignments, effective, needs, state } = tables();
    assignments.replace(SHOP_KEY, [applyRow({ role: "dependency" })]);
    expect(effective()).not.toHaveProperty("alternatives");
    state.needing = [CART];
    needs.emit(CONFIG_REF);
    // The policy of the other class's object is unknown here, so there is a row for each deletion policy.
    const annotations = { [DELETION_POLICY_ANNOTATION]: "Orphan" };
    expect(effective()).toMatchObject({
      owner: SHOP,
      alternatives: [
        { verb: "Apply", owner: CART },
        { verb: "Apply", owner: CART, object: { metadata: { annotations } } },
      ],
    });
    state.needing = [];
    needs.emit(CONFIG_REF);
    expect(effective()).not.toHaveProperty("alternatives");
  });

  test("carry the time of their change and the last plan that changed them", () => {
    const { assignments, state, cell } = tables();
    const seen = () => [cell()?.assignedAt, cell()?.origin?.reconcileId];
    assignments.replace(SHOP_KEY, [applyRow()], { origin: origin("first") });
    assignments.replace(SHOP_KEY, [applyRow()], { origin: origin("no change") });
    state.now = 5;
    assignments.replace(CART_KEY, [holdRow({ owner: CART })], { origin: origin("other owner") });
    expect(seen()).toEqual([0, "other owner"]);
    assignments.replace(SHOP_KEY, [applyRow({ hash: "h2" })], { origin: origin("second") });
    expect(seen()).toEqual([5, "second"]);
    assignments.replace(SHOP_KEY, [], { origin: origin("third") });
    expect(cell()?.origin?.reconcileId).toBe("third");
  });
});

describe("a withdrawn row", () => {
  const withdrawn = (...rows: Parameters<typeof applyRow>) => {
    const all = tables();
    all.assignments.replace(SHOP_KEY, [applyRow(...rows)]);
    all.assignments.replace(SHOP_KEY, []);
    return all;
  };

  test("is left until the worker has acknowledged the withdrawal and nothing is there", () => {
    const { assignments, observations, departed, left, cell } = withdrawn();
    expect(left()).toEqual(["shop"]);
    observations.report(CLUSTER, [absent({ revision: 1 })]);
    expect(left()).toEqual(["shop"]);
    observations.report(CLUSTER, [absent({ writing: true, revision: 2 })]);
    expect([left(), assignments.isInUse(CLUSTER, "default"), assignments.isInUse(CLUSTER, "other")]).toEqual([
      ["shop"],
      true,
      false,
    ]);
    observations.report(CLUSTER, [absent({ revision: 2 })]);
    expect([left(), departed, cell()]).toEqual([[], [SHOP_KEY], undefined]);
    expect(assignments.isInUse(CLUSTER, "default")).toBe(false);
  });

  const { owner: _, ...unnamed } = observation().present ?? {};
  test.each([
    { copy: "names the owner", report: observation({ revision: 2 }), want: ["shop"] },
    { copy: "names nobody", report: { ...observation({ revision: 2 }), present: unnamed as never }, want: ["shop"] },
    { copy: "names another owner", report: observation({ revision: 2, present: { owner: CART } }), want: [] },
    { copy: "was looked for in vain", report: absent({ absent: true, revision: 2 }), want: [] },
  ])("of which the copy $copy leaves $want", ({ report, want }) => {
    const { observations, left } = withdrawn();
    observations.report(CLUSTER, [report]);
    expect(left()).toEqual(want);
  });

  test("that is asked for again is left no more", () => {
    const { assignments, left } = withdrawn();
    assignments.replace(SHOP_KEY, [applyRow()]);
    expect(left()).toEqual([]);
  });

  test("leaves nothing when the row is set again", () => {
    const { assignments, observations, departed, left } = withdrawn();
    assignments.replace(SHOP_KEY, [applyRow()]);
    expect(left()).toEqual([]);
    observations.report(CLUSTER, [absent({ revision: WITHDRAWN })]);
    expect(departed).toEqual([]);
  });

  test("leaves nothing on a cluster without a MemberCluster", () => {
    const { assignments, observations, departed, left } = tables();
    observations.contact("elsewhere", undefined);
    assignments.replace(SHOP_KEY, [applyRow()]);
    observations.contact(CLUSTER, undefined);
    assignments.replace(SHOP_KEY, []);
    expect(left()).toEqual([]);
    observations.contact(CLUSTER, inContact);
    assignments.replace(CART_KEY, [applyRow({ owner: CART }), applyRow({ owner: CART, ref: OTHER })]);
    assignments.replace(CART_KEY, []);
    expect(left(CART_KEY)).toHaveLength(2);
    observations.contact(CLUSTER, undefined);
    expect([left(CART_KEY), departed, [...assignments.in(CLUSTER)]]).toEqual([[], [SHOP_KEY, CART_KEY, CART_KEY], []]);
  });

  test("goes alone, and its namespace is vacated with the last row there", () => {
    const { assignments, observations, left, departed, vacated } = tables();
    assignments.replace(SHOP_KEY, [applyRow(), applyRow({ ref: OTHER }), applyRow({ ref: ROLE })]);
    assignments.replace(SHOP_KEY, []);
    observations.report(CLUSTER, [absent({ revision: WITHDRAWN })]);
    expect([left(), vacated]).toEqual([["other", "shop"], []]);
    observations.report(CLUSTER, [absent({ ref: ROLE, revision: WITHDRAWN })]);
    expect([left(), vacated]).toEqual([["other"], []]);
    expect(Array.from(assignments.in(CLUSTER), ({ ref }) => ref.name)).toEqual(["other"]);
    observations.report(CLUSTER, [absent({ ref: OTHER, revision: WITHDRAWN })]);
    expect([left(), vacated]).toEqual([[], [{ cluster: CLUSTER, namespace: "default" }]]);
    expect(departed).toEqual([SHOP_KEY, SHOP_KEY, SHOP_KEY]);
  });
});

test("the counts of synced member objects follow rows, observations and departures", () => {
  const { assignments, observations } = tables();
  const counted = (upToDate: number, outOfSync: number) =>
    expect([...assignments.sync]).toEqual([{ kind: "ConfigMap", upToDate, outOfSync }]);
  assignments.replace(SHOP_KEY, [applyRow()]);
  counted(0, 1);
  observations.report(CLUSTER, [observation()]);
  counted(1, 0);
  assignments.replace(SHOP_KEY, [applyRow({ hash: "h2" })]);
  counted(0, 1);
  assignments.replace(SHOP_KEY, [deleteRow()]);
  counted(0, 1);
  observations.report(CLUSTER, [absent()]);
  counted(0, 0);
});

test("a row is acknowledged when the worker reports its revision; an applied row needs no acknowledgement", () => {
  const { assignments, observations, cell } = tables();
  const isAcknowledged = (more: object = {}): boolean => {
    const known = cell();
    if (known === undefined) throw new Error("no cell");
    return assignments.isAcknowledged({ ...known, ...more });
  };
  assignments.replace(SHOP_KEY, [holdRow()]);
  expect(isAcknowledged()).toBe(false);
  observations.report(CLUSTER, [observation({ revision: 1 })]);
  expect(isAcknowledged()).toBe(true);
  assignments.replace(SHOP_KEY, [deleteRow()]);
  expect(isAcknowledged()).toBe(false);
  expect([isAcknowledged({ key: "/ConfigMap/default/x" }), isAcknowledged({ cluster: "x" })]).toEqual([true, true]);
  assignments.replace(SHOP_KEY, [applyRow()]);
  expect(isAcknowledged()).toBe(true);
});

test("a change of a member object concerns the owners that ask or asked for it, and those that it names or named", () => {
  const { assignments, observations } = tables();
  const concerned = (before?: OwnerRef, after?: OwnerRef): string[] => {
    const named = { before: before && refKey(before), after: after && refKey(after) };
    const where = { cluster: CLUSTER, key: CONFIG_KEY, ref: CONFIG_REF };
    return [...assignments.ownersOfChange({ ...where, before: undefined, after: undefined, named })];
  };
  expect([concerned(), concerned(SHOP, CART)]).toEqual([[], [SHOP_KEY, CART_KEY]]);
  assignments.replace(SHOP_KEY, [applyRow()]);
  expect([concerned(), concerned(SHOP, SHOP)]).toEqual([[SHOP_KEY], [SHOP_KEY]]);
  expect([concerned(CART, SHOP), concerned(SHOP, CART)]).toEqual([
    [SHOP_KEY, CART_KEY],
    [SHOP_KEY, CART_KEY],
  ]);
  assignments.replace(CART_KEY, [applyRow({ owner: CART })]);
  observations.report(CLUSTER, [observation()]);
  assignments.replace(SHOP_KEY, []);
  expect(concerned()).toEqual([CART_KEY, SHOP_KEY]);
  expect([...assignments.askedBy(CLUSTER, CONFIG_KEY)]).toEqual([CART_KEY, SHOP_KEY]);
  expect([...assignments.askedBy("elsewhere", CONFIG_KEY)]).toEqual([]);
});
