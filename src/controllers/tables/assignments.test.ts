import { describe, expect, test } from "vitest";
import { DELETION_POLICY_ANNOTATION, type ObjectRef, type OwnerRef, refKey } from "../../apis/index.ts";
import type { WorkDelta } from "../../clusters/index.ts";
import type { Row } from "../../desiredstate/index.ts";
import { Emitter } from "../../runtime/index.ts";
import { Assignments } from "./assignments.ts";
import { Observations } from "./observations.ts";
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
  textsOf,
} from "../testing/builders.ts";

const CART = owner("cart");
const SHOP_KEY = refKey(SHOP);
const CART_KEY = refKey(CART);

function tables(needing: OwnerRef[] = []) {
  const observations = new Observations();
  const needs = new Emitter<ObjectRef>();
  const state = {
    now: 0,
    kinds: [{ group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true }],
  };
  const handlers = new Set<() => void>();
  const assignments = new Assignments({
    observations,
    kinds: {
      memberKinds: () => state.kinds,
      onChange: (handler) => {
        handlers.add(handler);
        return { [Symbol.dispose]: () => void handlers.delete(handler) };
      },
    },
    expected: () => [SHOP_KEY],
    others: { needing: () => needing, needs },
    monotonic: () => state.now,
  });
  const changed: string[] = [];
  const departed: string[] = [];
  assignments.changes.subscribe((change) => void changed.push(change.owner));
  assignments.departures.subscribe((gone) => void departed.push(gone));
  observations.contact(CLUSTER, inContact);
  const effective = () => assignments.get(CLUSTER, CONFIG_KEY)?.effective;
  return {
    needs,
    observations,
    assignments,
    state,
    changed,
    departed,
    effective,
    kindsChanged: () => handlers.forEach((one) => one()),
  };
}

describe("rows", () => {
  test("the same rows once more change nothing and wake nobody", () => {
    const { assignments, changed } = tables();
    assignments.replace(SHOP_KEY, [applyRow()]);
    assignments.replace(SHOP_KEY, [applyRow()]);
    expect(changed).toEqual([SHOP_KEY]);
  });

  test("what is asked for about an object is news, though the object is the same", () => {
    const { assignments, changed, effective } = tables();
    const health = { available: "object.status.ready" };
    assignments.replace(SHOP_KEY, [applyRow()]);
    assignments.replace(SHOP_KEY, [applyRow({ reporting: { health } })]);
    expect([changed, effective()]).toMatchObject([[SHOP_KEY, SHOP_KEY], { hash: "h1", reporting: { health } }]);
    assignments.replace(SHOP_KEY, [applyRow({ reporting: { health: { ...health } } })]);
    assignments.replace(SHOP_KEY, [applyRow()]);
    expect(changed).toHaveLength(3);
  });

  test("of two owners' rows one counts, and the other's when that goes", () => {
    const { assignments, effective } = tables();
    assignments.replace(SHOP_KEY, [applyRow()]);
    assignments.replace(CART_KEY, [applyRow({ owner: CART, hash: "h2" })]);
    expect(effective()).toMatchObject({ hash: "h1" });
    assignments.replace(SHOP_KEY, []);
    expect(effective()).toMatchObject({ hash: "h2" });
  });

  test("no removal counts while somebody else asks for the member object", () => {
    const { assignments, effective } = tables();
    assignments.replace(SHOP_KEY, [deleteRow()]);
    expect(effective()?.verb).toBe("Delete");
    assignments.replace(CART_KEY, [holdRow({ owner: CART })]);
    expect(effective()?.verb).toBe("Hold");
    assignments.replace(CART_KEY, [applyRow({ owner: CART })]);
    expect(effective()?.verb).toBe("Apply");
  });

  test("the others who want it are alternatives: which counts is for the member object to say", () => {
    const { assignments, effective } = tables();
    assignments.replace(SHOP_KEY, [applyRow()]);
    assignments.replace(CART_KEY, [applyRow({ owner: CART, hash: "h2" })]);
    expect(effective()).toMatchObject({ hash: "h1", alternatives: [{ owner: CART, hash: "h2" }] });
  });

  test("so are objects of another class that need a dependency, from the moment they do", () => {
    const needing: OwnerRef[] = [];
    const { assignments, effective, needs } = tables(needing);
    assignments.replace(SHOP_KEY, [applyRow({ role: "dependency" })]);
    expect(effective()).not.toHaveProperty("alternatives");
    needing.push(CART);
    needs.emit(CONFIG_REF);
    // The other manager knows the policy of its own object: either may be what it asks for.
    expect(effective()).toMatchObject({
      owner: SHOP,
      alternatives: [
        { verb: "Apply", owner: CART },
        {
          verb: "Apply",
          owner: CART,
          object: { metadata: { annotations: { [DELETION_POLICY_ANNOTATION]: "Orphan" } } },
        },
      ],
    });
    needing.pop();
    needs.emit(CONFIG_REF);
    expect(effective()).not.toHaveProperty("alternatives");
  });
});

describe("what an object asks for no more", () => {
  test("remains until the worker has taken that, and nothing is there", () => {
    const { assignments, observations, departed } = tables();
    assignments.replace(SHOP_KEY, [applyRow()]);
    assignments.replace(SHOP_KEY, []);
    expect([...assignments.leftBy(SHOP_KEY)]).toHaveLength(1);
    observations.report(CLUSTER, [absent({ writing: true, revision: 2 })]);
    expect([...assignments.leftBy(SHOP_KEY)]).toHaveLength(1);
    observations.report(CLUSTER, [absent({ revision: 2 })]);
    expect([[...assignments.leftBy(SHOP_KEY)], departed]).toEqual([[], [SHOP_KEY]]);
    expect(assignments.get(CLUSTER, CONFIG_KEY)).toBeUndefined();
  });

  test("is not taken for gone by an answer from before", () => {
    const { assignments, observations } = tables();
    assignments.replace(SHOP_KEY, [applyRow()]);
    assignments.replace(SHOP_KEY, []);
    observations.report(CLUSTER, [absent({ revision: 1 })]);
    expect([...assignments.leftBy(SHOP_KEY)]).toHaveLength(1);
  });

  test("remains as long as a copy is there that names it or nobody", () => {
    const { assignments, observations } = tables();
    assignments.replace(SHOP_KEY, [applyRow()]);
    const { owner: _, ...unnamed } = observation().present ?? {};
    observations.report(CLUSTER, [{ ...observation(), present: unnamed as never }]);
    assignments.replace(SHOP_KEY, []);
    observations.report(CLUSTER, [{ ...observation({ revision: 2 }), present: unnamed as never }]);
    expect([...assignments.leftBy(SHOP_KEY)]).toHaveLength(1);
    observations.report(CLUSTER, [observation({ revision: 2, present: { owner: CART } })]);
    expect([...assignments.leftBy(SHOP_KEY)]).toEqual([]);
  });

  test("does not remain on a cluster without a MemberCluster", () => {
    const { assignments, observations, departed } = tables();
    assignments.replace(SHOP_KEY, [applyRow()]);
    observations.contact(CLUSTER, undefined);
    assignments.replace(SHOP_KEY, []);
    expect([...assignments.leftBy(SHOP_KEY)]).toEqual([]);
    assignments.replace(CART_KEY, [applyRow({ owner: CART })]);
    observations.contact(CLUSTER, inContact);
    assignments.replace(CART_KEY, []);
    expect([...assignments.leftBy(CART_KEY)]).toHaveLength(1);
    observations.contact(CLUSTER, undefined);
    expect([[...assignments.leftBy(CART_KEY)], departed]).toEqual([[], [SHOP_KEY, CART_KEY]]);
  });
});

test("a namespace is in use as long as something is asked for there, or may remain", () => {
  const { assignments, observations } = tables();
  expect(assignments.isInUse(CLUSTER, "default")).toBe(false);
  assignments.replace(SHOP_KEY, [applyRow()]);
  assignments.replace(SHOP_KEY, []);
  expect([assignments.isInUse(CLUSTER, "default"), assignments.isInUse(CLUSTER, "other")]).toEqual([true, false]);
  observations.report(CLUSTER, [absent({ revision: 2 })]);
  expect(assignments.isInUse(CLUSTER, "default")).toBe(false);
});

describe("the assignment of a worker", () => {
  async function read(deltas: AsyncIterator<WorkDelta>): Promise<string[]> {
    const { value } = await deltas.next();
    return value === undefined ? [] : textsOf(value as WorkDelta);
  }

  test("begins with what is expected, the kinds and every row, and goes on with each change", async () => {
    const { assignments, state, kindsChanged } = tables();
    assignments.replace(SHOP_KEY, [applyRow()]);
    const stop = new AbortController();
    const deltas = assignments.assignment(CLUSTER, stop.signal)[Symbol.asyncIterator]();
    expect([await read(deltas), await read(deltas), await read(deltas)]).toEqual([
      [`expected ${SHOP_KEY}`],
      ["kinds ConfigMap"],
      ["Apply h1"],
    ]);
    const next = read(deltas);
    assignments.replace(SHOP_KEY, [applyRow({ hash: "h2" })]);
    assignments.replace(SHOP_KEY, [applyRow({ hash: "h3" })]);
    expect(await next).toEqual(["Apply h3"]);
    assignments.replace(SHOP_KEY, []);
    expect(await read(deltas)).toEqual(["none"]);
    state.kinds = [];
    kindsChanged();
    expect(await read(deltas)).toEqual(["kinds "]);
    stop.abort();
    expect((await deltas.next()).done).toBe(true);
  });

  test("holds nothing of other clusters, and ends when the worker does", async () => {
    const { assignments } = tables();
    const stop = new AbortController();
    const deltas = assignments.assignment("frankfurt-1", stop.signal)[Symbol.asyncIterator]();
    await deltas.next();
    await deltas.next();
    expect(await read(deltas)).toEqual([]);
    const next = deltas.next();
    assignments.replace(SHOP_KEY, [applyRow()]);
    stop.abort();
    expect((await next).done).toBe(true);
  });
});

describe("what is known of the table as a whole", () => {
  const counts = ({ assignments }: ReturnType<typeof tables>) => [...assignments.sync];

  test("how many member objects are as they are to be follows rows, observations and departures", () => {
    const parts = tables();
    const { assignments, observations } = parts;
    assignments.replace(SHOP_KEY, [applyRow()]);
    expect(counts(parts)).toEqual([{ kind: "ConfigMap", upToDate: 0, outOfSync: 1 }]);
    observations.report(CLUSTER, [observation()]);
    expect(counts(parts)).toEqual([{ kind: "ConfigMap", upToDate: 1, outOfSync: 0 }]);
    assignments.replace(SHOP_KEY, [applyRow({ hash: "h2" })]);
    expect(counts(parts)).toEqual([{ kind: "ConfigMap", upToDate: 0, outOfSync: 1 }]);
    assignments.replace(SHOP_KEY, [deleteRow()]);
    expect(counts(parts)).toEqual([{ kind: "ConfigMap", upToDate: 0, outOfSync: 1 }]);
    observations.report(CLUSTER, [absent()]);
    expect(counts(parts)).toEqual([{ kind: "ConfigMap", upToDate: 0, outOfSync: 0 }]);
  });

  test("who asked last for another thing is known", () => {
    const { assignments } = tables();
    const origin = (reconcileId: string) => ({
      spanContext: { traceId: "t", spanId: "s", traceFlags: 1 },
      reconcileId,
      at: 0,
    });
    expect([...assignments.replace(SHOP_KEY, [applyRow()], origin("first"))]).toEqual([CLUSTER]);
    expect([...assignments.replace(SHOP_KEY, [applyRow()], origin("the same once more"))]).toEqual([]);
    expect(assignments.get(CLUSTER, CONFIG_KEY)?.origin?.reconcileId).toBe("first");
  });
});

describe("rows are the same", () => {
  const same = (before: Row, after: Row): boolean => {
    const { assignments } = tables();
    assignments.replace(SHOP_KEY, [before]);
    return assignments.replace(SHOP_KEY, [after]).size === 0;
  };
  const why = { reason: "Other", message: "x" };

  test.each<{ name: string; before: Row; after: Row; want: boolean }>([
    { name: "an apply again", before: applyRow(), after: applyRow({ hubVersion: "9" }), want: true },
    { name: "an apply of another state", before: applyRow(), after: applyRow({ hash: "h2" }), want: false },
    {
      name: "an apply with another conflict resolution",
      before: applyRow(),
      after: applyRow({ conflictResolution: "Adopt" }),
      want: false,
    },
    {
      name: "an apply with other labels of its namespace",
      before: applyRow({ namespaceLabels: { a: "1" } }),
      after: applyRow({ namespaceLabels: { a: "2" } }),
      want: false,
    },
    {
      name: "an apply with the same labels",
      before: applyRow({ namespaceLabels: { a: "1", b: "2" } }),
      after: applyRow({ namespaceLabels: { b: "2", a: "1" } }),
      want: true,
    },
    {
      name: "an apply with as many other alternatives",
      before: applyRow({ alternatives: [applyRow({ hash: "a" })] }),
      after: applyRow({ alternatives: [applyRow({ hash: "b" })] }),
      want: false,
    },
    {
      name: "an apply with the same alternatives",
      before: applyRow({ alternatives: [applyRow({ hash: "a" })] }),
      after: applyRow({ alternatives: [applyRow({ hash: "a" })] }),
      want: true,
    },
    { name: "another role", before: applyRow(), after: applyRow({ role: "dependency" }), want: false },
    { name: "another verb", before: applyRow(), after: holdRow({ hash: "h1" }), want: false },
    { name: "a hold again", before: holdRow(), after: holdRow(), want: true },
    { name: "a hold of what is not wanted", before: holdRow(), after: holdRow({ wanted: false }), want: false },
    { name: "a hold that looks", before: holdRow(), after: holdRow({ confirm: true }), want: false },
    { name: "a hold of another state", before: holdRow({ hash: "a" }), after: holdRow({ hash: "b" }), want: false },
    { name: "a hold for another reason", before: holdRow(), after: holdRow({ why }), want: false },
    {
      name: "a hold for the same reason in other words",
      before: holdRow({ why }),
      after: holdRow({ why: { ...why, message: "y" } }),
      want: false,
    },
    { name: "a removal again", before: deleteRow(), after: deleteRow(), want: true },
    { name: "a removal of another life", before: deleteRow(), after: deleteRow({ uid: "x" }), want: false },
    { name: "a removal for another reason", before: deleteRow(), after: deleteRow({ why }), want: false },
    { name: "letting go", before: deleteRow(), after: deleteRow({ verb: "Release" as never }), want: false },
  ])("$name: $want", ({ before, after, want }) => expect(same(before, after)).toBe(want));
});

describe("the worker has taken what is asked for", () => {
  const isAcknowledged = ({ assignments }: ReturnType<typeof tables>): boolean => {
    const cell = assignments.get(CLUSTER, CONFIG_KEY);
    return cell === undefined || assignments.isAcknowledged(cell);
  };

  test("when it said so, and not after another change", () => {
    const all = tables();
    all.assignments.replace(SHOP_KEY, [holdRow()]);
    expect(isAcknowledged(all)).toBe(false);
    all.observations.report(CLUSTER, [observation({ revision: 1 })]);
    expect(isAcknowledged(all)).toBe(true);
    all.assignments.replace(SHOP_KEY, [deleteRow()]);
    expect(isAcknowledged(all)).toBe(false);
  });

  test("as far as that matters, while it is to be applied", () => {
    const all = tables();
    all.assignments.replace(SHOP_KEY, [applyRow()]);
    expect(isAcknowledged(all)).toBe(true);
  });

  test("of what nobody has asked for is nothing to take", () => {
    const { assignments } = tables();
    assignments.replace(SHOP_KEY, [applyRow()]);
    const cell = assignments.get(CLUSTER, CONFIG_KEY);
    if (cell === undefined) throw new Error("no cell");
    expect(assignments.isAcknowledged({ ...cell, key: "/ConfigMap/default/other" })).toBe(true);
    expect(assignments.isAcknowledged({ ...cell, cluster: "elsewhere" })).toBe(true);
  });
});

test("a change of a member object concerns who asks for it, who asked, and whom it names and named", () => {
  const { assignments } = tables();
  const change = (before?: OwnerRef, after?: OwnerRef) => ({
    cluster: CLUSTER,
    key: CONFIG_KEY,
    ref: CONFIG_REF,
    before: before && observation({ present: { owner: before } }),
    after: after && observation({ present: { owner: after } }),
    named: { before: before && refKey(before), after: after && refKey(after) },
  });
  expect([...assignments.concernedBy(change())]).toEqual([]);
  expect([...assignments.concernedBy(change(SHOP, CART))]).toEqual([SHOP_KEY, CART_KEY]);
  assignments.replace(SHOP_KEY, [applyRow()]);
  expect([...assignments.concernedBy(change())]).toEqual([SHOP_KEY]);
  assignments.replace(SHOP_KEY, []);
  expect([...assignments.concernedBy(change(undefined, CART))]).toEqual([SHOP_KEY, CART_KEY]);
});
