import { describe, expect, test } from "vitest";
import {
  ALLOW_DELETION_ANNOTATION,
  CONTROLLER_CLASS_LABEL,
  DELETION_POLICY_ANNOTATION,
  OBJECT_FINALIZER,
  type Placement,
  refKey,
} from "../../apis/index.ts";
import { ApiError, CRDS, DEMOAPPLICATIONS } from "../../runtime/index.ts";
import { RETRY_FINALIZER_MS } from "../facts/finalizers.ts";
import { HELD_AGAIN_MS } from "./heldDeletions.ts";
import { absent, observation, owner } from "../testing/builders.ts";
import { APP, app, placement, placing, statusOn } from "../testing/planning.ts";

const deletion = { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z", generation: 2 } };

/** An application that runs on both clusters, and of which the status says so. */
async function running(placements = [placement(["a", "b"])]) {
  const all = await placing({ placements });
  const { plan, carryOut, update, rows } = all;
  await plan();
  for (const name of ["a", "b"]) carryOut(name);
  await update(statusOn("a", "b"));
  const { uid } = all.onHub().metadata;
  const self = { ...owner("shop"), uid: uid ?? "" };
  const verbs = (): string[] => rows().map(({ cluster, verb }) => `${cluster} ${verb}`);
  all.events.length = 0;
  all.lines.length = 0;
  return { ...all, verbs, self };
}

describe("an object that is being deleted", () => {
  test("has its copies removed first; its finalizer goes when nobody sees anything left", async () => {
    const { reconcile, update, verbs, rows, carryOut, onHub, plans, progress, lines, settle } = await running();
    await update(deletion);
    expect(await reconcile()).toEqual({});
    expect(verbs()).toEqual(["a Delete", "b Delete"]);
    expect(rows()[0]).toMatchObject({
      uid: "member-1",
      why: { reason: "ObjectDeleted", message: "the object is being deleted on the hub" },
    });
    expect(plans.get(APP)).toMatchObject({ target: undefined, ours: true, remaining: new Set(["a", "b"]) });
    carryOut("a");
    await reconcile();
    expect([...(plans.get(APP)?.remaining ?? [])]).toEqual(["b"]);
    expect(onHub().metadata.finalizers).toEqual([OBJECT_FINALIZER]);
    carryOut("b");
    await reconcile();
    await settle();
    expect(onHub().metadata.finalizers ?? []).toEqual([]);
    expect(plans.get(APP)).toBeUndefined();
    expect(progress.isKnownAround(APP)).toBe(true);
    expect(lines.map(({ msg }) => msg)).toEqual([
      "changed: the object is being deleted",
      "planned: its copies go",
      "ended: nothing of the object is left on any cluster",
    ]);
  });

  test("gathers what is seen of its copies: they go one after the other, and one plan is enough for many", async () => {
    const { reconcile, update, carryOut, wokenBy, reconciler, assignments, observations } = await running();
    const woken = wokenBy(reconciler);
    const waits = (): Set<string> => new Set(woken.splice(0).map(({ key, afterMs }) => `${key} ${afterMs}`));
    const copy = [...assignments.of(APP)].find(({ cluster }) => cluster === "b");
    if (copy === undefined) throw new Error("the application has no copy");
    observations.report("b", [observation({ cluster: "b", ref: copy.ref, present: { owner: owner("another") } })]);
    expect(waits()).toContain(`${APP} undefined`);
    await update(deletion);
    await reconcile();
    waits();
    carryOut("a");
    expect(waits()).toEqual(new Set([`${APP} 50`]));
  });

  test("has its copies let go of where its policy says so", async () => {
    const { reconcile, update, verbs } = await running([placement(["a", "b"], { deletionPolicy: "Orphan" })]);
    await update(deletion);
    await reconcile();
    expect(verbs()).toEqual(["a Release", "b Release"]);
  });

  test("has its copies let go of where whoever deleted it says so", async () => {
    const { reconcile, update, verbs } = await running();
    await update({ metadata: { ...deletion.metadata, annotations: { [DELETION_POLICY_ANNOTATION]: "Orphan" } } });
    await reconcile();
    expect(verbs()).toEqual(["a Release", "b Release"]);
  });

  test("parts from its copies as was decided when that began", async () => {
    const { reconcile, update, verbs, cache } = await running();
    await update(deletion);
    await reconcile();
    cache.allPlacements = () => [];
    await reconcile();
    expect(verbs()).toEqual(["a Delete", "b Delete"]);
  });

  test.each([
    { name: "suspend goes", placements: [placement(["a", "b"])] },
    { name: "the policy is deleted", placements: [] },
  ])("keeps its copies while its policy is suspended, until $name", async ({ placements }) => {
    const { reconcile, update, verbs, rows, cache } = await running();
    cache.allPlacements = () => [placement(["a", "b"], { suspend: true }) as unknown as Placement];
    await update(deletion);
    expect(await reconcile()).toEqual({});
    expect(verbs()).toEqual(["a Hold", "b Hold"]);
    const why = { reason: "Suspended", message: "suspended by Placement everywhere; goes on without suspend" };
    expect(rows()[0]).toMatchObject({ wanted: false, why });
    cache.allPlacements = () => placements as unknown as Placement[];
    await reconcile();
    expect(verbs()).toEqual(["a Delete", "b Delete"]);
  });

  test("keeps its copies while its kind is being deleted", async () => {
    const { reconcile, update, verbs, rows, server } = await running();
    server.merge(CRDS, undefined, "demoapplications.paas.cmft.com", deletion);
    await update(deletion);
    expect(await reconcile()).toEqual({ requeueAfter: HELD_AGAIN_MS });
    expect(verbs()).toEqual(["a Hold", "b Hold"]);
    expect(rows()[0]).toMatchObject({ wanted: false, why: { reason: "KindBeingDeleted" } });
  });

  test("keeps its copies when it was deleted before its CRD was installed, until a person agrees", async () => {
    const { reconcile, update, verbs, rows, server } = await running();
    const installed = { metadata: { creationTimestamp: deletion.metadata.deletionTimestamp } };
    server.merge(CRDS, undefined, "demoapplications.paas.cmft.com", installed);
    await update(deletion);
    expect(await reconcile()).toEqual({ requeueAfter: HELD_AGAIN_MS });
    expect(rows()).toMatchObject([
      { verb: "Hold", wanted: false, why: { reason: "KindBeingDeleted" } },
      { verb: "Hold", wanted: false, why: { reason: "KindBeingDeleted" } },
    ]);
    await update({ metadata: { ...deletion.metadata, annotations: { [ALLOW_DELETION_ANNOTATION]: "true" } } });
    await reconcile();
    expect(verbs()).toEqual(["a Delete", "b Delete"]);
  });

  test("is not held by its kind where none of its copies is seen", async () => {
    const { reconcile, update, observations, rows, server } = await running();
    for (const { cluster, ref } of rows()) observations.report(cluster, [absent({ cluster, ref })]);
    server.merge(CRDS, undefined, "demoapplications.paas.cmft.com", deletion);
    await update(deletion);
    expect(await reconcile()).toEqual({});
    expect(rows()).toMatchObject([{ why: { reason: "Confirming" } }, { why: { reason: "Confirming" } }]);
  });

  test("lets its copies go where it was deleted with --cascade=orphan, once that is written down", async () => {
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

  test("waits for a cluster of which not everything is known, though none of its rows is about that", async () => {
    const { reconcile, reconciler, update, rows, observations, contact, wokenBy, onHub, dependencies, plans } =
      await running();
    for (const { cluster, ref } of rows())
      observations.report(cluster, [observation({ cluster, ref, present: { owner: owner("another") } })]);
    await update(deletion);
    contact("b", { synced: false });
    await reconcile();
    expect(rows()).toEqual([]);
    expect([...(plans.get(APP)?.remaining ?? [])]).toEqual(["b"]);
    const woken = wokenBy(reconciler);
    woken.length = 0;
    dependencies.releases.emit("another");
    contact("b", {});
    expect(woken).toEqual([
      { key: APP, afterMs: undefined },
      { key: APP, afterMs: undefined },
    ]);
    await reconcile();
    expect(onHub().metadata.finalizers ?? []).toEqual([]);
  });

  test("is looked for by name where nothing is seen of it", async () => {
    const { reconcile, update, observations, rows, carryOut, onHub } = await running();
    for (const { cluster, ref } of rows()) observations.report(cluster, [absent({ cluster, ref })]);
    await update(deletion);
    await reconcile();
    expect(rows()).toMatchObject([
      { cluster: "a", verb: "Hold", confirm: true },
      { cluster: "b", verb: "Hold", confirm: true },
    ]);
    for (const name of ["a", "b"]) carryOut(name);
    await reconcile();
    expect(onHub().metadata.finalizers ?? []).toEqual([]);
  });

  test("is tried again soon when it changed before the finalizer went", async () => {
    const { reconcile, update, carryOut, state, plans } = await running();
    await update(deletion);
    await reconcile();
    for (const name of ["a", "b"]) carryOut(name);
    state.patchFailure = new ApiError(422, "Invalid", "a test failed");
    expect(await reconcile()).toEqual({ requeueAfter: RETRY_FINALIZER_MS });
    expect(plans.get(APP)).toBeDefined();
  });

  test("has nothing to wait for that was never placed", async () => {
    const { reconcile, update, onHub, rowLines } = await placing({ placements: [placement(["nowhere"])] });
    await reconcile();
    await update(deletion);
    await reconcile();
    expect([onHub().metadata.finalizers ?? [], rowLines()]).toEqual([[], []]);
  });
});

describe("an object that is gone from the hub", () => {
  const gone = async (placements = [placement(["a", "b"])]) => {
    const all = await running(placements);
    all.server.delete(DEMOAPPLICATIONS, "default", "shop");
    await all.settle();
    return all;
  };

  /** The copies that name it, as the members show them. */
  const named = ({ rows, observations, self }: Awaited<ReturnType<typeof running>>, present: object = {}): void => {
    for (const { cluster, ref } of rows())
      observations.report(cluster, [observation({ cluster, ref, present: { owner: self, ...present } })]);
  };

  test("has its copies removed as its policy said, when this manager owned it", async () => {
    const all = await gone();
    named(all);
    expect(await all.reconcile()).toEqual({});
    expect(all.verbs()).toEqual(["a Delete", "b Delete"]);
    expect(all.rows()[0]).toMatchObject({ why: { reason: "ObjectGone", message: "the object is gone from the hub" } });
    expect(all.plans.get(APP)).toBeUndefined();
    for (const name of ["a", "b"]) all.carryOut(name);
    await all.reconcile();
    expect(all.verbs()).toEqual([]);
  });

  test("has its copies let go of where its policy said so, however often it is asked", async () => {
    const all = await gone([placement(["a", "b"], { deletionPolicy: "Orphan" })]);
    named(all);
    await all.reconcile();
    await all.reconcile();
    expect(all.verbs()).toEqual(["a Release", "b Release"]);
  });

  test("has each copy removed or let go of as the copy says, where nobody remembers a policy", async () => {
    const { reconcile, rows, observations } = await placing({ apps: [] });
    const ref = { apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "shop" };
    const copy = (cluster: string, present: object = {}) => observation({ cluster, ref, present });
    observations.report("a", [copy("a")]);
    observations.report("b", [copy("b", { policy: "Orphan" })]);
    await reconcile();
    expect(rows().map(({ verb }) => verb)).toEqual(["Delete", "Release"]);
  });

  test("has its copies held while the hub has it after all, or lacks many objects", async () => {
    const all = await gone();
    named(all);
    all.cache.wentBack.emit(DEMOAPPLICATIONS);
    await all.reconcile();
    expect(all.verbs()).toEqual(["a Hold", "b Hold"]);
    expect(all.rows()[0]).toMatchObject({ why: { reason: "HubWentBack" } });
  });

  test("waits for other managers on the hub, for as long as they have, with copies that this one did not make", async () => {
    const { reconcile, rows, observations } = await placing({
      apps: [app({ name: "theirs", labels: { [CONTROLLER_CLASS_LABEL]: "canary" } })],
    });
    const ref = { apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "shop" };
    observations.report("a", [observation({ cluster: "a", ref })]);
    await reconcile(APP.replace("shop", "theirs"));
    expect(await reconcile()).toEqual({ requeueAfter: 30_000 });
    expect(rows()).toMatchObject([{ verb: "Hold", why: { reason: "OwnerUnconfirmed" } }]);
  });

  test("is asked for again on the hub when the hub says that it is there", async () => {
    const { reconcile, rows, observations, server, hub, cache } = await placing({ apps: [] });
    const ref = { apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "shop" };
    // The watch is behind: it does not show what the list does.
    server.dropWatches = () => undefined;
    observations.report("a", [observation({ cluster: "a", ref })]);
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

  test("is forgotten where nothing of it is left", async () => {
    const all = await gone();
    for (const { cluster, ref } of all.rows()) all.observations.report(cluster, [absent({ cluster, ref })]);
    const asked = all.hub.count("list", DEMOAPPLICATIONS);
    expect(await all.reconcile()).toEqual({});
    expect([all.plans.get(APP), all.verbs(), all.hub.count("list", DEMOAPPLICATIONS)]).toEqual([undefined, [], asked]);
  });
});

test("an object whose finalizer somebody took off while it was being deleted goes as it would have gone", async () => {
  const { reconcile, update, verbs, onHub } = await running();
  await update({ metadata: { ...deletion.metadata, finalizers: ["somebody/else"] } });
  await reconcile();
  expect(verbs()).toEqual(["a Delete", "b Delete"]);
  expect(onHub().metadata.finalizers).toEqual(["somebody/else"]);
  expect(refKey(owner("shop"))).toBe(APP);
});
