import { describe, expect, test } from "vitest";
import { CONTROLLER_CLASS_LABEL, FIRST_RECORD_ANNOTATION, OBJECT_FINALIZER } from "../../apis/index.ts";
import { ApiError, DEMOAPPLICATIONS, MEMBERCLUSTERS, NAMESPACES, PLACEMENTS } from "../../runtime/index.ts";
import { RETRY_FINALIZER_MS } from "../facts/finalizers.ts";
import { observation } from "../testing/builders.ts";
import { APP, app, placement, placing, statusOn } from "../testing/planning.ts";

describe("an object that a policy places", () => {
  test("is claimed, says where it goes, and goes there", async () => {
    const { reconcile, onHub, rowLines, plans, progress, told, lines } = await placing();
    expect(progress.isComplete).toBe(false);
    expect(await reconcile()).toEqual({});
    const { finalizers, annotations } = onHub().metadata;
    expect(finalizers).toEqual([OBJECT_FINALIZER]);
    expect(JSON.parse(annotations?.[FIRST_RECORD_ANNOTATION] ?? "")).toEqual({ clusters: ["a", "b"] });
    expect(rowLines()).toEqual(["a Apply Deployment/shop", "b Apply Deployment/shop"]);
    expect(plans.get(APP)).toMatchObject({ generation: 1, ours: true, remaining: new Set() });
    expect(progress.isComplete).toBe(true);
    expect(told()).toEqual([
      "ReconcileStarted: generation 1 is being planned",
      expect.stringMatching(/^FinalizerAdded: /),
      "Scheduled: placed on 2 clusters: a, b",
    ]);
    expect(lines.map(({ msg }) => msg)).toEqual(["changed: generation 1", expect.stringMatching(/^planned: /)]);
  });

  test("changes nothing and tells nothing when it is planned again", async () => {
    const { plan, reconcile, assignments, told, lines, hub, settle } = await placing();
    await plan();
    await settle();
    const [events, logged, calls] = [told().length, lines.length, hub.calls.length];
    let changes = 0;
    assignments.changes.subscribe(() => (changes += 1));
    await reconcile();
    expect([changes, told().length, lines.length, hub.calls.length]).toEqual([0, events, logged, calls]);
  });

  test("waits until its namespace is known, and then is planned", async () => {
    const { reconciler, reconcile, wokenBy, server, settle, plans } = await placing({
      apps: [{ ...app(), metadata: { ...app().metadata, namespace: "new" } }],
    });
    const key = APP.replace("default", "new");
    expect(await reconcile(key)).toEqual({});
    expect(plans.get(key)).toBeUndefined();
    const woken = wokenBy(reconciler);
    woken.length = 0;
    server.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "new" } });
    await settle();
    expect(woken.map((one) => one.key)).toContain(key);
    await reconcile(key);
    expect(plans.get(key)).toBeDefined();
  });

  test("that changed while it was being claimed is planned again soon", async () => {
    const { reconcile, state, plans, progress } = await placing();
    state.patchFailure = new ApiError(422, "Invalid", "a test failed");
    expect(await reconcile()).toEqual({ requeueAfter: RETRY_FINALIZER_MS });
    expect(plans.get(APP)).toBeUndefined();
    expect(progress.isComplete).toBe(true);
    expect(progress.isKnownAround(APP)).toBe(false);
  });

  test("that cannot be claimed is an error, and counts as one that cannot be planned", async () => {
    const { reconcile, state, progress } = await placing();
    state.patchFailure = new ApiError(500, "InternalError", "etcd is away");
    await expect(reconcile()).rejects.toBe(state.patchFailure);
    expect([progress.isComplete, progress.isKnownAround(APP)]).toEqual([true, false]);
  });

  test("that fits nowhere is said to be so, in a while", async () => {
    const { reconcile, rowLines, warnings, told, plans } = await placing({ placements: [placement(["nowhere"])] });
    await reconcile();
    expect([rowLines(), warnings]).toEqual([[], [expect.stringMatching(/^NoClusterFits: /)]]);
    expect(told().some((line) => line.startsWith("Scheduled"))).toBe(false);
    expect(plans.get(APP)?.target?.scheduled.status).toBe("False");
  });

  test("that tolerates a taint for a while is planned again at its end", async () => {
    const taint = { key: "k", effect: "NoExecute", timeAdded: "2026-01-01T00:00:00Z" };
    const tolerations = [{ key: "k", operator: "Exists", effect: "NoExecute", tolerationSeconds: 60 }];
    const { plan, reconcile, server, settle, clock } = await placing({
      placements: [placement(["a", "b"], { tolerations })],
    });
    await plan();
    clock.jumpTo(Date.parse(taint.timeAdded));
    server.merge(MEMBERCLUSTERS, undefined, "a", { metadata: { generation: 2 }, spec: { taints: [taint] } });
    await settle();
    expect((await reconcile()).requeueAfter).toBeGreaterThan(50_000);
  });
});

describe("a cluster that the hub's record does not name yet", () => {
  test("gets nothing before the record names it", async () => {
    const { reconciler, plan, reconcile, server, settle, rowLines, update, settlements, wokenBy } = await placing({
      placements: [placement(["a"])],
    });
    await plan();
    await update(statusOn("a"));
    server.merge(PLACEMENTS, "default", "everywhere", {
      metadata: { generation: 2 },
      spec: { clusterAffinities: [{ name: "these", clusterNames: ["a", "b"] }] },
    });
    await settle();
    await reconcile();
    expect(rowLines()).toEqual(["a Apply Deployment/shop"]);
    const woken = wokenBy(reconciler);
    woken.length = 0;
    settlements.emit(APP);
    expect(woken).toEqual([]);
    await update(statusOn("a", "b"));
    woken.length = 0;
    settlements.emit(APP);
    settlements.emit("another");
    expect(woken).toEqual([{ key: APP, afterMs: undefined }]);
    await reconcile();
    expect(rowLines()).toEqual(["a Apply Deployment/shop", "b Apply Deployment/shop"]);
    woken.length = 0;
    settlements.emit(APP);
    expect(woken).toEqual([]);
  });
});

describe("an object that is to run elsewhere", () => {
  const moved = async () => {
    const all = await placing();
    await all.plan();
    for (const name of ["a", "b"]) all.carryOut(name);
    await all.update(statusOn("a", "b"));
    all.server.merge(PLACEMENTS, "default", "everywhere", {
      metadata: { generation: 2 },
      spec: { clusterAffinities: [{ name: "these", clusterNames: ["a"] }] },
    });
    await all.settle();
    await all.reconcile();
    return all;
  };

  test("goes where it is not to be any more, and is planned again with every news of that copy", async () => {
    const { reconciler, rowLines, rows, plans, wokenBy, observations, carryOut, reconcile, assignments } =
      await moved();
    expect(rowLines()).toContain("b Delete Deployment/shop");
    expect(rows().find(({ verb }) => verb === "Delete")).toMatchObject({
      uid: "member-1",
      why: { reason: "NotSelected", message: "the object is not to run there any more" },
    });
    expect([...(plans.get(APP)?.remaining ?? [])]).toEqual(["b"]);
    const woken = wokenBy(reconciler);
    woken.length = 0;
    const [gone] = rows().filter(({ cluster: name }) => name === "b");
    if (gone === undefined) throw new Error("no row");
    observations.report("b", [observation({ cluster: "b", ref: gone.ref, present: { deleting: true } })]);
    expect(woken).toEqual([{ key: APP, afterMs: undefined }]);
    carryOut("b");
    await reconcile();
    expect([...(plans.get(APP)?.remaining ?? [])]).toEqual([]);
    expect([...assignments.in("b")].every(({ effective }) => effective?.verb !== "Apply")).toBe(true);
  });

  test("is considered again when anything changes that a removal rests on", async () => {
    const { reconciler, wokenBy, contact, cache, progress, classes, missing } = await moved();
    const woken = wokenBy(reconciler);
    const wakers: [string, () => void][] = [
      ["contact", () => contact("b", { synced: false })],
      ["holds", () => cache.holds.emit(true)],
      ["kinds", () => cache.kindDeletions.changes.emit(DEMOAPPLICATIONS)],
      ["missing", () => missing.changes.emit()],
      ["progress", () => progress.advanced.emit({ namespace: undefined })],
      ["classes", () => classes.othersChanged.emit(undefined)],
    ];
    for (const [name, waker] of wakers) {
      woken.length = 0;
      waker();
      expect([name, woken]).toEqual([name, [{ key: APP, afterMs: undefined }]]);
    }
  });

  test("is considered again when others need less, where a copy is held, and not where its deletion is under way", async () => {
    const { reconciler, reconcile, rowLines, wokenBy, contact, dependencies, plans } = await moved();
    const woken = wokenBy(reconciler);
    const wakenTimes = (): number[] => {
      const plan = plans.get(APP);
      if (plan === undefined) throw new Error("no plan");
      return [
        () => dependencies.releases.emit("another"),
        () => {
          plans.set("other", plan);
          plans.drop("other");
        },
      ].map((waker) => {
        woken.length = 0;
        waker();
        return woken.length;
      });
    };
    expect(rowLines()).toContain("b Delete Deployment/shop");
    expect(wakenTimes()).toEqual([0, 0]);
    contact("b", { synced: false });
    await reconcile();
    expect(rowLines().filter((line) => line.startsWith("b "))).toEqual([expect.stringContaining("Hold")]);
    expect(wakenTimes()).toEqual([1, 1]);
  });
});

describe("what wakes the planning of an object", () => {
  const planned = async () => {
    const all = await placing();
    await all.plan();
    for (const name of ["a", "b"]) all.carryOut(name);
    const woken = all.wokenBy(all.reconciler);
    woken.length = 0;
    return { ...all, woken };
  };
  const keys = (woken: { key: string }[]): string[] => [...new Set(woken.map(({ key }) => key))];

  test("is a change of its spec, and none of its status", async () => {
    const { woken, update } = await planned();
    await update({ status: { observedGeneration: 1 } });
    expect(woken).toEqual([]);
    await update({ metadata: { generation: 2 }, spec: { replica: 3 } });
    expect(keys(woken)).toEqual([APP]);
  });

  test("is a change of a policy that selects it, and none of the policy's status", async () => {
    const { woken, server, settle } = await planned();
    server.merge(PLACEMENTS, "default", "everywhere", { status: { matched: 1 } });
    await settle();
    expect(woken).toEqual([]);
    server.merge(PLACEMENTS, "default", "everywhere", { metadata: { generation: 2 } });
    await settle();
    expect(keys(woken)).toEqual([APP]);
  });

  test("is a change of the facts of its clusters", async () => {
    const { woken, server, settle } = await planned();
    server.merge(MEMBERCLUSTERS, undefined, "a", { status: { kubernetesVersion: "v1.36.0" } });
    await settle();
    expect(woken).toEqual([]);
    server.merge(MEMBERCLUSTERS, undefined, "a", { metadata: { generation: 2, labels: { zone: "x" } } });
    await settle();
    expect(keys(woken)).toEqual([APP]);
  });

  test("is a dependency that changed", async () => {
    const { woken, dependencies } = await planned();
    dependencies.changes.emit(APP);
    expect(keys(woken)).toEqual([APP]);
  });

  test("is a copy that nobody asks for, and no news of a copy that is asked for", async () => {
    const { woken, observations, rows } = await planned();
    const [row] = rows();
    if (row === undefined) throw new Error("no row");
    const copy = (more: object = {}) =>
      observation({ cluster: "a", ref: row.ref, present: { owner: row.owner, ...more } });
    observations.report("a", [copy()]);
    observations.report("a", [copy({ health: { state: "Degraded" } })]);
    expect(woken).toEqual([]);
    observations.report("a", [{ ...copy(), ref: { ...row.ref, name: "unasked" } }]);
    expect(keys(woken)).toEqual([APP]);
  });

  test("is a copy that has begun to refuse what it is to be", async () => {
    const { woken, observations, rows } = await planned();
    const [row] = rows();
    if (row === undefined) throw new Error("no row");
    const refusing = observation({ cluster: "a", ref: row.ref, present: { owner: row.owner, refused: ["h2"] } });
    observations.report("a", [refusing]);
    expect(keys(woken)).toEqual([APP]);
    woken.length = 0;
    observations.report("a", [{ ...refusing, revision: 9 }]);
    expect(woken).toEqual([]);
  });

  test("is not contact with its clusters while nothing of it is to go", async () => {
    const { woken, contact, cache, progress } = await planned();
    contact("a", { synced: false });
    cache.holds.emit(true);
    progress.advanced.emit({ namespace: undefined });
    expect(woken).toEqual([]);
  });
});

describe("an object of another class", () => {
  const theirs = { labels: { [CONTROLLER_CLASS_LABEL]: "canary" } };

  test("is planned for the policies that select it, and nothing is asked for in its name", async () => {
    const { reconcile, plans, rowLines, hub, onHub, progress } = await placing({ apps: [app(theirs)] });
    expect(await reconcile()).toEqual({});
    expect(plans.get(APP)).toMatchObject({ ours: false, target: { clusters: [{ name: "a" }, { name: "b" }] } });
    expect([rowLines(), onHub().metadata.finalizers, hub.calls.includes("patch demoapplications")]).toEqual([
      [],
      undefined,
      false,
    ]);
    expect(progress.isComplete).toBe(true);
  });

  test("that was ours loses its rows, and its plan when it is being deleted", async () => {
    const { plan, reconcile, rowLines, update, plans } = await placing();
    await plan();
    await update({ metadata: { ...theirs, generation: 2, finalizers: [`${OBJECT_FINALIZER}.canary`] } });
    await reconcile();
    expect(rowLines()).toEqual([]);
    expect(plans.get(APP)?.ours).toBe(false);
    await update({ metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } });
    await reconcile();
    expect(plans.get(APP)).toBeUndefined();
  });
});

test("a plan that breaks leaves the rows as they are, says so, and is an error", async () => {
  const { plan, reconcile, rowLines, update, plans, told, cache } = await placing();
  await plan();
  const before = rowLines();
  const fault = new TypeError("x is not a function");
  cache.allPlacements = () => {
    throw fault;
  };
  await update({ metadata: { generation: 2 } });
  await expect(reconcile()).rejects.toBe(fault);
  expect(rowLines()).toEqual(before);
  expect(plans.get(APP)).toMatchObject({
    generation: 2,
    failure: {
      reason: "PlanningFailed",
      message: "the object could not be planned (TypeError); the manager's log says more",
    },
  });
  await expect(reconcile()).rejects.toBe(fault);
  expect(told().filter((line) => line.startsWith("PlanningFailed"))).toHaveLength(1);
});
