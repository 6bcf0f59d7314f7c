import { describe, expect, test } from "vitest";
import { FIRST_RECORD_ANNOTATION, type KubeObject, OBJECT_FINALIZER, REGION_LABEL } from "../../apis/index.ts";
import { assembleSnapshot, computeTarget } from "../../desiredstate/index.ts";
import { ApiError, MEMBERCLUSTERS, NAMESPACES, PLACEMENTS } from "../../runtime/index.ts";
import { RETRY_FINALIZER_MS } from "../facts/finalizers.ts";
import { CANARY, DEPLOYMENT, handing, TO_CANARY } from "../testing/handing.ts";
import { APP, placement, statusOn } from "../testing/planning.ts";

describe("an object of another class that names ours", () => {
  const claimable = (...given: [Parameters<typeof handing>[1]?]) => handing({ finalizers: [CANARY] }, ...given);
  const known = async (...given: [Parameters<typeof handing>[1]?]) => {
    const all = await claimable(...given);
    await all.reconcile();
    for (const cluster of ["a", "b"]) all.report(cluster);
    all.woken.length = 0;
    return all;
  };

  test("is claimed, in front of the class that had it, when nothing of it would go or change", async () => {
    const { handOver, finalizers, eventTexts, cache } = await known();
    expect(await handOver()).toEqual({});
    expect(finalizers()).toEqual([OBJECT_FINALIZER, CANARY]);
    expect(cache.object(APP)?.object.metadata.finalizers).toEqual([OBJECT_FINALIZER, CANARY]);
    expect(eventTexts()).toEqual(["TakenOver: default has taken over from canary"]);
  });

  test("is not claimed while a cluster is not known, and says so once", async () => {
    const { handOver, contact, finalizers, eventTexts } = await known();
    contact("b", { synced: false });
    await handOver();
    await handOver();
    expect(finalizers()).toEqual([CANARY]);
    expect(eventTexts()).toEqual([
      "HandoverWaits: default does not take over from canary yet: what runs on b is not known yet",
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
    expect([rows.finalizers(), rows.eventTexts(), unknown.finalizers(), unknown.eventTexts()]).toEqual([
      [CANARY],
      [],
      [CANARY],
      [],
    ]);
  });

  test("is not claimed, without a word, while what it refers to is being read", async () => {
    const spec = { envFrom: [{ secretRef: { name: "password" } }] };
    const { handOver, settle, eventTexts, finalizers } = await claimable({ spec });
    expect(await handOver()).toEqual({});
    expect([finalizers(), eventTexts()]).toEqual([[CANARY], []]);
    await settle();
    await handOver();
    expect(eventTexts()).not.toEqual([]);
  });

  test("says why once, though it could not be said in between", async () => {
    const { handOver, contact, eventTexts, assignments } = await known();
    contact("b", { synced: false });
    await handOver();
    assignments.replace(APP, [{ verb: "Hold", cluster: "a", ref: DEPLOYMENT, wanted: true } as never]);
    await handOver();
    assignments.replace(APP, []);
    await handOver();
    expect(eventTexts()).toHaveLength(1);
  });

  test("is not claimed before a cluster is known that it is to come to", async () => {
    const clusters = ["a", "b", "c"];
    const { handOver, contact, eventTexts } = await known({ clusters, placements: [placement(clusters)] });
    contact("c", { synced: false });
    await handOver();
    expect(eventTexts()).toEqual([
      "HandoverWaits: default does not take over from canary yet: what runs on c is not known yet",
    ]);
  });

  describe("that is to run on one cluster, and runs on one that its status does not name", () => {
    const onOne = [placement(["a", "b"], { clusterCount: 1 })];
    /** Only the copy on `b` is seen. */
    const onB = async (metadata: object, status: object) => {
      const all = await handing({ finalizers: [CANARY], ...metadata }, { status, placements: onOne });
      for (const name of ["a", "b"])
        all.server.merge(MEMBERCLUSTERS, undefined, name, {
          metadata: { generation: 2, labels: { [REGION_LABEL]: "asia" } },
        });
      await all.settle();
      all.report("b");
      expect(await all.handOver()).toEqual({});
      return all;
    };

    test("stays where it runs, as its first record says", async () => {
      const annotations = { [FIRST_RECORD_ANNOTATION]: '{"clusters":["b"]}' };
      expect((await onB({ annotations }, {})).eventTexts()).toEqual([
        "HandoverWaits: default does not take over from canary yet: Deployment shop on b is not as it is to be yet",
      ]);
    });

    test("may run anywhere in its regions, where its status only sums up: what was seen is not all", async () => {
      const summary = [{ region: "asia", clusters: 1 }];
      const { eventTexts, finalizers } = await onB({}, { status: { observedGeneration: 1, summary } });
      expect([eventTexts(), finalizers()]).toEqual([
        ["HandoverWaits: default does not take over from canary yet: it would take Deployment shop off b"],
        [CANARY],
      ]);
    });
  });

  test("is claimed while a copy that it left is still there", async () => {
    const { handOver, assignments, report, finalizers } = await known();
    assignments.replace(APP, [{ verb: "Hold", cluster: "a", ref: DEPLOYMENT, wanted: true } as never]);
    assignments.replace(APP, []);
    report("a");
    expect([...assignments.of(APP)]).toHaveLength(1);
    await handOver();
    expect(finalizers()).toEqual([OBJECT_FINALIZER, CANARY]);
  });

  test("that changed meanwhile is tried again soon", async () => {
    const { handOver, state, eventTexts } = await known();
    state.patchFailure = new ApiError(422, "Invalid", "a test failed");
    expect(await handOver()).toEqual({ requeueAfter: RETRY_FINALIZER_MS });
    expect(eventTexts()).toEqual([]);
  });

  test("is considered again while it waits, when anything changes that it waits for", async () => {
    const all = await known();
    const { woken, handOver, contact, server, settle, dependencies, update, observations, assignments } = all;
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
      ["namespaces", () => all.shared.namespaces.changes.emit("default")],
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

  test("keeps it while a status of ours is being written", async () => {
    const { handOver, under, finalizers, settle } = await yielded();
    const write = Promise.withResolvers<void>();
    under.write = write.promise;
    const done = handOver();
    await settle();
    expect(finalizers()).toEqual([CANARY, OBJECT_FINALIZER]);
    write.resolve();
    await done;
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

test("an object that is divided by room is claimed with the replicas that its copies ask for, whatever the older status says", async () => {
  const scheduling = { mode: "Divided", strategy: "Available" };
  const placements = [placement(["a", "b"], { replicaScheduling: scheduling })];
  const all = await handing(
    { finalizers: [CANARY], generation: 2 },
    { spec: { replica: 4 }, status: statusOn("a", "b"), placements },
  );
  await all.handOver();
  const { object } = all.cache.object(APP) as { object: KubeObject };
  const report = (cluster: string, desired: number, hash?: string): void => {
    const replicas = { desired, updated: desired, ready: desired, available: desired };
    all.report(cluster, { health: { state: "Available", replicas }, ...(hash === undefined ? {} : { hash }) });
  };
  const given = { a: 3, b: 1 };
  for (const [cluster, desired] of Object.entries(given)) report(cluster, desired);
  const target = computeTarget(assembleSnapshot(all.shared.hubState, object, all.resolved()), all.clock.now());
  expect(target.clusters.map(({ name, replicas }) => [name, replicas])).toEqual(Object.entries(given));
  for (const { name, replicas = 0, objects } of target.clusters)
    report(name, replicas, objects.find(({ ref }) => ref.kind === "Deployment")?.hash);
  await all.handOver();
  expect(all.finalizers()).toEqual([OBJECT_FINALIZER, CANARY]);
});

const ONCE = [{ key: APP, afterMs: undefined }];

test.each([
  { name: "to this class", metadata: { finalizers: [CANARY] } },
  { name: "to another", metadata: { ...TO_CANARY, finalizers: [CANARY, OBJECT_FINALIZER] } },
])("an object in transit is considered when it changes, $name, and not while nobody plans it", async ({ metadata }) => {
  const { woken, update, cache } = await handing(metadata);
  cache.planned.includes = () => false;
  woken.length = 0;
  await update({ metadata: { generation: 2 } });
  expect(woken).toEqual([]);
  cache.planned.includes = () => true;
  await update({ metadata: { generation: 3 } });
  expect(woken).toEqual(ONCE);
});

test("a copy is kept by a handover to a policy with the deletion policy Orphan", async () => {
  const placements = [placement(["a", "b"], { deletionPolicy: "Orphan" })];
  const { reconcile, handOver, eventTexts, report, finalizers } = await handing(
    { finalizers: [CANARY] },
    { placements },
  );
  await reconcile();
  for (const cluster of ["a", "b"]) report(cluster);
  await handOver();
  expect([finalizers(), eventTexts()]).toEqual([
    [OBJECT_FINALIZER, CANARY],
    ["TakenOver: default has taken over from canary"],
  ]);
});
