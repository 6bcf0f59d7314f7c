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

/** The controller of what no hub object stands for; every key that it is woken with. */
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

describe("a member object that names no hub object", () => {
  test("is removed, as that life of it", async () => {
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

  test("is left alone when it names one, when somebody asks for it, or when it is gone", async () => {
    const { see, rowFor, assignments } = garbage();
    see(nameless());
    expect((await rowFor(STRAY_KEY))?.verb).toBe("Delete");
    see(observation());
    expect(await rowFor(STRAY_KEY)).toBeUndefined();
    see(nameless());
    assignments.replace(SHOP_KEY, [applyRow()]);
    expect(await rowFor(STRAY_KEY)).toBeUndefined();
    assignments.replace(SHOP_KEY, []);
    expect(await rowFor(STRAY_KEY)).toBeUndefined();
    see(observation({ present: { owner: CART }, revision: 1_000 }));
    see({ ...nameless(), revision: 1_000 });
    expect((await rowFor(STRAY_KEY))?.verb).toBe("Delete");
    see(absent({ revision: 1_000 }));
    expect(await rowFor(STRAY_KEY)).toBeUndefined();
  });

  test.each<{ name: string; change: (all: ReturnType<typeof garbage>) => void; reason: string }>([
    { name: "another manager is on the hub", change: ({ state }) => void (state.alone = false), reason: "OtherOwner" },
    { name: "the hub is not read", change: ({ state }) => void (state.synced = false), reason: "HubNotSynced" },
    {
      name: "too much vanished at once",
      change: ({ state }) => void (state.deletionsHeld = true),
      reason: "DeletionsHeld",
    },
    {
      name: "an object of its namespace is not planned",
      change: ({ progress }) => {
        progress.begin([refKey(CART)]);
        progress.failed(refKey(CART));
      },
      reason: "PlanningIncomplete",
    },
    {
      name: "not all of the cluster is known",
      change: ({ observations }) => observations.contact(CLUSTER, { ...inContact, synced: false }),
      reason: "ClusterNotSynced",
    },
    {
      name: "Meridian cannot show that it is its own",
      change: ({ see }) => see(nameless(CONFIG_REF, { proven: false })),
      reason: "OwnershipUnproven",
    },
  ])("stays while $name", async ({ change, reason }) => {
    const all = garbage();
    all.see(nameless());
    change(all);
    expect(await all.rowFor(STRAY_KEY)).toMatchObject({ verb: "Hold", wanted: false, why: { reason } });
  });

  test("does not wait for the plans of other namespaces", async () => {
    const all = garbage();
    const elsewhere = refKey({ ...CART, namespace: "other" });
    all.see(nameless());
    all.progress.begin([elsewhere]);
    all.progress.failed(elsewhere);
    expect((await all.rowFor(STRAY_KEY))?.verb).toBe("Delete");
  });

  test("that cannot go yet is considered again when what it waits for may have changed", async () => {
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

describe("a namespace that Meridian made, and that holds nothing of Meridian", () => {
  const removing = (spec: object = { emptyNamespaces: "Remove" }) => {
    const all = garbage();
    all.join(member(CLUSTER, {}, spec));
    all.see(nameless(TEAM));
    return all;
  };

  test("goes where the MemberCluster says so", async () => {
    const { rowFor, woken } = removing();
    expect(woken).toEqual([TEAM_KEY]);
    expect(await rowFor(TEAM_KEY)).toMatchObject({
      verb: "Delete",
      ref: TEAM,
      uid: "member-1",
      why: { reason: "NamespaceUnused", message: "Meridian made the namespace, and nothing of Meridian is in it" },
    });
  });

  test.each([{}, { emptyNamespaces: "Keep" }])("stays where the MemberCluster says %j", async (spec) => {
    expect(await removing(spec).rowFor(TEAM_KEY)).toBeUndefined();
  });

  test("stays while something of Meridian is in it or is to come there, and is considered when that is over", async () => {
    const { rowFor, see, assignments, woken } = removing();
    see(observation({ ref: INSIDE }));
    expect(await rowFor(TEAM_KEY)).toBeUndefined();
    woken.length = 0;
    see(absent({ ref: INSIDE }));
    expect(woken).toEqual([TEAM_KEY]);
    expect((await rowFor(TEAM_KEY))?.verb).toBe("Delete");
    woken.length = 0;
    assignments.replace(SHOP_KEY, [applyRow({ ref: INSIDE })]);
    expect(woken).toContain(TEAM_KEY);
    expect(await rowFor(TEAM_KEY)).toBeUndefined();
    woken.length = 0;
    assignments.replace(SHOP_KEY, []);
    see(absent({ ref: INSIDE, revision: 1_000 }));
    expect(woken).toContain(TEAM_KEY);
    expect((await rowFor(TEAM_KEY))?.verb).toBe("Delete");
  });

  test("is not considered as long as anything of Meridian is left in it", () => {
    const { see, woken } = removing();
    const two = { ...INSIDE, name: "two" };
    see(observation({ ref: INSIDE }), observation({ ref: two }));
    woken.length = 0;
    see(observation({ ref: INSIDE, revision: 2 }), absent({ ref: two }));
    expect(woken).toEqual([]);
  });

  test("is not considered for what comes, nor for what is in no namespace", () => {
    const { see, woken, assignments } = removing();
    const { namespace: _, ...wide } = CONFIG_REF;
    woken.length = 0;
    see(absent({ ref: INSIDE }), observation({ ref: wide }), absent({ ref: wide }));
    assignments.replace(SHOP_KEY, [applyRow({ ref: wide })]);
    expect(woken).toEqual([]);
  });

  test("is not considered for what is asked for there while it is not to go", () => {
    const { see, woken, assignments } = removing({});
    see(observation({ ref: INSIDE }));
    woken.length = 0;
    assignments.replace(SHOP_KEY, [applyRow({ ref: INSIDE })]);
    expect(woken).toEqual([]);
  });

  test("is not considered for what goes from a namespace that Meridian did not make", () => {
    const { see, assignments, woken } = garbage();
    see(observation({ ref: INSIDE }));
    woken.length = 0;
    see(absent({ ref: INSIDE }));
    assignments.replace(SHOP_KEY, [applyRow({ ref: INSIDE })]);
    assignments.replace(SHOP_KEY, []);
    see(absent({ ref: INSIDE, revision: 1_000 }));
    expect(woken).toEqual([]);
  });

  test.each<{ name: string; change: (all: ReturnType<typeof garbage>) => void }>([
    { name: "another manager is on the hub", change: ({ state }) => void (state.alone = false) },
    { name: "the cluster is another manager's", change: ({ state }) => void (state.ownsCluster = false) },
    {
      name: "another manager's object is in the namespace of that name on the hub",
      change: ({ state }) => void state.othersNamespaces.add("team"),
    },
  ])("stays while $name, and is asked about again", async ({ change }) => {
    const all = removing();
    change(all);
    const result = await all.reconciler.reconcile(TEAM_KEY, signal);
    expect(result).toEqual({ requeueAfter: 30_000 });
    expect(all.rowsOf(TEAM_KEY)).toEqual([]);
  });

  test("stays when something came there while the hub was asked", async () => {
    const all = removing();
    const { classes } = all.sources as unknown as { classes: { isOthersNamespace: () => Promise<boolean> } };
    classes.isOthersNamespace = async () => {
      all.see(observation({ ref: INSIDE }));
      return false;
    };
    expect(await all.rowFor(TEAM_KEY)).toBeUndefined();
  });

  test("waits for plans of that namespace, and for no others", async () => {
    const all = removing();
    const inTeam = refKey({ ...CART, namespace: "team" });
    all.progress.begin([inTeam, refKey(CART)]);
    all.progress.failed(refKey(CART));
    all.progress.failed(inTeam);
    expect(await all.rowFor(TEAM_KEY)).toMatchObject({ verb: "Hold", why: { reason: "PlanningIncomplete" } });
    all.progress.planned(inTeam);
    expect((await all.rowFor(TEAM_KEY))?.verb).toBe("Delete");
  });

  test("is considered anew when the MemberCluster changes, and with it everything that waits", async () => {
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

describe("a cluster that leaves and keeps what runs there", () => {
  const left = () => {
    const all = garbage();
    all.join(member(CLUSTER, leaving, { deletionPolicy: "Orphan" }));
    return all;
  };
  const anybodys = observation({ present: { owner: CART } });

  test("has everything let go of, whoever it names", async () => {
    const { see, rowFor, woken } = left();
    see(anybodys);
    expect(woken).toEqual([STRAY_KEY]);
    expect(await rowFor(STRAY_KEY)).toMatchObject({
      verb: "Release",
      uid: "member-1",
      why: { reason: "ClusterLeaving" },
    });
    see(nameless(TEAM));
    expect((await rowFor(TEAM_KEY))?.verb).toBe("Release");
  });

  test("has everything on it considered when that begins", () => {
    const { see, woken, events, members } = left();
    see(anybodys, nameless(TEAM));
    woken.length = 0;
    const object = members.get(CLUSTER) ?? member();
    const change = { type: "Updated", key: CLUSTER, object, old: member(), initial: false } as const;
    events.clusterEvents.emit(change);
    expect(woken.toSorted()).toEqual([STRAY_KEY, TEAM_KEY].toSorted());
  });

  test.each<{ name: string; change: (all: ReturnType<typeof garbage>) => void }>([
    { name: "another manager sees that through", change: ({ state }) => void (state.ownsCluster = false) },
    {
      name: "it is emptied instead",
      change: ({ join }) => join(member(CLUSTER, leaving, { deletionPolicy: "Drain" })),
    },
    { name: "it is gone", change: ({ members }) => members.clear() },
  ])("has nothing let go of when $name", async ({ change }) => {
    const all = left();
    change(all);
    all.see(anybodys);
    expect(all.woken).toEqual([]);
    expect(await all.rowFor(STRAY_KEY)).toBeUndefined();
  });
});
