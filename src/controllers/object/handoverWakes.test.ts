import { describe, expect, test } from "vitest";
import { OBJECT_FINALIZER } from "../../apis/index.ts";
import { MEMBERCLUSTERS, PLACEMENTS } from "../../runtime/index.ts";
import { observation } from "../testing/builders.ts";
import { CANARY, DEPLOYMENT, handing, TO_CANARY } from "../testing/handing.ts";
import { APP, placement } from "../testing/planning.ts";

const ONCE = [{ key: APP, afterMs: undefined }];

/** An object of another class that names ours, and waits for a cluster. */
async function waiting() {
  const all = await handing({ finalizers: [CANARY] });
  await all.reconcile();
  all.contact("b", { synced: false });
  await all.handOver();
  await all.settle();
  all.woken.length = 0;
  return all;
}

describe("an object in transit", () => {
  test.each([
    { name: "to this class", metadata: { finalizers: [CANARY] } },
    { name: "to another", metadata: { ...TO_CANARY, finalizers: [CANARY, OBJECT_FINALIZER] } },
  ])("is considered when it changes, $name, and not while nobody plans it", async ({ metadata }) => {
    const { woken, update, cache } = await handing(metadata);
    cache.planned.includes = () => false;
    woken.length = 0;
    await update({ metadata: { generation: 2 } });
    expect(woken).toEqual([]);
    cache.planned.includes = () => true;
    await update({ metadata: { generation: 3 } });
    expect(woken).toEqual(ONCE);
  });

  test("that waits is considered when it changes, whoever plans it", async () => {
    const { woken, update, cache } = await waiting();
    cache.planned.includes = () => false;
    await update({ metadata: { generation: 2 } });
    expect(new Set(woken.map(({ key }) => key))).toEqual(new Set([APP]));
  });

  test("that waits is considered once for each thing that happens", async () => {
    const { woken, wokenBy, reconciler, server, settle, shared, observations, onHub } = await waiting();
    // Who begins to listen hears of the object and of its status, and of no policy and no cluster that was there before.
    expect(wokenBy(reconciler)).toEqual([...ONCE, ...ONCE]);
    woken.length = 0;
    server.merge(PLACEMENTS, "default", "everywhere", { metadata: { generation: 5 } });
    await settle();
    expect(woken.splice(0)).toEqual(ONCE);
    server.merge(MEMBERCLUSTERS, undefined, "a", { metadata: { generation: 5, labels: { z: "1" } } });
    await settle();
    expect(woken.splice(0)).toEqual(ONCE);
    shared.namespaces.changes.emit("default");
    expect(woken.splice(0)).toEqual(ONCE);
    const { uid = "" } = onHub().metadata;
    const owner = { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", namespace: "default", name: "shop", uid };
    observations.report("a", [observation({ cluster: "a", ref: DEPLOYMENT, present: { owner } })]);
    expect(woken).toEqual(ONCE);
  });

  test("that changed hands is not waited for any more", async () => {
    const { woken, update, handOver, shared } = await waiting();
    await update({ metadata: { finalizers: [OBJECT_FINALIZER] } });
    expect(await handOver()).toEqual({});
    woken.length = 0;
    shared.namespaces.changes.emit("default");
    expect(woken).toEqual([]);
  });
});

test("a copy that is wanted is none that a handover would take away, whoever placed the object before", async () => {
  const { reconcile, handOver, told, observations, onHub, finalizers } = await handing(
    { finalizers: [CANARY] },
    { placements: [placement(["a", "b"], { deletionPolicy: "Orphan" })] },
  );
  await reconcile();
  const { uid = "" } = onHub().metadata;
  const owner = { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", namespace: "default", name: "shop", uid };
  for (const cluster of ["a", "b"])
    observations.report(cluster, [observation({ cluster, ref: DEPLOYMENT, present: { owner } })]);
  await handOver();
  expect([finalizers(), told()]).toEqual([
    [OBJECT_FINALIZER, CANARY],
    ["TakenOver: default has taken over from canary"],
  ]);
});
