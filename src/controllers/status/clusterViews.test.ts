import { describe, expect, test } from "vitest";
import { refKey, REGION_LABEL } from "../../apis/index.ts";
import type { ClusterContact } from "../tables/clusterContact.ts";
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
});

describe("the view of a member object", () => {
  const available = { state: "Available" } as const;
  const inTheWay = { reason: AWAITING_REPLACEMENT, message: "it serves until then" };
  const failure = { reason: "Forbidden", message: "no", final: true };
  const awaited = { reason: "CustomObjectsExist", message: "3 objects of it exist", final: true };
  const seen = { ref: CONFIG_REF, role: "rendered", observedHash: "h1", health: available };

  const h1 = { ...seen, desiredHash: "h1", inSync: true };
  const missing = { ref: CONFIG_REF, role: "rendered", desiredHash: "h1", inSync: false };
  const outgoing = { ...seen, inSync: false };
  const deleting = (more: object = {}) => observation({ present: { deleting: true, ...more } });
  const replaced = holdRow({ hash: "h1", why: { reason: REPLACED, message: "made anew" } });
  test.each<[string, Row | undefined, Observation | undefined, object | undefined, Row?]>([
    ["in sync", applyRow(), observation(), h1],
    ["with earlier content", applyRow({ hash: "h2" }), observation(), { ...outgoing, desiredHash: "h2" }],
    ["not created yet", applyRow({ role: "dependency" }), undefined, { ...missing, role: "dependency" }],
    ["that a finalizer keeps", deleteRow(), deleting({ finalizers: ["x/y"] }), { ...outgoing, finalizers: ["x/y"] }],
    ["in deletion", deleteRow(), deleting(), { ...outgoing, finalizers: [] }],
    ["that the member refuses", applyRow(), absent({ failure }), { ...missing, failure }],
    ["frozen as wanted", holdRow({ hash: "h1" }), observation({ inSyncWith: undefined as never }), h1],
    ["frozen with other content", holdRow({ hash: "h2" }), observation(), { ...outgoing, desiredHash: "h2" }],
    ["that is a frozen dependency", holdRow({ role: "dependency" }), observation(), undefined],
    ["to be removed", deleteRow(), observation(), outgoing],
    ["that was removed", deleteRow(), absent(), undefined],
    ["without a row", undefined, observation(), undefined],
    [
      "held for a lasting reason",
      holdRow({ wanted: false, why: inTheWay }),
      observation(),
      { ...outgoing, stays: inTheWay },
    ],
    ["whose removal needs agreement", deleteRow(), observation({ failure: awaited }), { ...outgoing, stays: awaited }],
    ["whose removal fails", deleteRow(), observation({ failure }), { ...outgoing, failure }],
    [
      "from before the join",
      holdRow({ wanted: false, why: { reason: "FoundOnJoin", message: "" } }),
      observation(),
      undefined,
    ],
    [
      "that waits for a replacement",
      replaced,
      observation(),
      { ...h1, failure: { reason: REPLACED, message: "made anew", final: false } },
    ],
    ["that waits for a replacement and was refused", replaced, observation({ failure }), { ...h1, failure }],
    ["to be removed, that another owner applies", deleteRow(), observation(), undefined, applyRow({ owner: CART })],
    ["to be removed, that another owner holds", deleteRow(), observation(), undefined, holdRow({ owner: CART })],
    ["that two owners remove", deleteRow(), observation(), outgoing, holdRow({ owner: CART, wanted: false })],
    ["that two owners apply", applyRow(), observation(), h1, applyRow({ owner: CART, hash: "h2" })],
  ])("%s", (_, row, report, want, others) => {
    const shown = viewing().view(row, report, others);
    if (want === undefined) expect(shown).toBeUndefined();
    else expect(shown).toStrictEqual(want);
  });

  const unreadable = (message: string) => ({
    ...inContact,
    synced: false,
    unreadable: new Map([["/ConfigMap", message]]),
  });
  test.each<[string, ClusterContact, object]>([
    [
      "no longer served",
      { ...unreadable("not served"), unserved: new Set(["/ConfigMap"]) },
      { outOfSight: { reason: "KindNotServed", message: "not served" } },
    ],
    ["whose watch was refused", unreadable("refused"), {}],
  ])("in sync, of a kind %s", (_, contact, more) => {
    const { view, observations } = viewing();
    observations.contact(CLUSTER, contact);
    expect(view(applyRow(), observation())).toStrictEqual({ ...h1, ...more });
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
    const unreadable = new Map([["/ConfigMap", "configmaps cannot be watched on the member"]]);
    observations.contact(CLUSTER, { ...inContact, unreadable });
    expect(view(applyRow(), absent({ failure }))).toMatchObject({
      failure: { reason: "NotObserved", message: "configmaps cannot be watched on the member", final: true },
    });
    expect(view(applyRow(), observation())).not.toHaveProperty("failure");
  });

  test("and that is not known to be there is that it may be there all the same", () => {
    const { view, observations } = viewing();
    expect(view(applyRow(), absent())).not.toHaveProperty("isUnobserved");
    observations.contact(CLUSTER, { ...inContact, synced: false });
    expect(view(applyRow(), absent())).toMatchObject({ isUnobserved: true });
    expect(view(applyRow(), observation())).not.toHaveProperty("isUnobserved");
  });
});

test("what may be left and may not be looked for stays until its kind is granted", () => {
  const { views, observations, assignments } = viewing();
  const unreadable = new Map([["/ConfigMap", "configmaps are not granted: run it"]]);
  const staysFor = (row: Row, ungranted: string[]): unknown => {
    observations.contact(CLUSTER, { ...inContact, unreadable, ungranted: new Set(ungranted) });
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
    message: {
      what: "namespace default is not granted",
      remedy: "`meridian join shanghai-1 --renew --namespaces shop,default --member-kubeconfig FILE`",
    },
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

  test("what may be left of an object that belongs to no namespace, or is gone, stays", () => {
    expect(granting("default").views([], [CLUSTER])[0]?.stays).toMatchObject({
      reason: "NamespaceNotGranted",
      message: { what: "cluster-scoped objects are not granted" },
    });
  });

  test("an object of another one has failed there, whatever else is known of it", () => {
    const failure = { reason: "Forbidden", message: "no", final: false };
    expect(granting("shop").view(applyRow(), absent({ failure }))?.failure).toStrictEqual({
      ...notGranted,
      final: true,
    });
    const { view, observations } = granting("shop");
    observations.contact(CLUSTER, { ...inContact, unreadable: new Map([["/ConfigMap", "cannot be watched"]]) });
    expect(view(applyRow(), undefined)?.failure).toStrictEqual({ ...notGranted, final: true });
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
