import { describe, expect, test } from "vitest";
import {
  bindingName,
  CONTROLLER_CLASS_LABEL,
  finalizerOf,
  FIRST_RECORD_ANNOTATION,
  OBJECT_FINALIZER,
  refKey,
  refOf,
} from "../../apis/index.ts";
import {
  ApiError,
  CONTROLLERREVISIONS,
  DEMOAPPLICATIONS,
  MEMBERCLUSTERS,
  PLACEMENTS,
  SECRETS,
} from "../../runtime/index.ts";
import { RETRY_FINALIZER_MS } from "../facts/finalizers.ts";
import { observation } from "../testing/builders.ts";
import { APP, app, placement, placing, statusOn } from "../testing/planning.ts";
import { CANARY } from "../testing/rollingOut.ts";
import { configMap, sending, SETTINGS } from "../testing/sending.ts";

describe("an object that a policy places", () => {
  test("is claimed, says where it goes, and goes there", async () => {
    const { reconcile, onHub, rowLines, states, progress, eventTexts, lines } = await placing();
    expect(progress.isComplete).toBe(false);
    expect(await reconcile()).toEqual({});
    const { finalizers, annotations } = onHub().metadata;
    expect(finalizers).toEqual([OBJECT_FINALIZER]);
    expect(JSON.parse(annotations?.[FIRST_RECORD_ANNOTATION] ?? "")).toEqual({ clusters: ["a", "b"] });
    expect(rowLines()).toEqual(["a Apply Deployment/shop", "b Apply Deployment/shop"]);
    expect(states.planOf(APP)).toMatchObject({ generation: 1, ours: true, remaining: new Set() });
    expect(progress.isComplete).toBe(true);
    expect(eventTexts()).toEqual([
      "ReconcileStarted: generation 1 is being planned",
      expect.stringMatching(/^FinalizerAdded: /),
      "Scheduled: placed on 2 clusters: a, b",
    ]);
    expect(lines.map(({ msg }) => msg)).toEqual(["changed: generation 1", expect.stringMatching(/^planned: /)]);
  });

  test("changes nothing and tells nothing when it is planned again", async () => {
    const { plan, reconcile, assignments, eventTexts, lines, hub, settle } = await placing();
    await plan();
    await settle();
    const [events, logged, calls] = [eventTexts().length, lines.length, hub.calls.length];
    let changes = 0;
    assignments.changes.subscribe(() => (changes += 1));
    await reconcile();
    expect([changes, eventTexts().length, lines.length, hub.calls.length]).toEqual([0, events, logged, calls]);
  });

  test("that changed while it was being claimed is planned again soon", async () => {
    const { reconcile, state, states, progress } = await placing();
    state.patchFailure = new ApiError(422, "Invalid", "a test failed");
    expect(await reconcile()).toEqual({ requeueAfter: RETRY_FINALIZER_MS });
    expect(states.planOf(APP)).toBeUndefined();
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
    const { reconcile, rowLines, warnings, eventTexts, states } = await placing({
      placements: [placement(["nowhere"])],
    });
    await reconcile();
    expect([rowLines(), warnings]).toEqual([[], [expect.stringMatching(/^NoClusterFits: /)]]);
    expect(eventTexts().some((line) => line.startsWith("Scheduled"))).toBe(false);
    expect(states.planOf(APP)?.target?.scheduled.status).toBe("False");
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

test("a cluster gets nothing before the hub's record names it", async () => {
  const { plan, reconcile, server, settle, rowLines, update, hub, onHub } = await placing({
    placements: [placement(["a"])],
  });
  await plan();
  await update(statusOn("a"));
  server.merge(PLACEMENTS, "default", "everywhere", {
    metadata: { generation: 2 },
    spec: { clusterAffinities: [{ name: "these", clusterNames: ["a", "b"] }] },
  });
  await settle();
  const refused = new ApiError(500, "InternalError", "etcd is away");
  hub.gate = ({ verb }) => {
    if (verb === "applyStatus") throw refused;
  };
  await expect(reconcile()).rejects.toBe(refused);
  expect(rowLines()).toEqual(["a Apply Deployment/shop"]);
  const seen: string[][] = [];
  hub.gate = ({ verb }) => void (verb === "applyStatus" && seen.push(rowLines()));
  await reconcile();
  expect(seen).toEqual([["a Apply Deployment/shop"], ["a Apply Deployment/shop"]]);
  expect(onHub()["status"]).toMatchObject({ plannedClusters: ["b"], clusters: [{ name: "a" }] });
  expect(rowLines()).toEqual(["a Apply Deployment/shop", "b Apply Deployment/shop"]);
});

const theirs = { labels: { [CONTROLLER_CLASS_LABEL]: "canary" } };

test("an object of another class, which was ours, loses its rows, and its plan when it is being deleted", async () => {
  const { plan, reconcile, rowLines, update, states } = await placing();
  await plan();
  await update({ metadata: { ...theirs, generation: 2, finalizers: [`${OBJECT_FINALIZER}.canary`] } });
  await reconcile();
  expect(rowLines()).toEqual([]);
  expect(states.planOf(APP)?.ours).toBe(false);
  await update({ metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } });
  await reconcile();
  expect(states.planOf(APP)).toBeUndefined();
});

test("an object that is made anew loses the rows of the earlier one before it waits for a cluster", async () => {
  const clusterAffinities = ["a", "b"].map((name) => ({ name, clusterNames: [name] }));
  const { plan, reconcile, rowLines, server, settle, contact } = await placing({
    apps: [app({ uid: "first" })],
    placements: [placement([], { clusterAffinities })],
  });
  await plan();
  expect(rowLines()).toEqual(["a Apply Deployment/shop"]);
  server.delete(DEMOAPPLICATIONS, "default", "shop");
  server.create(DEMOAPPLICATIONS, app({ uid: "second" }));
  contact("b", { pending: true });
  await settle();
  expect(await reconcile()).toEqual({ requeueAfter: 60_000 });
  expect(rowLines()).toEqual([]);
});

test("a plan that breaks leaves the rows as they are, says so, and is an error", async () => {
  const { plan, reconcile, rowLines, update, states, eventTexts, cache } = await placing();
  await plan();
  const before = rowLines();
  const fault = new TypeError("x is not a function");
  cache.allPlacements = () => {
    throw fault;
  };
  await update({ metadata: { generation: 2 } });
  await expect(reconcile()).rejects.toBe(fault);
  expect(rowLines()).toEqual(before);
  expect(states.planOf(APP)).toMatchObject({
    generation: 2,
    failure: {
      reason: "PlanningFailed",
      message: "the object could not be planned (TypeError); the manager's log says more",
    },
  });
  await expect(reconcile()).rejects.toBe(fault);
  expect(eventTexts().filter((line) => line.startsWith("PlanningFailed"))).toHaveLength(1);
});

const CANARY_FINALIZER = finalizerOf(OBJECT_FINALIZER, "canary");
const TO_CANARY = { labels: { [CONTROLLER_CLASS_LABEL]: "canary" } };
const NEEDS_SECRET = { envFrom: [{ secretRef: { name: "password" } }] };
const SECRET_KEY = "/Secret/default/password";
const ended = AbortSignal.abort(new Error("the term is over"));

test.each([
  {
    name: "is another class's",
    metadata: { ...TO_CANARY, finalizers: [CANARY_FINALIZER] },
    ours: false,
    keeps: false,
  },
  {
    name: "is another class's, and is to be ours",
    metadata: { finalizers: [CANARY_FINALIZER] },
    ours: false,
    keeps: true,
  },
  {
    name: "is ours, and is to be another's",
    metadata: { ...TO_CANARY, finalizers: [OBJECT_FINALIZER] },
    ours: true,
    keeps: true,
  },
  {
    name: "was ours, and another has claimed it",
    metadata: { ...TO_CANARY, finalizers: [CANARY_FINALIZER, OBJECT_FINALIZER] },
    ours: false,
    keeps: false,
  },
])("an object that changes hands $name", async ({ metadata, ours, keeps }) => {
  const { reconcile, states, rowLines, dependencies, server, cache, onHub, settle, progress } = await placing({
    apps: [{ ...app(metadata, NEEDS_SECRET), ...statusOn("a", "b") }],
  });
  server.create(SECRETS, { apiVersion: "v1", kind: "Secret", metadata: { name: "password", namespace: "default" } });
  const found = cache.object(APP);
  if (found === undefined) throw new Error("the hub has no application");
  const needed = found.kind.interpreter.dependencies(found.object);
  dependencies.collect(APP, needed);
  await settle();
  expect(await reconcile()).toEqual({});
  expect(states.planOf(APP)).toMatchObject({
    ours,
    remaining: new Set(),
    target: { clusters: [{ name: "a" }, { name: "b" }] },
  });
  expect(rowLines().length > 0).toBe(ours);
  expect([...dependencies.referrersTo(SECRET_KEY)]).toEqual(keeps ? [APP] : []);
  expect([onHub().metadata.finalizers, progress.isComplete]).toEqual([metadata.finalizers, true]);
});

describe("an object whose dependencies are being read", () => {
  const reading = async () => {
    const all = await placing({ apps: [app({}, NEEDS_SECRET)] });
    const { reconcile, metrics } = all;
    const fetched = async (): Promise<string[]> =>
      (await metrics.scrape()).body
        .split("\n")
        .filter((line) => /^operator_reconcile_duration_seconds_(sum|count)\{phase="fetch"/.test(line))
        .map((line) => line.split(" ").at(-1) ?? "");
    expect(await reconcile()).toEqual({});
    return { ...all, fetched };
  };

  test("is not planned, and does not count as one that cannot be", async () => {
    const { states, rowLines, progress, onHub } = await reading();
    expect([states.planOf(APP), rowLines(), onHub().metadata.finalizers]).toEqual([undefined, [], undefined]);
    expect(progress.isComplete).toBe(false);
  });

  test("is planned when they have been read; how long that took is measured from the first try", async () => {
    const { reconcile, clock, settle, fetched, progress, states } = await reading();
    await clock.advance(2_000);
    expect(await fetched()).toEqual([]);
    await settle();
    expect(await reconcile()).toEqual({});
    expect(await fetched()).toEqual(["2", "1"]);
    expect([progress.isComplete, states.planOf(APP)?.target?.missing]).toEqual([true, new Set([SECRET_KEY])]);
    await clock.advance(5_000);
    await reconcile();
    expect(await fetched()).toEqual(["2", "2"]);
  });
});

test("a turn that is broken off does not say that its object cannot be planned", async () => {
  const { reconciler, context, state, progress } = await placing();
  state.patchFailure = new ApiError(500, "InternalError", "etcd is away");
  await expect(reconciler.reconcile(APP, ended, context)).rejects.toBe(state.patchFailure);
  expect(progress.isComplete).toBe(false);
});

test("each turn is counted and traced", async () => {
  const { reconciler, signal, context, spans, metrics, reconcile, onHub, shared } = await placing();
  await reconcile();
  const span = shared.tracer.startSpan("turn");
  await reconciler.reconcile(APP, signal, { ...context, span });
  span.end();
  expect(spans.map(({ name }) => name)).toEqual(["ComputeTarget", "ComputeTarget", "turn"]);
  expect(spans[1]?.parentSpanContext?.spanId).toBe(span.spanContext().spanId);
  const { uid } = onHub().metadata;
  expect(spans[2]?.attributes).toMatchObject({ "reconcile.key": APP, "k8s.resource.uid": uid });
  const { body } = await metrics.scrape();
  expect(body.split("\n").filter((line) => line.endsWith('{kind="DemoApplication"} 2'))).toHaveLength(1);
});

const settled = { ...app({ finalizers: [OBJECT_FINALIZER] }), ...statusOn("a", "b") };

test("a manager that starts does not tell again where an object is", async () => {
  const { reconcile, eventTexts, lines } = await placing({ apps: [settled] });
  await reconcile();
  expect(eventTexts()).toEqual(["ReconcileStarted: generation 1 is being planned"]);
  expect(lines).toMatchObject([{ level: "debug", msg: "planned: 2 of 2 clusters selected" }]);
});

/** An application with a rollout policy, after its first plan. */
async function rolling(image = "nginx:1") {
  const all = await placing({
    apps: [app({}, { image })],
    placements: [placement(["a", "b"], { rollout: CANARY })],
  });
  all.hub.serve(CONTROLLERREVISIONS);
  await all.plan();
  const woken = all.wokenBy(all.reconciler);
  woken.length = 0;
  /** Writes the planned rollout state to the hub. */
  const hold = async (): Promise<void> => {
    const rollout = all.states.planOf(APP)?.rollout;
    await all.update({ status: { ...statusOn("a").status, rollout } });
    woken.length = 0;
  };
  return { ...all, woken, hold };
}

const ONCE = [{ key: APP, afterMs: undefined }];

describe("an object that is rolled out in stages", () => {
  test("gets nothing before the hub holds the state that it follows from", async () => {
    const all = await placing({
      apps: [app({}, { image: "nginx:1" })],
      placements: [placement(["a", "b"], { rollout: CANARY })],
    });
    all.hub.serve(CONTROLLERREVISIONS);
    const refused = new ApiError(500, "InternalError", "etcd is away");
    all.hub.gate = ({ verb }) => {
      if (verb === "applyStatus") throw refused;
    };
    await expect(all.reconcile()).rejects.toBe(refused);
    expect(all.rowLines()).toEqual([]);
    all.hub.gate = () => undefined;
    await all.settle();
    expect(await all.reconcile()).toEqual({ requeueAfter: 600_000 });
    expect(all.onHub()["status"]).toMatchObject({ rollout: { state: "Progressing", revision: 1 } });
    expect(all.rowLines().filter((line) => line.includes("Apply"))).toEqual(["a Apply Deployment/shop"]);
  });

  test("is planned again with every news of its gates, its turn, and its clusters", async () => {
    const { reconcile, woken, hold, shared, contact } = await rolling();
    await hold();
    await reconcile();
    const wakers: [string, () => void][] = [
      ["gates", () => shared.gates.changes.emit(APP)],
      ["places", () => shared.places.changes.emit(APP)],
      ["contact", () => contact("b", { synced: false })],
    ];
    for (const [name, waker] of wakers) {
      woken.length = 0;
      waker();
      expect([name, woken]).toEqual([name, ONCE]);
    }
  });

  test("that no revision can hold is done with, and its plan says why", async () => {
    const { reconcile, states, rowLines } = await rolling("x".repeat(1024 * 1024));
    expect(await reconcile()).toEqual({});
    expect([states.planOf(APP)?.failure?.reason, rowLines()]).toEqual(["RevisionTooLarge", []]);
  });
});

const OTHER = refKey(refOf(configMap("other")));
const BINDING = bindingName(refOf(configMap("settings")));

test("it is claimed, has a binding, and goes where its policy says", async () => {
  const { plan, onHub, bindings, rowLines, states } = await sending();
  await plan();
  expect([onHub().metadata.finalizers, bindings()]).toEqual([[OBJECT_FINALIZER], [BINDING]]);
  expect(states.planOf(SETTINGS)?.target?.clusters.map(({ name }) => name)).toEqual(["a"]);
  expect(rowLines()).toEqual(["a Apply ConfigMap/settings"]);
});

test("one that no policy selects is left alone", async () => {
  const { reconcile, states, onHub, hub, assignments, lines } = await sending();
  const calls = hub.calls.length;
  expect(await reconcile(OTHER)).toEqual({});
  expect([states.planOf(OTHER), onHub("other").metadata.finalizers, [...assignments.of(OTHER)]]).toEqual([
    undefined,
    undefined,
    [],
  ]);
  expect([hub.calls.length, lines]).toEqual([calls, []]);
});

describe("one that no policy selects any more", () => {
  const left = async () => {
    const all = await sending();
    await all.plan();
    all.carryOut("a");
    await all.unselect();
    const lose = async (): Promise<void> => {
      all.server.delete(MEMBERCLUSTERS, undefined, "a");
      all.observations.contact("a", undefined);
      await all.settle();
    };
    return { ...all, lose };
  };

  test("stays where it is; it is none of Meridian's once its last cluster is gone", async () => {
    const { reconcile, rows, onHub, bindings, states, lines, settle, assignments, lose } = await left();
    await reconcile(SETTINGS);
    expect(rows(SETTINGS)).toMatchObject([{ cluster: "a", verb: "Hold", wanted: true }]);
    expect(onHub().metadata.finalizers).toEqual([OBJECT_FINALIZER]);
    await lose();
    lines.length = 0;
    expect(await reconcile(SETTINGS)).toEqual({});
    await settle();
    expect([onHub().metadata.finalizers ?? [], bindings()]).toEqual([[], []]);
    expect([states.planOf(SETTINGS), [...assignments.of(SETTINGS)]]).toEqual([undefined, []]);
    expect(lines.map(({ msg }) => msg)).toEqual(["ended: nothing of the object is left on any cluster"]);
  });
});

test("one that is being deleted loses its binding with its finalizer", async () => {
  const { plan, change, reconcile, carryOut, bindings, onHub } = await sending();
  await plan();
  carryOut("a");
  await change({ metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } });
  await reconcile(SETTINGS);
  expect(bindings()).toEqual([BINDING]);
  carryOut("a");
  await reconcile(SETTINGS);
  expect([onHub().metadata.finalizers ?? [], bindings()]).toEqual([[], []]);
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
    const { reconciler, rowLines, rows, states, wokenBy, observations, carryOut, reconcile, assignments } =
      await moved();
    expect(rowLines()).toContain("b Delete Deployment/shop");
    expect(rows().find(({ verb }) => verb === "Delete")).toMatchObject({
      uid: "member-1",
      why: { reason: "NotSelected", message: "the object is not to run there any more" },
    });
    expect([...(states.planOf(APP)?.remaining ?? [])]).toEqual(["b"]);
    const woken = wokenBy(reconciler);
    woken.length = 0;
    const [gone] = rows().filter(({ cluster: name }) => name === "b");
    if (gone === undefined) throw new Error("no row");
    observations.report("b", [observation({ cluster: "b", ref: gone.ref, present: { deleting: true } })]);
    expect(woken).toEqual([{ key: APP, afterMs: undefined }]);
    carryOut("b");
    await reconcile();
    expect([...(states.planOf(APP)?.remaining ?? [])]).toEqual([]);
    expect([...assignments.in("b")].every(({ effective }) => effective?.verb !== "Apply")).toBe(true);
  });
});

test("counts that an object has come back to a cluster", async () => {
  const departures = [{ cluster: "a", reason: "ClusterLost", at: "2025-01-01T00:00:00Z" }];
  const { status } = statusOn("b");
  const { reconcile, eventTexts, metrics } = await placing({
    apps: [{ ...settled, status: { ...status, departures } }],
    placements: [placement(["a", "b"], { failover: {} })],
  });
  await reconcile();
  expect(eventTexts()).toContain("ReturnedToCluster: returned to a");
  const { body } = await metrics.scrape();
  expect(body).toContain('federation_failovers_total{reason="Returned"} 1');
});
