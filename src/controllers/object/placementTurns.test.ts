import { describe, expect, test } from "vitest";
import { CONTROLLER_CLASS_LABEL, finalizerOf, OBJECT_FINALIZER, TRACEPARENT_ANNOTATION } from "../../apis/index.ts";
import { ApiError, DEMOAPPLICATIONS, SECRETS } from "../../runtime/index.ts";
import { APP, app, placement, placing, statusOn } from "../testing/planning.ts";

/** What one turn of the planning of an object does beside the plan itself. */

const CANARY = finalizerOf(OBJECT_FINALIZER, "canary");
const TO_CANARY = { labels: { [CONTROLLER_CLASS_LABEL]: "canary" } };
const NEEDS_SECRET = { envFrom: [{ secretRef: { name: "password" } }] };
const SECRET_KEY = "/Secret/default/password";
const ended = AbortSignal.abort(new Error("the term is over"));

describe("an object that changes hands", () => {
  test.each([
    { name: "is another class's", metadata: { ...TO_CANARY, finalizers: [CANARY] }, ours: false, keeps: false },
    { name: "is another class's, and is to be ours", metadata: { finalizers: [CANARY] }, ours: false, keeps: true },
    {
      name: "is ours, and is to be another's",
      metadata: { ...TO_CANARY, finalizers: [OBJECT_FINALIZER] },
      ours: true,
      keeps: true,
    },
    {
      name: "was ours, and another has claimed it",
      metadata: { ...TO_CANARY, finalizers: [CANARY, OBJECT_FINALIZER] },
      ours: false,
      keeps: false,
    },
  ])("$name", async ({ metadata, ours, keeps }) => {
    const { reconcile, plans, rowLines, dependencies, server, cache, onHub, settle, progress } = await placing({
      apps: [{ ...app(metadata, NEEDS_SECRET), ...statusOn("a", "b") }],
    });
    server.create(SECRETS, { apiVersion: "v1", kind: "Secret", metadata: { name: "password", namespace: "default" } });
    const found = cache.object(APP);
    if (found === undefined) throw new Error("the hub has no application");
    const needed = found.kind.interpreter.dependencies(found.object);
    dependencies.collect(APP, needed);
    await settle();
    expect(await reconcile()).toEqual({});
    expect(plans.get(APP)).toMatchObject({
      ours,
      remaining: new Set(),
      target: { clusters: [{ name: "a" }, { name: "b" }] },
    });
    expect(rowLines().length > 0).toBe(ours);
    expect([...dependencies.referrersTo(SECRET_KEY)]).toEqual(keeps ? [APP] : []);
    expect([onHub().metadata.finalizers, progress.isComplete]).toEqual([metadata.finalizers, true]);
  });
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
    const { plans, rowLines, progress, onHub } = await reading();
    expect([plans.get(APP), rowLines(), onHub().metadata.finalizers]).toEqual([undefined, [], undefined]);
    expect(progress.isComplete).toBe(false);
  });

  test("is planned when they have been read; how long that took is measured from the first try", async () => {
    const { reconcile, clock, settle, fetched, progress, plans } = await reading();
    await clock.advance(2_000);
    expect(await fetched()).toEqual([]);
    await settle();
    expect(await reconcile()).toEqual({});
    expect(await fetched()).toEqual(["2", "1"]);
    expect([progress.isComplete, plans.get(APP)?.target?.missing]).toEqual([true, new Set([SECRET_KEY])]);
    await clock.advance(5_000);
    await reconcile();
    expect(await fetched()).toEqual(["2", "2"]);
  });

  test("is measured anew after it was gone", async () => {
    const { reconcile, clock, settle, fetched, server } = await reading();
    server.delete(DEMOAPPLICATIONS, "default", "shop");
    await settle();
    await reconcile();
    server.create(DEMOAPPLICATIONS, app({}, NEEDS_SECRET));
    await settle(7_000);
    await reconcile();
    await clock.advance(1_000);
    await settle();
    await reconcile();
    expect(await fetched()).toEqual(["1", "1"]);
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

describe("a manager that starts", () => {
  const settled = { ...app({ finalizers: [OBJECT_FINALIZER] }), ...statusOn("a", "b") };

  test("does not tell again where an object is", async () => {
    const { reconcile, told, lines } = await placing({ apps: [settled] });
    await reconcile();
    expect(told()).toEqual(["ReconcileStarted: generation 1 is being planned"]);
    // What it found to be so is of little interest.
    expect(lines).toMatchObject([{ level: "debug", msg: "planned: 2 of 2 clusters selected" }]);
  });

  test("counts that an object has come back to a cluster", async () => {
    const departures = [{ cluster: "a", reason: "ClusterLost", at: "2025-01-01T00:00:00Z" }];
    const { status } = statusOn("b");
    const { reconcile, told, metrics } = await placing({
      apps: [{ ...settled, status: { ...status, departures } }],
      placements: [placement(["a", "b"], { failover: {} })],
    });
    await reconcile();
    expect(told()).toContain("ReturnedToCluster: returned to a");
    const { body } = await metrics.scrape();
    expect(body).toContain('federation_failovers_total{reason="Returned"} 1');
  });
});

describe("the trace of the request that changed an object", () => {
  const text = (id: string): string => `00-${id.repeat(32)}-${id.repeat(16)}-01`;
  const traced = (id: string, more: object = {}) =>
    app({ annotations: { [TRACEPARENT_ANNOTATION]: text(id) }, ...more });
  const traceOf = (id: string) => expect.objectContaining({ traceId: id.repeat(32) }) as object;

  test("is that of the turn, where the object is new, or this manager knew it before", async () => {
    const { reconciler, update, plan } = await placing({
      apps: [traced("a", { creationTimestamp: "2026-01-01T00:00:00Z" }), app({ name: "cart" })],
    });
    expect(reconciler.follows(APP)).toEqual({ parent: traceOf("a") });
    expect(reconciler.follows(APP)).toMatchObject({ links: [traceOf("a")] });
    await plan();
    await update({ metadata: { generation: 2, annotations: { [TRACEPARENT_ANNOTATION]: text("b") } } });
    expect(reconciler.follows(APP)).toEqual({ parent: traceOf("b") });
    expect(reconciler.follows(APP.replace("shop", "cart"))).toBeUndefined();
    expect(reconciler.follows("another")).toBeUndefined();
  });

  test("is beside the turn of a manager that finds the object, however old it is", async () => {
    const old = { creationTimestamp: "2020-01-01T00:00:00Z" };
    const { reconciler } = await placing({ apps: [traced("a", old)] });
    expect(reconciler.follows(APP)).toMatchObject({ links: [traceOf("a")] });
    const other = await placing({ apps: [traced("a", old)] });
    await other.plan();
    expect(other.reconciler.follows(APP)).toEqual({ parent: traceOf("a") });
  });

  test("is beside a turn that changes nothing which the status does not say already", async () => {
    const fresh = traced("a", { creationTimestamp: "2026-01-01T00:00:00Z" });
    const { reconciler } = await placing({ apps: [{ ...fresh, ...statusOn("a", "b") }] });
    expect(reconciler.follows(APP)).toMatchObject({ links: [traceOf("a")] });
  });
});
