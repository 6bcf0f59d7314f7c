import { describe, expect, test } from "vitest";
import { refKey, REGION_LABEL } from "../../apis/index.ts";
import type { ClusterContact } from "../../clusters/index.ts";
import { AWAITING_REPLACEMENT, type Observation, REPLACED, type Row } from "../../desiredstate/index.ts";
import type { RowView } from "../../status/index.ts";
import { clusterViews, type ViewSources } from "./clusterViews.ts";
import {
  absent,
  applyRow,
  CLUSTER,
  CONFIG_REF,
  deleteRow,
  holdRow,
  inContact,
  observation,
  owner,
  SHOP,
} from "../testing/builders.ts";
import { copySources, hubObject, member, planOn } from "../testing/copySources.ts";

const SHOP_KEY = refKey(SHOP);
const CART = owner("cart");
const CART_KEY = refKey(CART);

function viewing() {
  const all = copySources();
  const state = { lastContact: undefined as number | undefined };
  const contacts = { of: () => inContact, lastContact: () => state.lastContact };
  const sources = { ...all.sources, contacts } as unknown as ViewSources;
  const views = (clusters: string[] = [CLUSTER], remaining: string[] = []) =>
    clusterViews(sources, SHOP_KEY, planOn(clusters, { remaining: new Set(remaining) }));
  /** The view of the member object for this row of the application, and this report of the member. */
  const view = (row: Row | undefined, report: Observation | undefined, others?: Row): RowView | undefined => {
    if (row !== undefined) all.assignments.replace(SHOP_KEY, [row]);
    if (others !== undefined) all.assignments.replace(CART_KEY, [others]);
    if (report !== undefined) all.observations.report(CLUSTER, [report]);
    return views()[0]?.rows[0];
  };
  return { ...all, state, views, view };
}

describe("the clusters of an object", () => {
  test("are those of its target, and those where something may be left", () => {
    const { views, join, state } = viewing();
    join(member("b", { labels: { [REGION_LABEL]: "europe" } }));
    expect(views(["b", CLUSTER], ["left", CLUSTER])).toStrictEqual([
      { name: "b", region: "europe", contact: inContact, rows: [] },
      { name: CLUSTER, contact: inContact, rows: [], mayRemain: true },
      { name: "left", contact: inContact, rows: [], mayRemain: true },
    ]);
    state.lastContact = 5;
    expect(views()).toMatchObject([{ lastContact: 5 }]);
  });

  test("have the rows that are about them; what another cluster claims to have counts for nothing", () => {
    const { views, assignments } = viewing();
    assignments.replace(SHOP_KEY, [
      applyRow(),
      applyRow({ ref: { ...CONFIG_REF, name: "b" } }),
      applyRow({ cluster: "elsewhere" }),
    ]);
    expect(views().map(({ name, rows }) => [name, rows.map(({ ref }) => ref.name)])).toEqual([
      [CLUSTER, ["shop", "b"]],
    ]);
  });

  test("have nothing while the object has no target", () => {
    const { sources } = viewing();
    expect(
      clusterViews(sources as unknown as ViewSources, SHOP_KEY, { target: undefined, remaining: new Set() }),
    ).toEqual([]);
  });
});

describe("what is said of one member object", () => {
  const available = { state: "Available" } as const;
  const inTheWay = { reason: AWAITING_REPLACEMENT, message: "it serves until then" };
  const failure = { reason: "Forbidden", message: "no", final: true };
  const awaited = { reason: "CustomObjectsExist", message: "3 objects of it exist", final: true };
  const seen = { ref: CONFIG_REF, role: "rendered", observedHash: "h1", health: available };

  test.each<{
    name: string;
    row?: Row;
    report?: Observation;
    contact?: ClusterContact;
    others?: Row;
    want: object | undefined;
  }>([
    {
      name: "that is as it is to be",
      row: applyRow(),
      report: observation(),
      want: { ...seen, desiredHash: "h1", inSync: true },
    },
    {
      name: "that is as it is to be, of a kind that the member does not serve any more",
      row: applyRow(),
      report: observation(),
      contact: {
        ...inContact,
        synced: false,
        unseen: new Map([["/ConfigMap", "not served"]]),
        unserved: new Set(["/ConfigMap"]),
      },
      want: {
        ...seen,
        desiredHash: "h1",
        inSync: true,
        outOfSight: { reason: "KindNotServed", message: "not served" },
      },
    },
    {
      name: "that is as it is to be, of a kind whose watch was refused",
      row: applyRow(),
      report: observation(),
      contact: { ...inContact, synced: false, unseen: new Map([["/ConfigMap", "refused"]]) },
      want: { ...seen, desiredHash: "h1", inSync: true },
    },
    {
      name: "that is still what it was before",
      row: applyRow({ hash: "h2" }),
      report: observation(),
      want: { ...seen, desiredHash: "h2", inSync: false },
    },
    {
      name: "that is not there yet",
      row: applyRow({ role: "dependency" }),
      want: { ref: CONFIG_REF, role: "dependency", desiredHash: "h1", inSync: false },
    },
    {
      name: "that is being deleted, with what holds it",
      row: deleteRow(),
      report: observation({ present: { deleting: true, finalizers: ["example.com/hold"] } }),
      want: { ...seen, inSync: false, finalizers: ["example.com/hold"] },
    },
    {
      name: "that is being deleted, and that nothing holds",
      row: deleteRow(),
      report: observation({ present: { deleting: true } }),
      want: { ...seen, inSync: false, finalizers: [] },
    },
    {
      name: "that has no mark of what was applied",
      row: applyRow(),
      report: observation({ present: { hash: undefined as never } }),
      want: { ...seen, desiredHash: "h1", observedHash: "", inSync: false },
    },
    {
      name: "that the member refuses",
      row: applyRow(),
      report: absent({ failure }),
      want: { ref: CONFIG_REF, role: "rendered", desiredHash: "h1", inSync: false, failure },
    },
    {
      name: "that is frozen as it is wanted",
      row: holdRow({ hash: "h1" }),
      report: observation({ inSyncWith: undefined as never }),
      want: { ...seen, desiredHash: "h1", inSync: true },
    },
    {
      name: "that is frozen and another one is wanted",
      row: holdRow({ hash: "h2" }),
      report: observation(),
      want: { ...seen, desiredHash: "h2", inSync: false },
    },
    {
      name: "that is frozen and of which nobody knows what is wanted",
      row: holdRow(),
      report: observation({ present: { hash: undefined as never } }),
      want: { ...seen, observedHash: "", inSync: false },
    },
    {
      name: "that is a frozen dependency",
      row: holdRow({ role: "dependency" }),
      report: observation(),
      want: undefined,
    },
    { name: "that is to go", row: deleteRow(), report: observation(), want: { ...seen, inSync: false } },
    { name: "that went", row: deleteRow(), report: absent(), want: undefined },
    { name: "that names the object and has no row", report: observation(), want: undefined },
    {
      name: "that stays for a reason that somebody has to know",
      row: holdRow({ wanted: false, why: inTheWay }),
      report: observation(),
      want: { ...seen, inSync: false, stays: inTheWay },
    },
    {
      name: "that stays for a reason that passes",
      row: holdRow({ wanted: false, why: { reason: "PlanningIncomplete", message: "" } }),
      report: observation(),
      want: { ...seen, inSync: false },
    },
    {
      name: "that is wanted, and held for such a reason",
      row: holdRow({ hash: "h1", why: inTheWay }),
      report: observation(),
      want: { ...seen, desiredHash: "h1", inSync: true },
    },
    {
      name: "that stays although it is as it was asked for once",
      row: holdRow({ wanted: false, hash: "h1", why: { reason: "HubNotSynced", message: "m" } }),
      report: observation(),
      want: { ...seen, inSync: false },
    },
    {
      name: "of a dependency that is to stay for a while",
      row: holdRow({ wanted: false, role: "dependency", why: { reason: "HubNotSynced", message: "m" } }),
      report: observation(),
      want: { ...seen, role: "dependency", inSync: false },
    },
    {
      name: "that is to go once somebody has agreed",
      row: deleteRow(),
      report: observation({ failure: awaited }),
      want: { ...seen, inSync: false, stays: awaited },
    },
    {
      name: "that is to go and that the member keeps",
      row: deleteRow(),
      report: observation({ failure }),
      want: { ...seen, inSync: false, failure },
    },
    {
      name: "that is to be there and fails with what a removal waits for",
      row: applyRow(),
      report: absent({ failure: awaited }),
      want: { ref: CONFIG_REF, role: "rendered", desiredHash: "h1", inSync: false, failure: awaited },
    },
    {
      name: "that is to go for what makes others wait",
      row: deleteRow({ why: { reason: REPLACED, message: "made anew" } }),
      report: observation(),
      want: { ...seen, inSync: false },
    },
    {
      name: "that was there before the join",
      row: holdRow({ wanted: false, why: { reason: "FoundOnJoin", message: "" } }),
      report: observation(),
      want: undefined,
    },
    {
      name: "that waits for a dependency that is made anew",
      row: holdRow({ hash: "h1", why: { reason: REPLACED, message: "made anew" } }),
      report: observation(),
      want: {
        ...seen,
        desiredHash: "h1",
        inSync: true,
        failure: { reason: REPLACED, message: "made anew", final: false },
      },
    },
    {
      name: "that waits for that, and was refused",
      row: holdRow({ hash: "h1", why: { reason: REPLACED, message: "made anew" } }),
      report: observation({ failure }),
      want: { ...seen, desiredHash: "h1", inSync: true, failure },
    },
    {
      name: "that is to go and that another object applies",
      row: deleteRow(),
      others: applyRow({ owner: CART }),
      report: observation(),
      want: undefined,
    },
    {
      name: "that is to go and that another object holds as its own",
      row: deleteRow(),
      others: holdRow({ owner: CART }),
      report: observation(),
      want: undefined,
    },
    {
      name: "that is to go and that another object lets go of",
      row: deleteRow(),
      others: holdRow({ owner: CART, wanted: false }),
      report: observation(),
      want: { ...seen, inSync: false },
    },
    {
      name: "that two objects apply",
      row: applyRow(),
      others: applyRow({ owner: CART, hash: "h2" }),
      report: observation(),
      want: { ...seen, desiredHash: "h1", inSync: true },
    },
  ])("$name", ({ row, report, contact, others, want }) => {
    const all = viewing();
    if (contact !== undefined) all.observations.contact(CLUSTER, contact);
    const shown = all.view(row, report, others);
    if (want === undefined) expect(shown).toBeUndefined();
    else expect(shown).toStrictEqual(want);
  });

  test.each([AWAITING_REPLACEMENT, "HoldsData", "HubWentBack", "KindBeingDeleted", "Suspended"])(
    "that stays for %s is told to whoever can change that",
    (reason) => {
      const why = { reason, message: "m" };
      const shown = viewing().view(holdRow({ wanted: false, why }), observation());
      expect(shown).toStrictEqual({ ...seen, inSync: false, stays: why });
    },
  );

  test.each([
    { name: "its conditions", more: { conditions: [{ type: "Ready", status: "True" }] } },
    { name: "its addresses", more: { addresses: [{ ip: "10.0.0.1" }] } },
    { name: "its status", more: { status: { readyNodes: 2 } } },
    { name: "that its status is old", more: { isStatusOld: true } },
  ])("that has more to say comes with $name", ({ more }) => {
    const shown = viewing().view(applyRow(), observation({ present: more as object }));
    expect(shown).toStrictEqual({ ...seen, desiredHash: "h1", inSync: true, ...more });
  });

  test.each([
    { name: "is still there: it is to go", others: undefined, want: [{ ...seen, inSync: false }] },
    { name: "another one asks for by now", others: applyRow({ owner: CART }), want: [] },
    { name: "another one holds as its own", others: holdRow({ owner: CART }), want: [] },
    { name: "another one is to lose", others: deleteRow({ owner: CART }), want: [{ ...seen, inSync: false }] },
  ])("that nobody asks for any more and that $name", ({ others, want }) => {
    const { assignments, observations, views } = viewing();
    observations.report(CLUSTER, [observation()]);
    assignments.replace(SHOP_KEY, [applyRow()]);
    if (others !== undefined) assignments.replace(CART_KEY, [others]);
    assignments.replace(SHOP_KEY, []);
    expect(views()[0]?.rows).toStrictEqual(want);
  });

  test("of a kind that cannot be read there is that nobody sees it", () => {
    const { view, observations } = viewing();
    const unseen = new Map([["/ConfigMap", "configmaps cannot be watched on the member"]]);
    observations.contact(CLUSTER, { ...inContact, unseen });
    expect(view(applyRow(), absent({ failure }))).toMatchObject({
      failure: { reason: "NotObserved", message: "configmaps cannot be watched on the member", final: true },
    });
    expect(view(applyRow(), observation())).not.toHaveProperty("failure");
  });

  test("and that is not known to be there is that it may be there all the same", () => {
    const { view, observations } = viewing();
    expect(view(applyRow(), absent())).not.toHaveProperty("isUnseen");
    observations.contact(CLUSTER, { ...inContact, synced: false });
    expect(view(applyRow(), absent())).toMatchObject({ isUnseen: true });
    expect(view(applyRow(), observation())).not.toHaveProperty("isUnseen");
  });
});

test("what may be left and may not be looked for stays until its kind is granted", () => {
  const { views, observations, assignments } = viewing();
  const unseen = new Map([["/ConfigMap", "configmaps are not granted: run it"]]);
  const staysFor = (row: Row, ungranted: string[]): unknown => {
    observations.contact(CLUSTER, { ...inContact, unseen, ungranted: new Set(ungranted) });
    assignments.replace(SHOP_KEY, [row]);
    return views([], [CLUSTER])[0]?.stays;
  };
  const removed = holdRow({ wanted: false, confirm: true });
  expect(staysFor(removed, ["/ConfigMap"])).toStrictEqual({
    reason: "Forbidden",
    message: "configmaps are not granted: run it",
  });
  expect(staysFor(removed, [])).toBeUndefined();
});

describe("where a cluster takes some namespaces only", () => {
  const notGranted = {
    reason: "NamespaceNotGranted",
    message: expect.stringContaining("namespace default is not granted") as string,
  };
  const granting = (...namespaces: string[]) => {
    const all = viewing();
    all.join(member(CLUSTER, {}, { namespaces }));
    return all;
  };

  test("what may be left in another one stays, since nobody can see it", () => {
    const { views, have } = granting("shop");
    have(hubObject("shop"));
    expect(views([], [CLUSTER])).toStrictEqual([
      { name: CLUSTER, contact: inContact, rows: [], mayRemain: true, stays: notGranted },
    ]);
  });

  test("what may be left in one of these does not", () => {
    const { views, have } = granting("default");
    have(hubObject("shop"));
    expect(views([], [CLUSTER])[0]).not.toHaveProperty("stays");
  });

  test("what may be left of an object that belongs to no namespace, or is gone, stays", () => {
    expect(granting("default").views([], [CLUSTER])[0]?.stays).toMatchObject({
      reason: "NamespaceNotGranted",
      message: expect.stringContaining("cluster-scoped objects") as string,
    });
  });

  test("an object of another one has failed there, whatever else is known of it", () => {
    const failure = { reason: "Forbidden", message: "no", final: false };
    expect(granting("shop").view(applyRow(), absent({ failure }))?.failure).toStrictEqual({
      ...notGranted,
      final: true,
    });
    const { view, observations } = granting("shop");
    observations.contact(CLUSTER, { ...inContact, unseen: new Map([["/ConfigMap", "cannot be watched"]]) });
    expect(view(applyRow(), undefined)?.failure).toStrictEqual({ ...notGranted, final: true });
  });

  test("an object of one of these has not", () => {
    expect(granting("default").view(applyRow(), observation())).not.toHaveProperty("failure");
  });
});

describe("work that has come to its end", () => {
  const ended = { run: "r1", end: "Complete" } as const;
  const done = { ref: CONFIG_REF, role: "rendered", desiredHash: "h1", observedHash: "h1", inSync: true };
  const failed = { state: "Failed", reason: "BackoffLimitExceeded", message: "no" } as const;

  test.each<[string, Row, Observation | undefined, object]>([
    [
      "by the record, where nothing is left",
      applyRow({ run: "r1", done: "Complete" }),
      undefined,
      { ...done, ended, health: { state: "Available" } },
    ],
    [
      "as was seen a moment ago",
      applyRow({ run: "r1" }),
      { ...absent(), ended: { ...ended, status: { succeeded: 1 } } },
      { ...done, ended, status: { succeeded: 1 } },
    ],
    [
      "while a policy is suspended",
      holdRow({ run: "r1", hash: "h1", wanted: true, done: "Complete" }),
      undefined,
      { ...done, ended },
    ],
    [
      "by the record, where the copy is not as it is to be",
      applyRow({ run: "r1", done: "Complete" }),
      observation({ present: { hash: "h0" } }),
      { ...done, ended },
    ],
    [
      "in failure, with the words of the member",
      applyRow({ run: "r1", done: "Failed" }),
      observation({ present: { health: failed } }),
      { ...done, health: failed },
    ],
    [
      "in failure, where nothing is left",
      applyRow({ run: "r1", done: "Failed" }),
      undefined,
      { ...done, health: { state: "Failed", reason: "Finished" } },
    ],
  ])("%s", (_, row, report, want) => expect(viewing().view(row, report)).toMatchObject(want));

  test("is none of other work", () => {
    expect(viewing().view(applyRow({ run: "r2" }), { ...absent(), ended })).not.toHaveProperty("ended");
  });
});
