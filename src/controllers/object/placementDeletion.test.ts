import { describe, expect, test } from "vitest";
import {
  ALLOW_DELETION_ANNOTATION,
  CONTROLLER_CLASS_LABEL,
  DELETION_POLICY_ANNOTATION,
  OBJECT_FINALIZER,
  type OwnerRef,
  type Placement,
  refKey,
} from "../../apis/index.ts";
import { type Observation, ownerRefOf } from "../../desiredstate/index.ts";
import { ApiError, CRDS, DEMOAPPLICATIONS, PLACEMENTS } from "../../runtime/index.ts";
import { HELD_AGAIN_MS } from "./ends/heldDeletions.ts";
import { RETRY_FINALIZER_MS } from "../facts/finalizers.ts";
import { absent, observation, owner } from "../testing/builders.ts";
import { APP, app, placement, placing, statusOn } from "../testing/planning.ts";

/** What happens to the copies of an object that is being deleted, that is gone, or that lost Meridian's finalizer. */

const DELETED = "2026-01-01T00:00:00Z";
const deletion = { metadata: { deletionTimestamp: DELETED, generation: 2 } };
const CRD = "demoapplications.paas.cmft.com";
const DEPLOYMENT = { apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "shop" };
const ORPHAN = [placement(["a", "b"], { deletionPolicy: "Orphan" })];
const THEIRS = { labels: { [CONTROLLER_CLASS_LABEL]: "canary" } };
const LATEST = 1_000_000;

/** An application that runs on both clusters, as its status says. */
async function running(placements = [placement(["a", "b"])]) {
  const all = await placing({ placements });
  await all.plan();
  for (const name of ["a", "b"]) all.carryOut(name);
  await all.update(statusOn("a", "b"));
  const self = ownerRefOf(all.onHub());
  const verbs = (): string[] => all.rows().map(({ cluster, verb }) => `${cluster} ${verb}`);
  /** Reports copies that name the application. */
  const name = (present: object = {}): void => {
    for (const cluster of ["a", "b"]) {
      const copy = { cluster, ref: DEPLOYMENT, revision: LATEST, present: { owner: self, ...present } };
      all.observations.report(cluster, [observation(copy)]);
    }
  };
  const lose = (): void => {
    for (const cluster of ["a", "b"]) all.observations.report(cluster, [absent({ cluster, ref: DEPLOYMENT })]);
  };
  /** The hub has the application no more. */
  const vanish = async (): Promise<void> => {
    all.server.delete(DEMOAPPLICATIONS, "default", "shop");
    await all.settle();
  };
  const finalizers = (): readonly string[] => all.onHub().metadata.finalizers ?? [];
  all.events.length = 0;
  all.lines.length = 0;
  return { ...all, self, verbs, name, lose, vanish, finalizers };
}

/** An application that is gone from the hub while its copies still name it. */
async function gone(placements?: Parameters<typeof running>[0]) {
  const all = await running(placements);
  all.name();
  await all.vanish();
  return all;
}

/** A hub, and a copy on `a` that names this owner. */
async function seen(self: OwnerRef, ...given: Parameters<typeof placing>) {
  const all = await placing(...given);
  const copy = { cluster: "a", ref: DEPLOYMENT, revision: LATEST, present: { owner: self } };
  all.observations.report("a", [observation(copy)]);
  return { ...all, verbs: (key = APP) => all.rows(key).map(({ cluster, verb }) => `${cluster} ${verb}`) };
}

const held = (reason: string) => [
  { verb: "Hold", wanted: false, why: { reason } },
  { verb: "Hold", wanted: false, why: { reason } },
];

describe("an object that is being deleted", () => {
  test("loses its finalizer when its copies are seen gone", async () => {
    const { reconcile, update, verbs, rows, carryOut, finalizers, states, progress, lines, settle } = await running();
    await update(deletion);
    expect(await reconcile()).toEqual({});
    expect(verbs()).toEqual(["a Delete", "b Delete"]);
    expect(rows()[0]).toMatchObject({
      uid: "member-1",
      why: { reason: "ObjectDeleted", message: "the object is being deleted on the hub" },
    });
    expect(states.planOf(APP)).toMatchObject({ target: undefined, ours: true, remaining: new Set(["a", "b"]) });
    carryOut("a");
    await reconcile();
    expect([states.planOf(APP)?.remaining, finalizers()]).toEqual([new Set(["b"]), [OBJECT_FINALIZER]]);
    carryOut("b");
    await reconcile();
    await settle();
    expect([finalizers(), states.planOf(APP), progress.isKnownAround(APP)]).toEqual([[], undefined, true]);
    expect(lines.map(({ msg }) => msg)).toEqual([
      "changed: the object is being deleted",
      "planned: its copies go",
      "ended: nothing of the object is left on any cluster",
    ]);
  });

  test("releases its copies if its policy says Orphan", async () => {
    const { reconcile, update, verbs } = await running(ORPHAN);
    await update(deletion);
    await reconcile();
    expect(verbs()).toEqual(["a Release", "b Release"]);
  });

  test.each([
    { name: "suspend goes", placements: [placement(["a", "b"])] },
    { name: "the policy is deleted", placements: [] },
  ])("keeps its copies while its policy is suspended, until $name", async ({ placements }) => {
    const { reconcile, update, verbs, rows, cache } = await running();
    cache.allPlacements = () => [placement(["a", "b"], { suspend: true }) as unknown as Placement];
    await update(deletion);
    expect(await reconcile()).toEqual({});
    expect(rows()).toMatchObject(held("Suspended"));
    const message = "suspended by Placement everywhere; goes on without suspend";
    expect(rows()[0]).toMatchObject({ why: { message } });
    cache.allPlacements = () => placements as unknown as Placement[];
    await reconcile();
    expect(verbs()).toEqual(["a Delete", "b Delete"]);
  });

  test("keeps its copies while its kind is being deleted", async () => {
    const { reconcile, update, rows, server } = await running();
    server.merge(CRDS, undefined, CRD, deletion);
    await update(deletion);
    expect(await reconcile()).toEqual({ requeueAfter: HELD_AGAIN_MS });
    expect(rows()).toMatchObject(held("KindBeingDeleted"));
  });

  test("keeps its copies if it was deleted before its CRD was installed, until a person agrees", async () => {
    const { reconcile, update, verbs, rows, server } = await running();
    server.merge(CRDS, undefined, CRD, { metadata: { creationTimestamp: DELETED } });
    await update(deletion);
    expect(await reconcile()).toEqual({ requeueAfter: HELD_AGAIN_MS });
    expect(rows()).toMatchObject(held("KindBeingDeleted"));
    await update({ metadata: { ...deletion.metadata, annotations: { [ALLOW_DELETION_ANNOTATION]: "true" } } });
    await reconcile();
    expect(verbs()).toEqual(["a Delete", "b Delete"]);
  });

  test("without copies is not held by its kind: its copies are looked for by name", async () => {
    const { reconcile, update, lose, rows, server, carryOut, finalizers } = await running();
    lose();
    server.merge(CRDS, undefined, CRD, deletion);
    await update(deletion);
    expect(await reconcile()).toEqual({});
    expect(rows()).toMatchObject([
      { cluster: "a", verb: "Hold", confirm: true, why: { reason: "Confirming" } },
      { cluster: "b", verb: "Hold", confirm: true, why: { reason: "Confirming" } },
    ]);
    for (const name of ["a", "b"]) carryOut(name);
    await reconcile();
    expect(finalizers()).toEqual([]);
  });

  test("releases its copies after --cascade=orphan, once that is written onto the object", async () => {
    const { reconcile, reconciler, update, verbs, state, wokenBy, onHub } = await running();
    wokenBy(reconciler);
    await update({ metadata: { ...deletion.metadata, finalizers: [OBJECT_FINALIZER, "orphan"] } });
    state.patchFailure = new ApiError(409, "Conflict", "it has changed");
    expect(await reconcile()).toEqual({ requeueAfter: RETRY_FINALIZER_MS });
    expect(verbs()).toEqual(["a Apply", "b Apply"]);
    state.patchFailure = undefined;
    expect(await reconcile()).toEqual({});
    expect(verbs()).toEqual(["a Release", "b Release"]);
    expect(onHub().metadata.annotations?.[DELETION_POLICY_ANNOTATION]).toBe("Orphan");
  });

  test("waits for a cluster that is not fully known, although it has no row there", async () => {
    const { reconcile, reconciler, update, rows, name, contact, wokenBy, finalizers, dependencies, states } =
      await running();
    name({ owner: owner("another") });
    await update(deletion);
    contact("b", { synced: false });
    await reconcile();
    expect([rows(), states.planOf(APP)?.remaining]).toEqual([[], new Set(["b"])]);
    const woken = wokenBy(reconciler);
    woken.length = 0;
    dependencies.releases.emit("another");
    contact("b", {});
    const once = { key: APP, afterMs: undefined };
    expect(woken).toEqual([once, once]);
    await reconcile();
    expect(finalizers()).toEqual([]);
  });

  test("is tried again if it changed before the finalizer went", async () => {
    const { reconcile, update, carryOut, state, states } = await running();
    await update(deletion);
    await reconcile();
    for (const name of ["a", "b"]) carryOut(name);
    state.patchFailure = new ApiError(422, "Invalid", "a test failed");
    expect(await reconcile()).toEqual({ requeueAfter: RETRY_FINALIZER_MS });
    expect(states.planOf(APP)).toBeDefined();
  });

  test("waits for nothing if it was never placed", async () => {
    const { reconcile, update, onHub, rowLines } = await placing({ placements: [placement(["nowhere"])] });
    await reconcile();
    await update(deletion);
    await reconcile();
    expect([onHub().metadata.finalizers ?? [], rowLines()]).toEqual([[], []]);
  });

  test("without our finalizer has its copies removed, whatever objects the hub has lost", async () => {
    const { reconcile, update, verbs, finalizers, name, cache } = await running();
    name();
    cache.wentBack.emit(DEMOAPPLICATIONS);
    await update({ metadata: { ...deletion.metadata, finalizers: ["somebody/else"] } });
    await reconcile();
    expect([verbs(), finalizers()]).toEqual([["a Delete", "b Delete"], ["somebody/else"]]);
  });

  test.each([
    { name: "by its policy", metadata: { finalizers: ["somebody/else"] }, placements: ORPHAN, want: "a Release" },
    { name: "without any finalizer", metadata: {}, placements: [placement(["a", "b"])], want: "a Delete" },
  ])("without our finalizer and without a plan: $want $name", async ({ metadata, placements, want }) => {
    const apps = [app({ uid: "shop-uid", deletionTimestamp: DELETED, ...metadata })];
    const { reconcile, verbs, states } = await seen(owner("shop"), { apps, placements });
    expect(await reconcile()).toEqual({});
    expect([verbs(), states.planOf(APP)]).toEqual([[want], undefined]);
  });
});

describe("an object that is gone from the hub", () => {
  test("has its copies removed if this manager owned it; the hub is not listed again", async () => {
    const { reconcile, verbs, rows, states, carryOut, cache } = await gone();
    let relisted = 0;
    cache.relistIfBehind = async () => void (relisted += 1);
    expect(await reconcile()).toEqual({});
    expect(verbs()).toEqual(["a Delete", "b Delete"]);
    expect(rows()[0]).toMatchObject({ why: { reason: "ObjectGone", message: "the object is gone from the hub" } });
    expect([states.planOf(APP), relisted]).toEqual([undefined, 0]);
    for (const name of ["a", "b"]) carryOut(name);
    await reconcile();
    expect(verbs()).toEqual([]);
  });

  test("has its copies released by its last policy, which is forgotten with the last copy", async () => {
    const all = await gone(ORPHAN);
    for (let times = 0; times < 2; times += 1) {
      await all.reconcile();
      expect(all.verbs()).toEqual(["a Release", "b Release"]);
    }
    for (const cluster of ["a", "b"])
      all.observations.report(cluster, [absent({ cluster, ref: DEPLOYMENT, revision: 2 * LATEST })]);
    await all.reconcile();
    all.name();
    await all.reconcile();
    expect(all.verbs()).toEqual(["a Delete", "b Delete"]);
  });

  test("has its copies treated as was decided during its deletion", async () => {
    const all = await running(ORPHAN);
    await all.update(deletion);
    await all.reconcile();
    all.name();
    await all.vanish();
    await all.reconcile();
    expect(all.verbs()).toEqual(["a Release", "b Release"]);
  });

  test("has each copy treated by the copy's own annotation if no policy is known", async () => {
    const { reconcile, rows, observations } = await placing({ apps: [] });
    const copy = (cluster: string, present: object) => observation({ cluster, ref: DEPLOYMENT, present });
    observations.report("a", [copy("a", {})]);
    observations.report("b", [copy("b", { policy: "Orphan" })]);
    await reconcile();
    expect(rows().map(({ verb }) => verb)).toEqual(["Delete", "Release"]);
  });

  test.each<[string, string, (all: Awaited<ReturnType<typeof running>>) => void]>([
    ["the hub went back in time", "HubWentBack", ({ cache }) => cache.wentBack.emit(DEMOAPPLICATIONS)],
    ["a copy knows a later state of the hub", "HubWentBack", ({ name }) => name({ hubVersion: "1000000" })],
    ["its kind is being deleted", "KindBeingDeleted", ({ server }) => server.merge(CRDS, undefined, CRD, deletion)],
    [
      "its copies are older than its CRD",
      "OwnersMissing",
      ({ server, name }) => {
        server.merge(CRDS, undefined, CRD, { metadata: { creationTimestamp: DELETED } });
        name({ createdAt: DELETED });
      },
    ],
  ])("has its copies held if %s", async (_, reason, change) => {
    const all = await running();
    all.name();
    change(all);
    await all.vanish();
    await all.reconcile();
    expect(all.rows()).toMatchObject(held(reason));
  });

  test("owns the copies without an owner annotation that its rows ask for", async () => {
    const all = await running();
    const { owner: _, ...present } = observation().present ?? {};
    for (const cluster of ["a", "b"]) {
      const copy = { ...observation({ cluster, ref: DEPLOYMENT, revision: LATEST }), present } as Observation;
      all.observations.report(cluster, [copy]);
    }
    await all.vanish();
    await all.reconcile();
    const apiVersion = expect.stringMatching(/^paas\.cmft\.com\//) as string;
    const named = { ...all.self, apiVersion, uid: "" };
    expect(all.rows().map((row) => row.owner)).toEqual([named, named]);
  });

  test("has its copies held while the hub serves no such kind", async () => {
    const widget = { ...owner("shop"), apiVersion: "example.com/v1", kind: "Widget" };
    const { reconcile, rows } = await seen(widget, { apps: [] });
    expect(await reconcile(refKey(widget))).toEqual({});
    expect(rows(refKey(widget))).toMatchObject([{ verb: "Hold", why: { reason: "OwnerUnconfirmed" } }]);
  });

  test("is planned separately if it comes back while the hub is asked", async () => {
    const { reconcile, rows, hub, server, settle, missing } = await seen(owner("shop"), { apps: [] });
    const list = hub.list.bind(hub);
    hub.list = async (type, options) => {
      const answer = await list(type, options);
      if (server.list(DEMOAPPLICATIONS).length === 0) server.create(DEMOAPPLICATIONS, app({ uid: "shop-uid" }));
      await settle();
      return answer;
    };
    let asked = 0;
    missing.confirmed = () => void (asked += 1);
    expect(await reconcile()).toEqual({});
    expect([rows(), asked]).toEqual([[], 0]);
  });

  test("has its copies held, and the hub listed again, if the hub itself has the object", async () => {
    const { reconcile, rows, observations, server, hub, cache } = await placing({ apps: [] });
    // The watch is behind: it does not show what the list does.
    server.dropWatches = () => undefined;
    observations.report("a", [observation({ cluster: "a", ref: DEPLOYMENT })]);
    const list = hub.list.bind(hub);
    let relisted = 0;
    hub.list = async (type, options) =>
      options?.fieldSelector === "metadata.name=shop"
        ? { items: [app({ uid: "shop-uid" })], resourceVersion: "200" }
        : await list(type, options);
    cache.relistIfBehind = async () => void (relisted += 1);
    expect(await reconcile()).toEqual({});
    expect(rows()).toMatchObject([{ verb: "Hold", why: { reason: "OwnerUnconfirmed" } }]);
    expect(relisted).toBe(1);
  });

  test("of another class is left to the other managers first, although this manager planned it", async () => {
    const all = await placing({ apps: [app({ uid: "shop-uid", ...THEIRS }), app({ name: "more", ...THEIRS })] });
    for (const key of [APP, APP.replace("shop", "more")]) await all.reconcile(key);
    expect(all.states.planOf(APP)).toMatchObject({ ours: false });
    all.server.delete(DEMOAPPLICATIONS, "default", "shop");
    await all.settle();
    all.observations.report("a", [observation({ cluster: "a", ref: DEPLOYMENT })]);
    expect(await all.reconcile()).toEqual({ requeueAfter: 30_000 });
    expect(all.rows()).toMatchObject([{ verb: "Hold", why: { reason: "OwnerUnconfirmed" } }]);
  });

  test("is never handled by a manager of another class than the default class", async () => {
    const given = { apps: [app({ name: "theirs" })] };
    const { reconcile, verbs } = await seen(owner("shop"), given, { classes: ["canary"] });
    expect([await reconcile(), verbs()]).toEqual([{}, ["a Hold"]]);
  });

  test("is forgotten without a request if no copy is left", async () => {
    const all = await running();
    all.lose();
    await all.vanish();
    const asked = all.hub.count("list", DEMOAPPLICATIONS);
    expect(await all.reconcile()).toEqual({});
    expect([all.states.planOf(APP), all.verbs(), all.hub.count("list", DEMOAPPLICATIONS)]).toEqual([
      undefined,
      [],
      asked,
    ]);
  });
});

describe("a copy of an object that no policy places", () => {
  /** A policy places the object on these clusters. */
  const place = async ({ server, settle, reconcile }: Awaited<ReturnType<typeof seen>>, ...names: string[]) => {
    const spec = { clusterAffinities: [{ name: "these", clusterNames: names }], clusterCount: 1 };
    server.merge(PLACEMENTS, "default", "everywhere", { metadata: { generation: 2 }, spec });
    await settle();
    await reconcile();
  };
  const unplaced = async (more: object = {}) => {
    const apps = [{ ...app({ uid: "shop-uid" }), ...more }];
    const all = await seen(owner("shop"), { apps, placements: [placement(["nowhere"])] });
    await all.reconcile();
    return all;
  };

  test("stays on a cluster that the record does not name, until a policy places the object", async () => {
    const all = await unplaced(statusOn());
    expect(all.verbs()).toEqual([]);
    await place(all, "b");
    expect(all.verbs()).toContain("a Delete");
  });

  test("without a record is held, and preferred when a policy places the object", async () => {
    const all = await unplaced();
    expect(all.verbs()).toEqual(["a Hold"]);
    expect(all.states.planOf(APP)?.target?.clusters).toMatchObject([{ name: "a", frozen: true, found: true }]);
    await place(all, "b", "a");
    expect(all.states.planOf(APP)?.target?.clusters).toMatchObject([{ name: "a", frozen: false }]);
  });
});
