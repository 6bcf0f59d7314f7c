import { describe, expect, test } from "vitest";
import { CONTROLLER_CLASS_LABEL, type OwnerRef, refKey } from "../../apis/index.ts";
import type { Observation } from "../../desiredstate/index.ts";
import { CRDS, DEMOAPPLICATIONS, PLACEMENTS } from "../../runtime/index.ts";
import { absent, observation, owner } from "../testing/builders.ts";
import { APP, app, placement, placing, statusOn } from "../testing/planning.ts";

/** What becomes of the copies of an object that the hub does not have, or that somebody has taken Meridian's finalizer off. */

const DEPLOYMENT = { apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "shop" };
const DELETED = "2026-01-01T00:00:00Z";
const ORPHAN = [placement(["a", "b"], { deletionPolicy: "Orphan" })];
const THEIRS = { labels: { [CONTROLLER_CLASS_LABEL]: "canary" } };

/** A hub, and a copy on `a` that names this owner. */
async function seen(self: OwnerRef, ...given: Parameters<typeof placing>) {
  const all = await placing(...given);
  const copy = (present: object = {}) =>
    observation({ cluster: "a", ref: DEPLOYMENT, revision: 1_000_000, present: { owner: self, ...present } });
  all.observations.report("a", [copy()]);
  return { ...all, copy, verbs: (key = APP) => all.rows(key).map(({ cluster, verb }) => `${cluster} ${verb}`) };
}

/** An application that ran on both clusters, and is gone from the hub though copies are left. */
async function gone(placements = [placement(["a", "b"])]) {
  const all = await placing({ placements });
  await all.plan();
  for (const name of ["a", "b"]) all.carryOut(name);
  await all.update(statusOn("a", "b"));
  const { uid = "" } = all.onHub().metadata;
  const self = { ...owner("shop"), uid };
  const name = (present: object = {}): void => {
    for (const cluster of ["a", "b"])
      all.observations.report(cluster, [
        observation({ cluster, ref: DEPLOYMENT, revision: 1_000_000, present: { owner: self, ...present } }),
      ]);
  };
  const vanish = async (): Promise<void> => {
    all.server.delete(DEMOAPPLICATIONS, "default", "shop");
    await all.settle();
  };
  const verbs = (): string[] => all.rows().map(({ cluster, verb }) => `${cluster} ${verb}`);
  return { ...all, self, name, vanish, verbs };
}

describe("how an object that is gone parts from its copies", () => {
  test("was decided while it was being deleted", async () => {
    const all = await gone(ORPHAN);
    await all.update({ metadata: { deletionTimestamp: DELETED, generation: 2 } });
    await all.reconcile();
    all.name();
    await all.vanish();
    await all.reconcile();
    expect(all.verbs()).toEqual(["a Release", "b Release"]);
  });

  test("is for its policy to say, where it is still there without the finalizer and was never planned", async () => {
    const metadata = { uid: "shop-uid", deletionTimestamp: DELETED, finalizers: ["somebody/else"] };
    const { reconcile, verbs } = await seen(owner("shop"), { apps: [app(metadata)], placements: ORPHAN });
    await reconcile();
    expect(verbs()).toEqual(["a Release"]);
  });

  test("is so for an object without any finalizer too, and nothing is planned of it", async () => {
    const metadata = { uid: "shop-uid", deletionTimestamp: DELETED };
    const { reconcile, verbs, plans } = await seen(owner("shop"), { apps: [app(metadata)] });
    expect(await reconcile()).toEqual({});
    expect([verbs(), plans.get(APP)]).toEqual([["a Delete"], undefined]);
  });

  test("is forgotten with its last copy", async () => {
    const all = await gone(ORPHAN);
    all.name();
    await all.vanish();
    await all.reconcile();
    expect(all.verbs()).toEqual(["a Release", "b Release"]);
    for (const cluster of ["a", "b"])
      all.observations.report(cluster, [absent({ cluster, ref: DEPLOYMENT, revision: 2_000_000 })]);
    await all.reconcile();
    all.name();
    await all.reconcile();
    expect(all.verbs()).toEqual(["a Delete", "b Delete"]);
  });
});

describe("copies of an object that is gone", () => {
  test("stay while its kind is being deleted", async () => {
    const all = await gone();
    all.name();
    await all.vanish();
    all.server.merge(CRDS, undefined, "demoapplications.paas.cmft.com", {
      metadata: { deletionTimestamp: DELETED, generation: 2 },
    });
    await all.reconcile();
    expect(all.rows()).toMatchObject([
      { verb: "Hold", why: { reason: "KindBeingDeleted" } },
      { verb: "Hold", why: { reason: "KindBeingDeleted" } },
    ]);
  });

  test("stay when they are older than the CRD: their object went with an earlier one", async () => {
    const all = await gone();
    all.server.merge(CRDS, undefined, "demoapplications.paas.cmft.com", { metadata: { creationTimestamp: DELETED } });
    all.name({ createdAt: DELETED });
    await all.vanish();
    await all.reconcile();
    expect(all.rows()).toMatchObject([
      { verb: "Hold", why: { reason: "OwnersMissing" } },
      { verb: "Hold", why: { reason: "OwnersMissing" } },
    ]);
  });

  test("stay when one of them knows a later state of the hub than the hub does", async () => {
    const all = await gone();
    all.name({ hubVersion: "1000000" });
    await all.vanish();
    await all.reconcile();
    expect(all.rows()).toMatchObject([{ why: { reason: "HubWentBack" } }, { why: { reason: "HubWentBack" } }]);
  });

  test("go in the name of the object where they name nobody any more", async () => {
    const all = await gone();
    const { owner: _, ...present } = observation().present ?? {};
    for (const cluster of ["a", "b"]) {
      const copy = { ...observation({ cluster, ref: DEPLOYMENT, revision: 1_000_000 }), present } as Observation;
      all.observations.report(cluster, [copy]);
    }
    await all.vanish();
    await all.reconcile();
    const { uid: _uid, ...ref } = all.self;
    expect(all.rows().map(({ owner: named }) => named)).toEqual([
      { ...ref, apiVersion: expect.stringMatching(/^paas\.cmft\.com\//) as string, uid: "" },
      { ...ref, apiVersion: expect.stringMatching(/^paas\.cmft\.com\//) as string, uid: "" },
    ]);
  });

  test("stay where nobody knows the object's kind", async () => {
    const widget = { ...owner("shop"), apiVersion: "example.com/v1", kind: "Widget" };
    const { reconcile, rows } = await seen(widget, { apps: [] });
    const key = refKey(widget);
    expect(await reconcile(key)).toEqual({});
    expect(rows(key)).toMatchObject([{ verb: "Hold", why: { reason: "OwnerUnconfirmed" } }]);
  });

  test("are the object's again when it comes back while the hub is asked", async () => {
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

  test("of another class are not removed at once, though this manager planned it for the policies", async () => {
    const all = await placing({ apps: [app({ uid: "shop-uid", ...THEIRS }), app({ name: "more", ...THEIRS })] });
    for (const key of [APP, APP.replace("shop", "more")]) await all.reconcile(key);
    expect(all.plans.get(APP)).toMatchObject({ ours: false });
    all.server.delete(DEMOAPPLICATIONS, "default", "shop");
    await all.settle();
    all.observations.report("a", [observation({ cluster: "a", ref: DEPLOYMENT })]);
    expect(await all.reconcile()).toEqual({ requeueAfter: 30_000 });
    expect(all.rows()).toMatchObject([{ verb: "Hold", why: { reason: "OwnerUnconfirmed" } }]);
  });

  test("are never looked for again by a manager of another class than the default one", async () => {
    const { reconcile, verbs } = await seen(
      owner("shop"),
      { apps: [app({ name: "theirs" })] },
      { classes: ["canary"] },
    );
    expect(await reconcile()).toEqual({});
    expect(verbs()).toEqual(["a Hold"]);
  });

  test("are asked about once: the hub is listed anew only when it has the object", async () => {
    const all = await gone();
    let relisted = 0;
    all.cache.relistIfBehind = async () => void (relisted += 1);
    all.name();
    await all.vanish();
    await all.reconcile();
    expect([all.verbs(), relisted]).toEqual([["a Delete", "b Delete"], 0]);
  });
});

test("a hold for objects that the hub has lost does not concern one that is still there", async () => {
  const all = await gone();
  all.name();
  all.cache.wentBack.emit(DEMOAPPLICATIONS);
  await all.update({ metadata: { deletionTimestamp: DELETED, generation: 2, finalizers: ["somebody/else"] } });
  await all.reconcile();
  expect(all.verbs()).toEqual(["a Delete", "b Delete"]);
});

test("a copy on a cluster that the record does not name is left alone while nothing places its object", async () => {
  const placements = [placement(["nowhere"])];
  const { reconcile, verbs, server, settle } = await seen(owner("shop"), {
    apps: [{ ...app({ uid: "shop-uid" }), ...statusOn() }],
    placements,
  });
  await reconcile();
  expect(verbs()).toEqual([]);
  server.merge(PLACEMENTS, "default", "everywhere", {
    metadata: { generation: 2 },
    spec: { clusterAffinities: [{ name: "these", clusterNames: ["b"] }] },
  });
  await settle();
  await reconcile();
  expect(verbs()).toContain("a Delete");
});

test("a copy of an object without a record is kept while nothing places the object, and preferred when something does", async () => {
  const { reconcile, verbs, plans, server, settle } = await seen(owner("shop"), {
    apps: [app({ uid: "shop-uid" })],
    placements: [placement(["nowhere"])],
  });
  await reconcile();
  expect(verbs()).toEqual(["a Hold"]);
  expect(plans.get(APP)?.target?.clusters).toMatchObject([{ name: "a", frozen: true, found: true }]);
  server.merge(PLACEMENTS, "default", "everywhere", {
    metadata: { generation: 2 },
    spec: { clusterAffinities: [{ name: "these", clusterNames: ["b", "a"] }], clusterCount: 1 },
  });
  await settle();
  await reconcile();
  expect(plans.get(APP)?.target?.clusters).toMatchObject([{ name: "a", frozen: false }]);
});
