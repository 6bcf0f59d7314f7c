import { describe, expect, test } from "vitest";
import {
  FEDERATION_API_VERSION,
  type MemberCluster,
  type OwnerRef,
  REGION_LABEL,
  REMOVE_FOUND_ANNOTATION,
  refKey,
} from "../../apis/index.ts";
import {
  assembleRemovalFacts,
  copiesOf,
  copiesToPlan,
  isFoundOnJoin,
  isNeededByOthers,
  leavingOf,
  type Observation,
  recordedClusters,
  REPLACED,
  type Target,
  wasFoundOnJoin,
} from "../../desiredstate/index.ts";
import { freesBundles, ownersNamedBy } from "./copies.ts";
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
} from "../testing/builders.ts";
import { copySources, hubObject, leaving, member, planOn } from "../testing/copySources.ts";

const CART = owner("cart");
const SHOP_KEY = refKey(SHOP);
const CART_KEY = refKey(CART);
const ELSEWHERE = "frankfurt-1";

/** A copy whose owner annotation somebody took off. */
function unnamed(more: Partial<Observation> = {}): Observation {
  const { owner: _, ...present } = observation().present ?? {};
  return { ...observation(), ...more, present: present as NonNullable<Observation["present"]> };
}

describe("the clusters that may have copies of an object", () => {
  const east = member("east", { labels: { [REGION_LABEL]: "europe" } });
  const far = member("far", { labels: { [REGION_LABEL]: "asia" } });

  test.each([
    { name: "are those that its status names", object: hubObject("shop", ["a", "b"]), want: ["a", "b"] },
    {
      name: "are all of a region of which only a sum is known",
      object: hubObject("shop", ["a"], { summary: [{ region: "europe", clusters: 1 }] }),
      want: ["a", "east"],
    },
    {
      name: "are those that are named beside the sum",
      object: hubObject("shop", ["a"], { summary: [{ region: "europe" }], unlistedClusters: ["b"] }),
      want: ["b", "a"],
    },
  ])("$name", ({ object, want }) => {
    const { sources, have, join } = copySources();
    join(east);
    join(far);
    expect([...recordedClusters(sources.hubState, have(object))]).toEqual(want);
  });

  test("are none of an object that is gone", () => {
    expect(recordedClusters(copySources().hubState, SHOP_KEY).size).toBe(0);
  });
});

describe("the copies of an object", () => {
  test("name it, or stand for its rows and name nobody", () => {
    const { sources, observations, assignments } = copySources();
    const [named, stripped] = [observation(), unnamed({ ref: { ...CONFIG_REF, name: "stripped" } })];
    const others = observation({ ref: { ...CONFIG_REF, name: "others" }, present: { owner: CART } });
    observations.report(CLUSTER, [named, stripped, others, absent({ ref: { ...CONFIG_REF, name: "absent" } })]);
    expect(copiesOf(sources.hubState, SHOP_KEY)).toEqual([named]);
    assignments.replace(
      SHOP_KEY,
      ["shop", "stripped", "others", "absent", "unheard"].map((name) => applyRow({ ref: { ...CONFIG_REF, name } })),
    );
    expect(copiesOf(sources.hubState, SHOP_KEY)).toEqual([named, stripped]);
  });

  test("that a plan considers are also those that its rows ask for in another's name", () => {
    const { sources, observations, assignments } = copySources();
    const others = observation({ present: { owner: CART } });
    observations.report(CLUSTER, [others]);
    expect(copiesToPlan(sources.hubState, SHOP_KEY, undefined)).toEqual([]);
    assignments.replace(SHOP_KEY, [applyRow()]);
    expect(copiesToPlan(sources.hubState, SHOP_KEY, undefined)).toEqual([others]);
    assignments.replace(SHOP_KEY, []);
    expect(copiesToPlan(sources.hubState, SHOP_KEY, undefined)).toEqual([]);
  });

  test("that a plan considers are also those of what is missing on the hub, on its clusters", () => {
    const { sources, observations } = copySources();
    const others = observation({ present: { owner: CART } });
    observations.report(CLUSTER, [others]);
    observations.report(ELSEWHERE, [{ ...others, cluster: ELSEWHERE }]);
    const target = (missing: string[]): Target =>
      ({
        scheduled: { status: "True" },
        clusters: [{ name: CLUSTER }],
        missing: new Set(missing),
      }) as unknown as Target;
    expect(copiesToPlan(sources.hubState, SHOP_KEY, target([CONFIG_KEY]))).toEqual([others]);
    expect(copiesToPlan(sources.hubState, SHOP_KEY, target([]))).toEqual([]);
    expect(copiesToPlan(sources.hubState, SHOP_KEY, target(["/Secret/default/unheard"]))).toEqual([]);
  });

  test("name one or several lives of the object", () => {
    const again = owner("shop", "later");
    const copies = [observation(), observation(), unnamed(), absent(), observation({ present: { owner: again } })];
    expect(ownersNamedBy(copies)).toEqual([SHOP, again]);
  });
});

describe("a copy was there before its cluster was joined", () => {
  const joined = { creationTimestamp: "2026-01-02T00:00:00Z" };
  const before = observation({ present: { createdAt: "2026-01-01T23:59:59Z" } });
  const after = observation({ present: { createdAt: "2026-01-02T00:00:00Z" } });

  test.each([
    { name: "and names an object that was never there", copy: before, want: true },
    { name: "not when it came with the cluster or later", copy: after, want: false },
    { name: "not when nobody says how old it is", copy: observation(), want: false },
    { name: "not when nobody says when the cluster was joined", copy: before, metadata: {}, want: false },
    {
      name: "not when a person wants it removed",
      copy: before,
      metadata: { ...joined, annotations: { [REMOVE_FOUND_ANNOTATION]: "true" } },
      want: false,
    },
    {
      name: "as long as nobody says so in so many words",
      copy: before,
      metadata: { ...joined, annotations: { [REMOVE_FOUND_ANNOTATION]: "yes" } },
      want: true,
    },
    { name: "not when the object's record names the cluster", copy: before, recorded: [CLUSTER], want: false },
    { name: "though the record names other clusters", copy: before, recorded: [ELSEWHERE], want: true },
  ])("$name", ({ copy, metadata = joined, recorded = [], want }) => {
    const { sources, have, join } = copySources();
    join(member(CLUSTER, metadata));
    have(hubObject("shop", recorded));
    expect(wasFoundOnJoin(sources.hubState, SHOP_KEY, copy)).toBe(want);
  });

  test("not where there is no such cluster, nor where nothing is there", () => {
    const { sources, join, members } = copySources();
    join(member(CLUSTER, joined));
    expect(wasFoundOnJoin(sources.hubState, SHOP_KEY, absent())).toBe(false);
    members.clear();
    expect(wasFoundOnJoin(sources.hubState, SHOP_KEY, before)).toBe(false);
  });

  const found = { reason: "FoundOnJoin", message: "it was there" };
  test.each([
    { name: "as the row says that it has", row: holdRow({ wanted: false, why: found }), want: true },
    { name: "but is wanted by now", row: applyRow(), want: false },
    { name: "but is held as wanted", row: holdRow({ wanted: true, why: found }), want: false },
    { name: "but is held for another reason", row: holdRow({ wanted: false }), want: false },
    { name: "but is to go", row: deleteRow({ why: found }), want: false },
  ])("$name: $want, whatever the record says", ({ row, want }) => {
    const { sources, assignments, join } = copySources();
    join(member(CLUSTER, joined));
    assignments.replace(SHOP_KEY, [row]);
    expect([isFoundOnJoin(row), wasFoundOnJoin(sources.hubState, SHOP_KEY, before)]).toEqual([want, want]);
  });
});

describe("a member object is needed by others", () => {
  test.each([
    { name: "who apply it", row: applyRow({ owner: CART }), want: true },
    { name: "who hold it as theirs", row: holdRow({ owner: CART }), want: true },
    { name: "not who hold what is to go", row: holdRow({ owner: CART, wanted: false }), want: false },
    { name: "not who remove it", row: deleteRow({ owner: CART }), want: false },
  ])("$name", ({ row, want }) => {
    const { sources, assignments } = copySources();
    assignments.replace(CART_KEY, [row]);
    expect(isNeededByOthers(sources.hubState, CLUSTER, CONFIG_REF, SHOP_KEY)).toBe(want);
    expect(isNeededByOthers(sources.hubState, CLUSTER, CONFIG_REF, CART_KEY)).toBe(false);
    expect(isNeededByOthers(sources.hubState, ELSEWHERE, CONFIG_REF, SHOP_KEY)).toBe(false);
  });

  test.each([
    { name: "who refer to it and run there", clusters: [ELSEWHERE, CLUSTER], want: true },
    { name: "not who refer to it and run elsewhere", clusters: [ELSEWHERE], want: false },
  ])("$name", ({ clusters, want }) => {
    const { sources, referrers, plans } = copySources();
    referrers.set(CONFIG_KEY, [SHOP_KEY, CART_KEY]);
    plans.set(CART_KEY, planOn(clusters));
    plans.set(SHOP_KEY, planOn([CLUSTER]));
    expect(isNeededByOthers(sources.hubState, CLUSTER, CONFIG_REF, SHOP_KEY)).toBe(want);
  });

  test("not who refer to it and are not planned", () => {
    const { sources, referrers, plans } = copySources();
    referrers.set(CONFIG_KEY, [CART_KEY]);
    expect(isNeededByOthers(sources.hubState, CLUSTER, CONFIG_REF, SHOP_KEY)).toBe(false);
    plans.set(CART_KEY, planOn([], { target: undefined }));
    expect(isNeededByOthers(sources.hubState, CLUSTER, CONFIG_REF, SHOP_KEY)).toBe(false);
  });

  test("whom another manager places", () => {
    const { sources, state } = copySources();
    expect(isNeededByOthers(sources.hubState, CLUSTER, CONFIG_REF, SHOP_KEY)).toBe(false);
    state.needing = [CART];
    expect(isNeededByOthers(sources.hubState, CLUSTER, CONFIG_REF, SHOP_KEY)).toBe(true);
  });
});

describe("a cluster whose MemberCluster is being deleted", () => {
  test.each([
    { name: "goes on while it is not", metadata: {}, spec: { deletionPolicy: "Drain" }, want: undefined },
    { name: "goes on until somebody has said what becomes of it", metadata: leaving, spec: {}, want: undefined },
    { name: "is emptied", metadata: leaving, spec: { deletionPolicy: "Drain" }, want: "Drain" },
    { name: "keeps what runs there", metadata: leaving, spec: { deletionPolicy: "Orphan" }, want: "Keep" },
  ] as const)("$name", ({ metadata, spec, want }) => {
    expect(leavingOf(member(CLUSTER, metadata, spec))).toBe(want);
  });
});

describe("what a removal rests on", () => {
  const removal = {
    owner: SHOP,
    policy: "Delete",
    cause: { reason: "NotSelected", message: "not there any more" },
    ownership: "Ours",
  } as const;
  const held = { reason: "KindBeingDeleted", message: "its CRD is being deleted" };
  const factsOf = (all: ReturnType<typeof copySources>, copies = [observation()], more: object = {}) =>
    assembleRemovalFacts(all.hubState, copies, { ...removal, ...more });

  test("is how much is known of the hub and of the clusters with copies", () => {
    const all = copySources();
    const { neededByOthers: _, ...facts } = factsOf(all, [observation(), observation({ cluster: ELSEWHERE })]);
    expect(facts).toEqual({
      ...removal,
      hub: { synced: true, deletionsHeld: false, planned: true },
      clusters: new Map([[CLUSTER, { synced: true }]]),
      foundOnJoin: new Set(),
      othersCopies: new Set(),
      replacing: new Set(),
    });
    Object.assign(all.state, { synced: false, deletionsHeld: true });
    all.progress.begin([CART_KEY]);
    expect(factsOf(all).hub).toEqual({ synced: false, deletionsHeld: true, planned: false });
  });

  test.each([
    { name: "everything", contact: { synced: true }, want: { synced: true } },
    { name: "nothing", contact: { synced: false }, want: { synced: false } },
    {
      name: "all but a kind",
      contact: { synced: false, partlySynced: true, unseen: new Map([["/Secret", "forbidden"]]) },
      want: { synced: true, unseen: new Map([["/Secret", "forbidden"]]) },
    },
  ])("says of a cluster that $name is known there", ({ contact, want }) => {
    const all = copySources();
    all.observations.contact(CLUSTER, { ...inContact, ...contact });
    expect(factsOf(all).clusters.get(CLUSTER)).toEqual(want);
  });

  test("is that a cluster leaves; what is taken away from it waits while MemberClusters themselves are deleted as a kind", () => {
    const all = copySources();
    all.state.kindHeld = held;
    all.join(member(CLUSTER, leaving, { deletionPolicy: "Drain" }));
    expect(factsOf(all).clusters.get(CLUSTER)).toEqual({ synced: true, leaving: "Drain", held });
    expect(all.state.kindsAsked).toEqual(["MemberCluster"]);
    all.state.kindHeld = undefined;
    expect(factsOf(all).clusters.get(CLUSTER)).toEqual({ synced: true, leaving: "Drain" });
    all.state.kindsAsked.length = 0;
    all.join(member(CLUSTER, leaving, { deletionPolicy: "Orphan" }));
    expect(factsOf(all).clusters.get(CLUSTER)).toEqual({ synced: true, leaving: "Keep" });
    expect(all.state.kindsAsked).toEqual([]);
  });

  describe("where a cluster is drained", () => {
    const DATABASE = { apiVersion: "example.com/v1", kind: "Database", namespace: "default", name: "my-db" };
    const bundle = (name: string) => ({ apiVersion: FEDERATION_API_VERSION, kind: "ManifestBundle", name, uid: name });
    const OPERATOR = bundle("operator");
    const database = observation({ ref: DATABASE, present: { owner: { ...DATABASE, uid: "d" } } });
    const drained = member(CLUSTER, leaving, { deletionPolicy: "Drain" });
    const heldBy = (all: ReturnType<typeof copySources>, of: OwnerRef = OPERATOR) =>
      factsOf(all, undefined, { owner: of }).clusters.get(CLUSTER)?.held?.message;

    test.each<{ name: string; there?: Observation; of?: OwnerRef; cluster?: MemberCluster; want?: string }>([
      { name: "a bundle waits for objects of custom kinds", want: "objects of custom kinds go first: Database my-db" },
      { name: "an object of another kind waits for none", of: SHOP },
      { name: "a bundle waits for no object of another kind", there: observation() },
      {
        name: "a bundle does not wait for another bundle",
        there: observation({ ref: DATABASE, present: { owner: bundle("other") } }),
      },
      {
        name: "a bundle does not wait for what it brought",
        there: observation({ ref: DATABASE, present: { owner: OPERATOR } }),
      },
      { name: "nothing waits on a cluster that stays", cluster: member(CLUSTER) },
    ])("$name", ({ there = database, of, cluster = drained, want }) => {
      const all = copySources();
      all.join(cluster);
      all.observations.report(CLUSTER, [there]);
      expect(heldBy(all, of)).toBe(want);
    });

    test("the end of such an object frees bundles, and no other news does", () => {
      const all = copySources();
      all.join(drained);
      const freed: boolean[] = [];
      all.observations.changes.subscribe((change) => freed.push(freesBundles(all.sources, change)));
      all.observations.report(CLUSTER, [database, observation()]);
      all.observations.report(CLUSTER, [absent(), absent({ ref: DATABASE })]);
      expect(freed).toEqual([false, false, false, true]);
    });
  });

  test("is what holds an object's kind, and the objects that the hub has lost", () => {
    const all = copySources();
    expect(factsOf(all)).not.toHaveProperty("held");
    expect(factsOf(all, undefined, { held })).toMatchObject({ held });
    const lost = { reason: "HubWentBack", message: "the hub went back in time" };
    all.state.missingHeld = lost;
    expect(factsOf(all).clusters.get(CLUSTER)).toEqual({ synced: true });
    expect(factsOf(all, undefined, { lost: true }).clusters.get(CLUSTER)).toEqual({ synced: true, held: lost });
    expect(factsOf(all, undefined, { lost: true })).not.toHaveProperty("lost");
    all.state.kindHeld = held;
    all.join(member(CLUSTER, leaving, { deletionPolicy: "Drain" }));
    expect(factsOf(all, undefined, { lost: true }).clusters.get(CLUSTER)).toMatchObject({ held });
  });

  test("is which copies were there before their cluster was joined", () => {
    const all = copySources();
    all.join(member(CLUSTER, { creationTimestamp: "2026-01-02T00:00:00Z" }));
    const old = observation({ present: { createdAt: "2026-01-01T00:00:00Z" } });
    expect(factsOf(all, [old]).foundOnJoin).toEqual(new Set([`${CLUSTER}/${CONFIG_KEY}`]));
  });

  test("is which copies others need, and asks only about copies that there are", () => {
    const all = copySources();
    all.assignments.replace(CART_KEY, [applyRow({ owner: CART })]);
    const { neededByOthers } = factsOf(all);
    expect(neededByOthers.has(`${CLUSTER}/${CONFIG_KEY}`)).toBe(true);
    expect(neededByOthers.has(`${ELSEWHERE}/${CONFIG_KEY}`)).toBe(false);
    expect(factsOf(all, []).neededByOthers.has(`${CLUSTER}/${CONFIG_KEY}`)).toBe(false);
    all.assignments.replace(CART_KEY, []);
    expect(neededByOthers.has(`${CLUSTER}/${CONFIG_KEY}`)).toBe(false);
  });

  test("is on which clusters a dependency is being made anew", () => {
    const all = copySources();
    const why = { reason: REPLACED, message: "replaced on the hub" };
    const on = (cluster: string) => ({ cluster, ref: { ...CONFIG_REF, name: cluster } });
    all.assignments.replace(SHOP_KEY, [
      deleteRow({ ...on("a"), why }),
      holdRow({ ...on("b"), why }),
      applyRow(on("c")),
      deleteRow(on("d")),
    ]);
    all.assignments.replace(CART_KEY, [deleteRow({ ...on("e"), owner: CART, why })]);
    expect(factsOf(all).replacing).toEqual(new Set(["a", "b"]));
  });

  test.each([
    { name: "when another manager's object is named as its owner", named: CART, ours: false, want: true },
    { name: "when nobody has planned the named owner", named: CART, ours: undefined, want: true },
    { name: "not when all who need it are ours", named: CART, ours: true, want: false },
    { name: "when another manager's object needs it", named: CART, ours: true, needing: [SHOP], want: true },
  ])("is which dependencies that refused a change others have a part in: $name", ({ named, ours, needing, want }) => {
    const all = copySources();
    if (ours !== undefined) all.plans.set(CART_KEY, planOn([], { ours }));
    all.state.needing = needing ?? [];
    const refused = observation({ present: { owner: named, refused: ["h2"] } });
    const key = `${CLUSTER}/${CONFIG_KEY}`;
    expect(factsOf(all, [refused]).othersCopies).toEqual(new Set(want ? [key] : []));
    expect(factsOf(all, [observation({ present: { owner: named } })]).othersCopies.size).toBe(0);
  });
});
