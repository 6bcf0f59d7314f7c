import { describe, expect, test } from "vitest";
import {
  FEDERATION_API_VERSION,
  type KubeObject,
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
  type Row,
  type Target,
  wasFoundOnJoin,
} from "../../desiredstate/index.ts";
import type { Plan } from "../states/index.ts";
import { freesBundles } from "./copies.ts";
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

/** A copy without an owner annotation. */
function unnamed(more: Partial<Observation> = {}): Observation {
  const { owner: _, ...present } = observation().present ?? {};
  return { ...observation(), ...more, present: present as NonNullable<Observation["present"]> };
}

type All = ReturnType<typeof copySources>;
const JOINED = { creationTimestamp: "2026-01-02T00:00:00Z" };
const before = observation({ present: { createdAt: "2026-01-01T23:59:59Z" } });

test.each<[string, KubeObject | undefined, string[]]>([
  ["of its status", hubObject("shop", ["a", "b"]), ["a", "b"]],
  [
    "of a region that the status sums up",
    hubObject("shop", ["a"], { summary: [{ region: "europe", clusters: 1 }] }),
    ["a", "east"],
  ],
  [
    "that are listed beside the sum",
    hubObject("shop", ["a"], { summary: [{ region: "europe" }], unlistedClusters: ["b"] }),
    ["b", "a"],
  ],
  ["of an object that is gone: none", undefined, []],
])("the recorded clusters of an object are those %s", (_, object, want) => {
  const { hubState, have, join } = copySources();
  join(member("east", { labels: { [REGION_LABEL]: "europe" } }));
  join(member("far", { labels: { [REGION_LABEL]: "asia" } }));
  if (object !== undefined) have(object);
  expect([...recordedClusters(hubState, SHOP_KEY)]).toEqual(want);
});

describe("the copies of an object", () => {
  const others = observation({ present: { owner: CART } });

  test("name the object, or name no owner and have a row of the object", () => {
    const { hubState, observations, assignments } = copySources();
    const refs = ["shop", "stripped", "others", "absent", "unheard"].map((name) => ({ ...CONFIG_REF, name }));
    const [named, stripped] = [observation(), unnamed({ ref: { ...CONFIG_REF, name: "stripped" } })];
    const foreign = { ...others, ref: { ...CONFIG_REF, name: "others" } };
    observations.report(CLUSTER, [named, stripped, foreign, absent({ ref: { ...CONFIG_REF, name: "absent" } })]);
    expect(copiesOf(hubState, SHOP_KEY)).toEqual([named]);
    assignments.replace(
      SHOP_KEY,
      refs.map((ref) => applyRow({ ref })),
    );
    expect(copiesOf(hubState, SHOP_KEY)).toEqual([named, stripped]);
  });

  test("for a plan include those of its rows, whatever owner they name", () => {
    const { hubState, observations, assignments } = copySources();
    observations.report(CLUSTER, [others]);
    expect(copiesToPlan(hubState, SHOP_KEY, undefined)).toEqual([]);
    assignments.replace(SHOP_KEY, [applyRow()]);
    expect(copiesToPlan(hubState, SHOP_KEY, undefined)).toEqual([others]);
    assignments.replace(SHOP_KEY, []);
    expect(copiesToPlan(hubState, SHOP_KEY, undefined)).toEqual([]);
  });

  test("for a plan include dependencies that the hub lacks, on the clusters of the plan", () => {
    const { hubState, observations } = copySources();
    observations.report(CLUSTER, [others]);
    observations.report(ELSEWHERE, [{ ...others, cluster: ELSEWHERE }]);
    const planned = (...missing: string[]) => {
      const target = { scheduled: { status: "True" }, clusters: [{ name: CLUSTER }], missing: new Set(missing) };
      return copiesToPlan(hubState, SHOP_KEY, target as unknown as Target);
    };
    expect([planned(CONFIG_KEY), planned(), planned("/Secret/default/unheard")]).toEqual([[others], [], []]);
  });
});

describe("a copy was found on the join", () => {
  const after = observation({ present: { createdAt: JOINED.creationTimestamp } });
  const annotated = (value: string) => ({ ...JOINED, annotations: { [REMOVE_FOUND_ANNOTATION]: value } });
  test.each<[string, Observation, MemberCluster | undefined, string[], boolean]>([
    ["if it is older than the MemberCluster", before, member(CLUSTER, JOINED), [], true],
    ["not if it is as old", after, member(CLUSTER, JOINED), [], false],
    ["not if its age is unknown", observation(), member(CLUSTER, JOINED), [], false],
    ["not if the age of the MemberCluster is unknown", before, member(CLUSTER), [], false],
    ["not if a person wants it removed", before, member(CLUSTER, annotated("true")), [], false],
    ["unless a person says so exactly", before, member(CLUSTER, annotated("yes")), [], true],
    ["not if the record names the cluster", before, member(CLUSTER, JOINED), [CLUSTER], false],
    ["if the record names another cluster", before, member(CLUSTER, JOINED), [ELSEWHERE], true],
    ["not if it is absent", absent(), member(CLUSTER, JOINED), [], false],
    ["not without a MemberCluster", before, undefined, [], false],
  ])("%s", (_, copy, cluster, recorded, want) => {
    const { hubState, have, join, members } = copySources();
    members.clear();
    if (cluster !== undefined) join(cluster);
    have(hubObject("shop", recorded));
    expect(wasFoundOnJoin(hubState, SHOP_KEY, copy)).toBe(want);
  });

  const found = { reason: "FoundOnJoin", message: "it was there" };
  test.each<[string, Row, boolean]>([
    ["that its row holds for this reason", holdRow({ wanted: false, why: found }), true],
    ["that is applied", applyRow(), false],
    ["that is held as wanted", holdRow({ wanted: true, why: found }), false],
    ["that is held for another reason", holdRow({ wanted: false }), false],
    ["that is to be removed", deleteRow({ why: found }), false],
  ])("of an object with a row, if the row says so: a copy %s", (_, row, want) => {
    const { hubState, assignments, join } = copySources();
    join(member(CLUSTER, JOINED));
    assignments.replace(SHOP_KEY, [row]);
    expect([isFoundOnJoin(row), wasFoundOnJoin(hubState, SHOP_KEY, before)]).toEqual([want, want]);
  });
});

describe("a member object is needed by others", () => {
  const isNeeded = ({ hubState }: All, owner = SHOP_KEY, cluster = CLUSTER) =>
    isNeededByOthers(hubState, cluster, CONFIG_REF, owner);
  test.each<[string, Row, boolean]>([
    ["that apply it", applyRow({ owner: CART }), true],
    ["that hold it as wanted", holdRow({ owner: CART }), true],
    ["not if they hold it as unwanted", holdRow({ owner: CART, wanted: false }), false],
    ["not if they remove it", deleteRow({ owner: CART }), false],
  ])("%s", (_, row, want) => {
    const all = copySources();
    all.assignments.replace(CART_KEY, [row]);
    expect([isNeeded(all), isNeeded(all, CART_KEY), isNeeded(all, SHOP_KEY, ELSEWHERE)]).toEqual([want, false, false]);
  });

  test.each<[string, Plan | undefined, boolean]>([
    ["if they run there", planOn([ELSEWHERE, CLUSTER]), true],
    ["not if they run elsewhere", planOn([ELSEWHERE]), false],
    ["not if they are not planned", undefined, false],
  ])("that refer to it, %s", (_, plan, want) => {
    const all = copySources();
    all.referrers.set(CONFIG_KEY, [SHOP_KEY, CART_KEY]);
    all.states.setPlan(SHOP_KEY, planOn([CLUSTER]));
    if (plan !== undefined) all.states.setPlan(CART_KEY, plan);
    expect(isNeeded(all)).toBe(want);
  });

  test("of another class", () => {
    const all = copySources();
    expect(isNeeded(all)).toBe(false);
    all.state.needing = [CART];
    expect(isNeeded(all)).toBe(true);
  });
});

test.each([
  { name: "stays", metadata: {}, spec: { deletionPolicy: "Drain" }, want: undefined },
  { name: "waits for a decision", metadata: leaving, spec: {}, want: undefined },
  { name: "is drained", metadata: leaving, spec: { deletionPolicy: "Drain" }, want: "Drain" },
  { name: "keeps its copies", metadata: leaving, spec: { deletionPolicy: "Orphan" }, want: "Keep" },
] as const)("a MemberCluster $name: $want", ({ metadata, spec, want }) => {
  expect(leavingOf(member(CLUSTER, metadata, spec))).toBe(want);
});

describe("the facts of a removal", () => {
  const removal = {
    owner: SHOP,
    policy: "Delete",
    cause: { reason: "NotSelected", message: "not there any more" },
    ownership: "Ours",
  } as const;
  const held = { reason: "KindBeingDeleted", message: "its CRD is being deleted" };
  const drained = member(CLUSTER, leaving, { deletionPolicy: "Drain" });
  const KEY = `${CLUSTER}/${CONFIG_KEY}`;
  const factsOf = (all: All, copies = [observation()], more: object = {}) =>
    assembleRemovalFacts(all.hubState, copies, { ...removal, ...more });
  const onCluster = (all: All, more: object = {}) => factsOf(all, undefined, more).clusters.get(CLUSTER);

  test("name what is known of the hub and of the clusters with copies", () => {
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
    const unreadable = new Map([["/Secret", "forbidden"]]);
    all.observations.contact(CLUSTER, { ...inContact, synced: false, partlySynced: true, unreadable });
    expect(onCluster(all)).toEqual({ synced: true, unreadable });
    all.observations.contact(CLUSTER, { ...inContact, synced: false });
    expect(onCluster(all)).toEqual({ synced: false });
  });

  test("name a cluster that leaves, and hold its drain while the kind MemberCluster is being deleted", () => {
    const all = copySources();
    all.state.kindHeld = held;
    all.join(drained);
    expect(onCluster(all)).toEqual({ synced: true, leaving: "Drain", held });
    expect(all.state.kindsAsked).toEqual(["MemberCluster"]);
    all.state.kindHeld = undefined;
    expect(onCluster(all)).toEqual({ synced: true, leaving: "Drain" });
    all.state.kindsAsked.length = 0;
    all.join(member(CLUSTER, leaving, { deletionPolicy: "Orphan" }));
    expect([onCluster(all), all.state.kindsAsked]).toEqual([{ synced: true, leaving: "Keep" }, []]);
  });

  test("name the hold of the object's kind, and of objects that the hub has lost", () => {
    const all = copySources();
    expect(factsOf(all)).not.toHaveProperty("held");
    expect(factsOf(all, undefined, { held })).toMatchObject({ held });
    const lost = { reason: "HubWentBack", message: "the hub went back in time" };
    all.state.missingHeld = lost;
    expect([onCluster(all), onCluster(all, { lost: true })]).toEqual([{ synced: true }, { synced: true, held: lost }]);
    expect(factsOf(all, undefined, { lost: true })).not.toHaveProperty("lost");
    all.state.kindHeld = held;
    all.join(drained);
    expect(onCluster(all, { lost: true })).toMatchObject({ held });
  });

  test("name the copies that others need", () => {
    const all = copySources();
    all.assignments.replace(CART_KEY, [applyRow({ owner: CART })]);
    const { neededByOthers } = factsOf(all);
    expect([neededByOthers.has(KEY), neededByOthers.has(`${ELSEWHERE}/${CONFIG_KEY}`)]).toEqual([true, false]);
    expect(factsOf(all, []).neededByOthers.has(KEY)).toBe(false);
    all.assignments.replace(CART_KEY, []);
    expect(neededByOthers.has(KEY)).toBe(false);
  });

  test("name the clusters where a dependency is being replaced", () => {
    const all = copySources();
    const why = { reason: REPLACED, message: "replaced on the hub" };
    const on = (cluster: string) => ({ cluster, ref: { ...CONFIG_REF, name: cluster } });
    const replacing = [deleteRow({ ...on("a"), why }), holdRow({ ...on("b"), why })];
    all.assignments.replace(SHOP_KEY, [...replacing, applyRow(on("c")), deleteRow(on("d"))]);
    all.assignments.replace(CART_KEY, [deleteRow({ ...on("e"), owner: CART, why })]);
    expect(factsOf(all).replacing).toEqual(new Set(["a", "b"]));
  });

  test.each<[string, boolean | undefined, OwnerRef[], boolean]>([
    ["if another manager's object owns it", false, [], true],
    ["if its owner is not planned", undefined, [], true],
    ["not if only our objects need it", true, [], false],
    ["if another manager's object needs it", true, [SHOP], true],
  ])("name a dependency that refused a change as the copy of others %s", (_, ours, needing, want) => {
    const all = copySources();
    if (ours !== undefined) all.states.setPlan(CART_KEY, planOn([], { ours }));
    all.state.needing = needing;
    const copy = (present: object = {}) => observation({ present: { owner: CART, ...present } });
    expect(factsOf(all, [copy({ refused: ["h2"] })]).othersCopies).toEqual(new Set(want ? [KEY] : []));
    expect(factsOf(all, [copy()]).othersCopies.size).toBe(0);
  });

  describe("on a cluster that is drained", () => {
    const DATABASE = { apiVersion: "example.com/v1", kind: "Database", namespace: "default", name: "my-db" };
    const bundle = (name: string) => ({ apiVersion: FEDERATION_API_VERSION, kind: "ManifestBundle", name, uid: name });
    const database = (owned: OwnerRef = { ...DATABASE, uid: "d" }) =>
      observation({ ref: DATABASE, present: { owner: owned } });
    const OPERATOR = bundle("operator");
    test.each<[string, Observation, OwnerRef, MemberCluster, string?]>([
      [
        "a bundle waits for custom objects",
        database(),
        OPERATOR,
        drained,
        "objects of custom kinds go first: Database my-db",
      ],
      ["an object of another kind does not wait", database(), SHOP, drained],
      ["a bundle does not wait for objects of other kinds", observation(), OPERATOR, drained],
      ["a bundle does not wait for the objects of another bundle", database(bundle("other")), OPERATOR, drained],
      ["a bundle does not wait for its own objects", database(OPERATOR), OPERATOR, drained],
      ["nothing waits if the cluster stays", database(), OPERATOR, member(CLUSTER)],
    ])("%s", (_, copy, of, cluster, want) => {
      const all = copySources();
      all.join(cluster);
      all.observations.report(CLUSTER, [copy]);
      expect(onCluster(all, { owner: of })?.held?.message).toBe(want);
    });

    test("only the end of a custom object frees bundles", () => {
      const all = copySources();
      all.join(drained);
      const freed: boolean[] = [];
      all.observations.changes.subscribe((change) => freed.push(freesBundles(all.sources, change)));
      all.observations.report(CLUSTER, [database(), observation()]);
      all.observations.report(CLUSTER, [absent(), absent({ ref: DATABASE })]);
      expect(freed).toEqual([false, false, false, true]);
    });
  });
});
