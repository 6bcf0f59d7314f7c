import { describe, expect, onTestFinished, test } from "vitest";
import { type ObjectRef, refKey } from "../../apis/index.ts";
import type { Observation, Row } from "../../desiredstate/index.ts";
import { CONFIGMAPS } from "../../runtime/index.ts";
import { GarbageReconciler } from "./garbage.ts";
import {
  absent,
  applyRow,
  CLUSTER,
  CONFIG_KEY,
  CONFIG_REF,
  inContact,
  observation,
  owner,
  SHOP,
} from "../testing/builders.ts";
import { copySources, leaving, member } from "../testing/copySources.ts";

const { signal } = new AbortController();
const SHOP_KEY = refKey(SHOP);
const CART = owner("cart");
const TEAM: ObjectRef = { apiVersion: "v1", kind: "Namespace", name: "team" };
const TEAM_KEY = `${CLUSTER} ${refKey(TEAM)}`;
const STRAY_KEY = `${CLUSTER} ${CONFIG_KEY}`;
const INSIDE: ObjectRef = { ...CONFIG_REF, namespace: "team" };

function nameless(ref = CONFIG_REF, present: object = {}): Observation {
  const { owner: _, ...rest } = observation().present ?? {};
  return observation({ ref, present: { ...rest, owner: undefined as never, ...present } });
}

/** The garbage controller. `woken`: the keys that its sources enqueue. */
function garbage() {
  const all = copySources();
  const reconciler = new GarbageReconciler(all.sources);
  const woken: string[] = [];
  const subscriptions = new DisposableStack();
  onTestFinished(() => subscriptions.dispose());
  for (const source of reconciler.sources())
    subscriptions.use(
      source.subscribe((keys) => {
        if (typeof keys === "string") woken.push(keys);
        else for (const key of keys ?? []) if (key !== undefined) woken.push(key);
      }),
    );
  const { assignments, observations } = all;
  const rowsOf = (key: string): Row[] =>
    [...assignments.of(`garbage ${key}`)].flatMap((cell) => cell.rows.get(`garbage ${key}`) ?? []);
  const rowFor = async (key: string): Promise<Row | undefined> => {
    await reconciler.reconcile(key, signal);
    return rowsOf(key)[0];
  };
  const see = (...reports: Observation[]): void => observations.report(CLUSTER, reports);
  return { ...all, reconciler, woken, rowsOf, rowFor, see };
}

type All = ReturnType<typeof garbage>;

describe("a member object that names no hub object", () => {
  test("is removed by its UID", async () => {
    const { see, rowFor, woken } = garbage();
    see(nameless());
    expect(woken).toContain(STRAY_KEY);
    expect(await rowFor(STRAY_KEY)).toEqual({
      verb: "Delete",
      cluster: CLUSTER,
      ref: CONFIG_REF,
      owner: { apiVersion: "federation.paas.cmft.com/v1alpha1", kind: "MemberCluster", name: CLUSTER, uid: "" },
      role: "rendered",
      uid: "member-1",
      why: { reason: "ObjectGone", message: "the member object names no hub object as its owner" },
    });
  });

  test("stays if it names an owner, if an owner asks or asked for it, or if it is gone", async () => {
    const { see, rowFor, assignments } = garbage();
    const verb = async () => (await rowFor(STRAY_KEY))?.verb;
    see(nameless());
    expect(await verb()).toBe("Delete");
    see(observation());
    expect(await verb()).toBeUndefined();
    see(nameless());
    assignments.replace(SHOP_KEY, [applyRow()]);
    expect(await verb()).toBeUndefined();
    assignments.replace(SHOP_KEY, []);
    expect(await verb()).toBeUndefined();
    see(observation({ present: { owner: CART }, revision: 1_000 }));
    see({ ...nameless(), revision: 1_000 });
    expect(await verb()).toBe("Delete");
    see(absent({ revision: 1_000 }));
    expect(await verb()).toBeUndefined();
  });

  const failed =
    (key: string) =>
    ({ progress }: All): void => {
      progress.begin([key]);
      progress.failed(key);
    };
  test.each<[string, (all: All) => void, string | undefined]>([
    ["while another manager is on the hub", ({ state }) => void (state.alone = false), "OtherOwner"],
    ["until the hub is read", ({ state }) => void (state.synced = false), "HubNotSynced"],
    ["while deletions are held", ({ state }) => void (state.deletionsHeld = true), "DeletionsHeld"],
    ["until its namespace is planned", failed(refKey(CART)), "PlanningIncomplete"],
    ["not for plans of other namespaces", failed(refKey({ ...CART, namespace: "other" })), undefined],
    [
      "until the cluster is fully known",
      ({ observations }) => observations.contact(CLUSTER, { ...inContact, synced: false }),
      "ClusterNotSynced",
    ],
    [
      "if Meridian cannot prove its ownership",
      ({ see }) => see(nameless(CONFIG_REF, { proven: false })),
      "OwnershipUnproven",
    ],
  ])("is held %s", async (_, change, reason) => {
    const all = garbage();
    all.see(nameless());
    change(all);
    const held = { verb: "Hold", wanted: false, why: { reason } };
    expect(await all.rowFor(STRAY_KEY)).toMatchObject(reason === undefined ? { verb: "Delete" } : held);
  });

  test("is reconciled again, while it is held, for every change of the facts", async () => {
    const { see, rowFor, woken, events, progress, observations, state } = garbage();
    see(nameless());
    const wakers: (() => void)[] = [
      () => observations.contact(CLUSTER, inContact),
      () => events.holds.emit(false),
      () => events.kindChanges.emit(CONFIGMAPS),
      () => progress.advanced.emit({ namespace: undefined }),
      () => events.othersChanged.emit(undefined),
      () => see(nameless(CONFIG_REF, { proven: false })),
    ];
    for (const waker of wakers) {
      state.synced = false;
      await rowFor(STRAY_KEY);
      woken.length = 0;
      waker();
      expect(woken).toEqual([STRAY_KEY]);
    }
    see(observation());
    await rowFor(STRAY_KEY);
    woken.length = 0;
    for (const waker of wakers.slice(0, -1)) waker();
    expect(woken).toEqual([]);
  });
});

describe("a namespace that Meridian created and no longer uses", () => {
  const removing = (spec: object = { emptyNamespaces: "Remove" }) => {
    const all = garbage();
    all.join(member(CLUSTER, {}, spec));
    all.see(nameless(TEAM));
    return all;
  };

  test("is removed if its MemberCluster says so", async () => {
    const { rowFor, woken } = removing();
    expect(woken).toEqual([TEAM_KEY]);
    const why = { reason: "NamespaceUnused", message: "Meridian made the namespace, and nothing of Meridian is in it" };
    expect(await rowFor(TEAM_KEY)).toMatchObject({ verb: "Delete", ref: TEAM, uid: "member-1", why });
  });

  test.each([{}, { emptyNamespaces: "Keep" }])("stays if its MemberCluster says %j", async (spec) => {
    expect(await removing(spec).rowFor(TEAM_KEY)).toBeUndefined();
  });

  test("stays while it has an object or a row of Meridian, and is reconciled at their end", async () => {
    const { rowFor, see, assignments, woken } = removing();
    const verb = async () => (await rowFor(TEAM_KEY))?.verb;
    see(observation({ ref: INSIDE }));
    expect(await verb()).toBeUndefined();
    woken.length = 0;
    see(absent({ ref: INSIDE }));
    expect([[...woken], await verb()]).toEqual([[TEAM_KEY], "Delete"]);
    woken.length = 0;
    assignments.replace(SHOP_KEY, [applyRow({ ref: INSIDE })]);
    expect(woken).toContain(TEAM_KEY);
    expect(await verb()).toBeUndefined();
    woken.length = 0;
    assignments.replace(SHOP_KEY, []);
    see(absent({ ref: INSIDE, revision: 1_000 }));
    expect(woken).toContain(TEAM_KEY);
    expect(await verb()).toBe("Delete");
  });

  const two = { ...INSIDE, name: "two" };
  test.each<[string, () => All, (all: All) => void]>([
    [
      "for its rows, if it stays",
      () => removing({}),
      ({ assignments }) => void assignments.replace(SHOP_KEY, [applyRow({ ref: INSIDE })]),
    ],
    [
      "if Meridian did not create it",
      garbage,
      ({ see, assignments }) => {
        see(absent({ ref: INSIDE }), absent({ ref: two }));
        assignments.replace(SHOP_KEY, [applyRow({ ref: INSIDE })]);
        assignments.replace(SHOP_KEY, []);
        see(absent({ ref: INSIDE, revision: 1_000 }));
      },
    ],
  ])("is not reconciled %s", (_name, set, change) => {
    const all = set();
    all.see(observation({ ref: INSIDE }), observation({ ref: two }));
    all.woken.length = 0;
    change(all);
    expect(all.woken).toEqual([]);
  });

  test.each<[string, (all: All) => void]>([
    ["another manager is on the hub", ({ state }) => void (state.alone = false)],
    ["another manager owns the cluster", ({ state }) => void (state.ownsCluster = false)],
    [
      "another manager's object is in this namespace on the hub",
      ({ state }) => void state.othersNamespaces.add("team"),
    ],
  ])("stays while %s, and is reconciled again later", async (_name, change) => {
    const all = removing();
    change(all);
    expect(await all.reconciler.reconcile(TEAM_KEY, signal)).toEqual({ requeueAfter: 30_000 });
    expect(all.rowsOf(TEAM_KEY)).toEqual([]);
  });

  test("stays if an object came while the hub was asked", async () => {
    const all = removing();
    const { classes } = all.sources as unknown as { classes: { isOthersNamespace: () => Promise<boolean> } };
    classes.isOthersNamespace = async () => {
      all.see(observation({ ref: INSIDE }));
      return false;
    };
    expect(await all.rowFor(TEAM_KEY)).toBeUndefined();
  });

  test("waits for the plans of its own namespace", async () => {
    const all = removing();
    const inTeam = refKey({ ...CART, namespace: "team" });
    all.progress.begin([inTeam, refKey(CART)]);
    all.progress.failed(refKey(CART));
    all.progress.failed(inTeam);
    expect(await all.rowFor(TEAM_KEY)).toMatchObject({ verb: "Hold", why: { reason: "PlanningIncomplete" } });
    all.progress.planned(inTeam);
    expect((await all.rowFor(TEAM_KEY))?.verb).toBe("Delete");
  });

  test("is reconciled with every held object when its MemberCluster changes", async () => {
    const { see, rowFor, woken, events, members, state } = removing();
    see(nameless(), observation({ ref: { ...CONFIG_REF, name: "ours" } }));
    state.synced = false;
    await rowFor(STRAY_KEY);
    woken.length = 0;
    const object = members.get(CLUSTER) ?? member();
    const change = { type: "Updated", key: CLUSTER, object, initial: false } as const;
    events.clusterEvents.emit({ ...change, initial: true });
    events.clusterEvents.emit({ ...change, old: object });
    expect(woken).toEqual([]);
    events.clusterEvents.emit({ ...change, old: member(CLUSTER, { generation: 7 }) });
    expect(woken.toSorted()).toEqual([STRAY_KEY, TEAM_KEY].toSorted());
  });
});

describe("a cluster that leaves with the policy Orphan", () => {
  const left = () => {
    const all = garbage();
    all.join(member(CLUSTER, leaving, { deletionPolicy: "Orphan" }));
    return all;
  };
  const copy = observation({ present: { owner: CART } });

  test("has every object released, whatever owner it names", async () => {
    const { see, rowFor, woken } = left();
    see(copy);
    expect(woken).toEqual([STRAY_KEY]);
    const why = { reason: "ClusterLeaving" };
    expect(await rowFor(STRAY_KEY)).toMatchObject({ verb: "Release", uid: "member-1", why });
    see(nameless(TEAM));
    expect((await rowFor(TEAM_KEY))?.verb).toBe("Release");
  });

  test("has every object reconciled when that begins", () => {
    const { see, woken, events, members } = left();
    see(copy, nameless(TEAM));
    woken.length = 0;
    const object = members.get(CLUSTER) ?? member();
    events.clusterEvents.emit({ type: "Updated", key: CLUSTER, object, old: member(), initial: false });
    expect(woken.toSorted()).toEqual([STRAY_KEY, TEAM_KEY].toSorted());
  });

  test.each<[string, (all: All) => void]>([
    ["another manager owns it", ({ state }) => void (state.ownsCluster = false)],
    ["it is drained instead", ({ join }) => join(member(CLUSTER, leaving, { deletionPolicy: "Drain" }))],
    ["it is gone", ({ members }) => members.clear()],
  ])("has no object released if %s", async (_, change) => {
    const all = left();
    change(all);
    all.see(copy);
    expect([all.woken, await all.rowFor(STRAY_KEY)]).toEqual([[], undefined]);
  });
});
