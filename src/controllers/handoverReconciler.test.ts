import { describe, expect, test } from "vitest";
import { CONTROLLER_CLASS_LABEL, finalizerOf, OBJECT_FINALIZER } from "../apis/index.ts";
import { ApiError, Emitter, MEMBERCLUSTERS, NAMESPACES, PLACEMENTS } from "../runtime/index.ts";
import { RETRY_FINALIZER_MS } from "./finalizers.ts";
import { HandoverReconciler } from "./handover.ts";
import { observation } from "./testing/builders.ts";
import { APP, app, placing, statusOn } from "./testing/planning.ts";

const CANARY = finalizerOf(OBJECT_FINALIZER, "canary");
const TO_CANARY = { labels: { [CONTROLLER_CLASS_LABEL]: "canary" } };

/** The controller of handovers of the default class. */
async function handing(metadata: object) {
  const all = await placing({ apps: [{ ...app(metadata), ...statusOn("a", "b") }] });
  const settlements = new Emitter<string>();
  const state = { isUnderWay: false };
  const reconciler = new HandoverReconciler({
    ...all.shared,
    events: all.recorder,
    statuses: { settlements, isUnderWay: () => state.isUnderWay },
  });
  const woken = all.wokenBy(reconciler);
  const handOver = () => all.reconcileBy(reconciler, APP);
  const finalizers = (): readonly string[] => all.onHub().metadata.finalizers ?? [];
  return {
    ...all,
    under: state,
    settlements,
    reconciler,
    woken,
    handOver,
    finalizers,
  };
}

describe("an object of another class that names ours", () => {
  const claimable = () => handing({ finalizers: [CANARY] });
  /** Both copies run as the other class made them. */
  const known = async () => {
    const all = await claimable();
    await all.reconcile();
    const uid = all.onHub().metadata.uid ?? "";
    for (const cluster of ["a", "b"]) {
      const ref = { apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "shop" };
      const owner = {
        apiVersion: "paas.cmft.com/v1",
        kind: "DemoApplication",
        namespace: "default",
        name: "shop",
        uid,
      };
      all.observations.report(cluster, [observation({ cluster, ref, present: { owner } })]);
    }
    all.woken.length = 0;
    return all;
  };

  test("is claimed, in front of the class that had it, when nothing of it would go or change", async () => {
    const { handOver, finalizers, told, cache } = await known();
    expect(await handOver()).toEqual({});
    expect(finalizers()).toEqual([OBJECT_FINALIZER, CANARY]);
    expect(cache.object(APP)?.object.metadata.finalizers).toEqual([OBJECT_FINALIZER, CANARY]);
    expect(told()).toEqual(["TakenOver: default has taken over from canary"]);
  });

  test("is not claimed while a cluster is not known, and says so once", async () => {
    const { handOver, contact, finalizers, told } = await known();
    contact("b", { synced: false });
    await handOver();
    await handOver();
    expect(finalizers()).toEqual([CANARY]);
    expect(told()).toEqual([
      "HandoverWaits: default does not take over from canary yet: what runs on b is not known yet",
    ]);
  });

  test("is not claimed while a copy would go", async () => {
    const { handOver, server, settle, told, finalizers } = await known();
    server.merge(PLACEMENTS, "default", "everywhere", {
      metadata: { generation: 2 },
      spec: { clusterAffinities: [{ name: "these", clusterNames: ["a"] }] },
    });
    await settle();
    await handOver();
    expect(finalizers()).toEqual([CANARY]);
    expect(told()).toEqual([
      "HandoverWaits: default does not take over from canary yet: it would take Deployment shop off b",
    ]);
  });

  test("is not claimed, without a word, while rows of ours stand or its namespace is not known", async () => {
    const rows = await known();
    rows.assignments.replace(APP, [
      { verb: "Hold", cluster: "a", ref: { apiVersion: "v1", kind: "ConfigMap", name: "x" }, wanted: true } as never,
    ]);
    expect(await rows.handOver()).toEqual({});
    const unknown = await known();
    unknown.server.delete(NAMESPACES, undefined, "default");
    await unknown.settle();
    await unknown.handOver();
    expect([rows.finalizers(), rows.told(), unknown.finalizers(), unknown.told()]).toEqual([
      [CANARY],
      [],
      [CANARY],
      [],
    ]);
  });

  test("that changed meanwhile is tried again soon", async () => {
    const { handOver, state, told } = await known();
    state.patchFailure = new ApiError(422, "Invalid", "a test failed");
    expect(await handOver()).toEqual({ requeueAfter: RETRY_FINALIZER_MS });
    expect(told()).toEqual([]);
  });

  test("is considered again while it waits, when anything changes that it waits for", async () => {
    const all = await known();
    const { woken, handOver, contact, server, settle, settlements, dependencies, update, observations, assignments } =
      all;
    contact("b", { synced: false });
    woken.length = 0;
    await handOver();
    const wakers: [string, () => unknown][] = [
      ["contacts", () => contact("b", { synced: false, pending: true })],
      ["the object", () => update({ status: { observedGeneration: 1, replicas: 3 } })],
      ["policies", () => server.merge(PLACEMENTS, "default", "everywhere", { metadata: { generation: 5 } })],
      [
        "clusters",
        () => server.merge(MEMBERCLUSTERS, undefined, "a", { metadata: { generation: 5, labels: { z: "1" } } }),
      ],
      ["dependencies", () => dependencies.changes.emit(APP)],
      ["settlements", () => settlements.emit(APP)],
      ["departures", () => assignments.departures.emit(APP)],
      [
        "copies",
        () => {
          const [copy] = observations.in("a");
          if (copy !== undefined) observations.report("a", [{ ...copy, revision: 7 }]);
        },
      ],
    ];
    for (const [name, waker] of wakers) {
      woken.length = 0;
      await waker();
      await settle();
      expect([name, [...new Set(woken.map(({ key }) => key))]]).toEqual([name, [APP]]);
    }
    contact("b", {});
    await handOver();
    expect(all.finalizers()[0]).toBe(OBJECT_FINALIZER);
    await settle();
    for (const [, waker] of wakers.filter(([name]) => name !== "the object")) {
      woken.length = 0;
      await waker();
      await settle();
      expect(woken).toEqual([]);
    }
  });
});

describe("an object of ours that another class has claimed", () => {
  const yielded = () => handing({ ...TO_CANARY, finalizers: [CANARY, OBJECT_FINALIZER] });

  test("loses our finalizer when nothing of ours is under way", async () => {
    const { handOver, finalizers, cache } = await yielded();
    expect(await handOver()).toEqual({});
    expect(finalizers()).toEqual([CANARY]);
    expect(cache.object(APP)?.object.metadata.finalizers).toEqual([CANARY]);
  });

  test("is considered from the start, and no more when that is done", async () => {
    const { handOver, woken, update, settlements } = await yielded();
    expect(woken.map(({ key }) => key)).toEqual([APP]);
    await handOver();
    woken.length = 0;
    settlements.emit(APP);
    await update({ metadata: { generation: 3 } });
    expect(woken).toEqual([]);
  });

  test("keeps it while a status of ours is being written", async () => {
    const { handOver, under, finalizers } = await yielded();
    under.isUnderWay = true;
    await handOver();
    expect(finalizers()).toEqual([CANARY, OBJECT_FINALIZER]);
    under.isUnderWay = false;
    await handOver();
    expect(finalizers()).toEqual([CANARY]);
  });

  test("keeps it while rows of ours stand, are being carried out, or were not acknowledged", async () => {
    const { handOver, finalizers, assignments, observations } = await yielded();
    const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "x" };
    const row = { cluster: "a", ref, verb: "Hold", role: "rendered", wanted: true, why: { reason: "", message: "" } };
    assignments.replace(APP, [row as never]);
    await handOver();
    assignments.replace(APP, []);
    await handOver();
    observations.report("a", [{ cluster: "a", ref, writing: true, revision: 1_000 }]);
    await handOver();
    expect(finalizers()).toEqual([CANARY, OBJECT_FINALIZER]);
    observations.report("a", [{ cluster: "a", ref, writing: false, revision: 1_000 }]);
    await handOver();
    expect(finalizers()).toEqual([CANARY]);
  });

  test("that changed meanwhile is tried again soon", async () => {
    const { handOver, state } = await yielded();
    state.patchFailure = new ApiError(422, "Invalid", "a test failed");
    expect(await handOver()).toEqual({ requeueAfter: RETRY_FINALIZER_MS });
  });
});

test.each([
  { name: "ours alone", metadata: { finalizers: [OBJECT_FINALIZER] } },
  { name: "another's alone", metadata: { ...TO_CANARY, finalizers: [CANARY] } },
])("an object that is $name is nothing to hand over", async ({ metadata }) => {
  const { handOver, finalizers, woken, update } = await handing(metadata);
  expect(woken).toEqual([]);
  await handOver();
  expect(finalizers()).toEqual(metadata.finalizers);
  await update({ metadata: { generation: 2 } });
  expect(woken).toEqual([]);
});
