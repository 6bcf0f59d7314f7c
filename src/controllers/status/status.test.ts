import { describe, expect, test } from "vitest";
import { CONTROLLER_CLASS_LABEL, OBJECT_FINALIZER, REPLICA_BOUNDS_ANNOTATION } from "../../apis/index.ts";
import { parsePrometheusText } from "../../observability/testing/prometheusText.ts";
import { ApiError, DEMOAPPLICATIONS, NAMESPACES, PLACEMENTS } from "../../runtime/index.ts";
import { DEBOUNCE_MS, FIRST_DEBOUNCE_MS, HELD_BY_OTHERS_MS, LONGEST_MS, UNTOUCHED_MS } from "./debounce.ts";
import { observation } from "../testing/builders.ts";
import { APP, app, placement } from "../testing/planning.ts";
import { degraded, reporting } from "../testing/reporting.ts";

const SYNC_MS = 10_000;

describe("the status of an object", () => {
  test("is not written while its plan is being carried out, and then once", async () => {
    const { plan, report, carryOut, writes, states, conditions, woken, settled } = await reporting();
    await plan();
    expect(woken[0]).toEqual({ key: APP, afterMs: expect.any(Number) as number });
    expect(await report()).toEqual({ requeueAfter: UNTOUCHED_MS });
    carryOut("a");
    expect((await report()).requeueAfter).toBe(1_000);
    expect([writes(), settled]).toEqual([0, []]);
    carryOut("b");
    expect(await report()).toEqual({});
    expect([writes(), settled]).toEqual([1, [APP]]);
    expect(states()).toEqual(["a Available", "b Available"]);
    expect(conditions()).toEqual(
      expect.arrayContaining(["Available True AllClustersAvailable", "Progressing False Settled"]),
    );
  });

  test("is written while nothing of a plan has begun, too, after a while", async () => {
    const { plan, report, settle, states } = await reporting();
    await plan();
    await settle(UNTOUCHED_MS);
    await report();
    expect(states()).toEqual(["a Pending", "b Pending"]);
  });

  test("is not written again while it says the same", async () => {
    const { complete, report, happens, writes } = await reporting();
    await complete();
    const before = writes();
    happens("a", { hubVersion: "999" });
    await report();
    expect(writes()).toBe(before);
  });

  test("of a settled object is written at the first change, and what follows is gathered", async () => {
    const { complete, report, settle, happens, writes, woken, states } = await reporting();
    await complete();
    const before = writes();
    happens("a", degraded);
    expect(woken).toEqual([{ key: APP, afterMs: 0 }]);
    await report();
    expect([writes(), states()]).toEqual([before + 1, ["a Degraded", "b Available"]]);
    happens("b", degraded);
    expect(woken.at(-1)).toEqual({ key: APP, afterMs: FIRST_DEBOUNCE_MS });
    expect(await report()).toEqual({ requeueAfter: FIRST_DEBOUNCE_MS });
    expect(writes()).toBe(before + 1);
    await settle(FIRST_DEBOUNCE_MS);
    await report();
    expect([writes(), states()]).toEqual([before + 2, ["a Degraded", "b Degraded"]]);
    happens("b");
    expect(woken.at(-1)).toEqual({ key: APP, afterMs: DEBOUNCE_MS });
  });

  test("names a cluster at once to which the object is to go, and waits with the rest", async () => {
    const { complete, plan, report, server, settle, status } = await reporting({ placements: [placement(["a"])] });
    await complete();
    server.merge(PLACEMENTS, "default", "everywhere", {
      metadata: { generation: 2 },
      spec: { clusterAffinities: [{ name: "these", clusterNames: ["a", "b"] }] },
    });
    await settle();
    await plan();
    await report();
    expect(status()?.clusters?.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  test("waits at the start until every cluster it is about has been reached or given up", async () => {
    const { plan, carryOut, contact, report, writes, settle } = await reporting();
    await plan();
    for (const name of ["a", "b"]) carryOut(name);
    contact("b", { pending: true });
    const { requeueAfter } = await report();
    expect(requeueAfter).toBeGreaterThan(SYNC_MS - 1_000);
    contact("elsewhere", { pending: true });
    contact("b", {});
    await report();
    expect(writes()).toBe(1);
    contact("b", { pending: true });
    await settle(SYNC_MS);
    await report();
    expect(writes()).toBe(1);
  });

  test("is neither another class's to write nor of another life of the object", async () => {
    const others = await reporting({ apps: [app({ labels: { [CONTROLLER_CLASS_LABEL]: "canary" } })] });
    await others.plan();
    expect(await others.report()).toEqual({});
    expect([others.writes(), others.woken]).toEqual([0, []]);

    const handed = await reporting();
    await handed.plan();
    for (const name of ["a", "b"]) handed.carryOut(name);
    const labels = { [CONTROLLER_CLASS_LABEL]: "canary" };
    await handed.update({ metadata: { labels, finalizers: [`${OBJECT_FINALIZER}.canary`, OBJECT_FINALIZER] } });
    expect(await handed.report()).toEqual({});
    expect(handed.writes()).toBe(0);

    const again = await reporting();
    await again.plan();
    for (const name of ["a", "b"]) again.carryOut(name);
    again.server.delete(DEMOAPPLICATIONS, "default", "shop");
    again.server.create(DEMOAPPLICATIONS, app());
    await again.settle();
    expect(await again.report()).toEqual({});
    expect(again.writes()).toBe(0);
  });

  test("is of no object that is not planned any more", async () => {
    const { complete, plans, woken, report, happens, writes } = await reporting();
    await complete();
    const before = writes();
    plans.drop(APP);
    happens("a", degraded);
    expect([woken, await report(), writes()]).toEqual([[], {}, before]);
  });

  test("of an object that is being deleted waits a little for the end, and says then what it waits for", async () => {
    const { complete, reconcile, update, carryOut, report, writes, happens } = await reporting();
    await complete();
    const before = writes();
    await update({
      metadata: { generation: 2, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [OBJECT_FINALIZER, "x/y"] },
    });
    await reconcile();
    const first = await report();
    expect([first.requeueAfter, writes()]).toEqual([expect.any(Number), before]);
    carryOut("a");
    carryOut("b");
    expect((await report()).requeueAfter).toBeGreaterThan(HELD_BY_OTHERS_MS - 500);
    expect(writes()).toBe(before);
    expect(() => happens("a")).toThrow("nothing is asked for");
  });

  test("of an object that a copy holds says after a second that it is being deleted, and what comes then waits as long", async () => {
    const { complete, reconcile, update, report, writes, settle, conditions, replan, woken } = await reporting();
    await complete();
    const before = writes();
    await update({
      metadata: { generation: 2, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [OBJECT_FINALIZER] },
    });
    await reconcile();
    await settle(LONGEST_MS - 1);
    await report();
    expect(writes()).toBe(before);
    await settle(1);
    await report();
    expect(conditions()).toContain("Ready False Deleting");
    expect(writes()).toBe(before + 1);
    replan({});
    expect(woken.at(-1)?.afterMs).toBe(LONGEST_MS);
  });

  test("of an object that only our own finalizer holds is not worth a write, however busy the hub is", async () => {
    const { complete, reconcile, update, carryOut, report, writes, settle } = await reporting();
    await complete();
    const before = writes();
    const held = { generation: 2, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [OBJECT_FINALIZER, "x/y"] };
    await update({ metadata: held });
    await reconcile();
    for (const name of ["a", "b"]) carryOut(name);
    await report();
    await settle(HELD_BY_OTHERS_MS + 1);
    expect([(await report()).requeueAfter, writes()]).toEqual([expect.any(Number), before]);
    await update({ metadata: { ...held, finalizers: ["x/y"] } });
    await report();
    expect(writes()).toBe(before + 1);
  });

  test("of an object from which our own finalizer does not come off is written after all", async () => {
    const { complete, reconcile, update, carryOut, report, writes, settle } = await reporting();
    await complete();
    const before = writes();
    await update({
      metadata: { generation: 2, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [OBJECT_FINALIZER] },
    });
    await reconcile();
    for (const name of ["a", "b"]) carryOut(name);
    await report();
    await settle(10 * HELD_BY_OTHERS_MS + 1);
    await report();
    expect(writes()).toBe(before + 1);
  });
});

describe("a write of a status", () => {
  test("is known to be under way until it has ended, also when it fails", async () => {
    const { plan, carryOut, report, reconciler, hub, settled, writes, settle } = await reporting();
    await plan();
    for (const name of ["a", "b"]) carryOut(name);
    const answered = Promise.withResolvers<void>();
    const { gate } = hub;
    const refused = new ApiError(500, "InternalError", "etcd is away");
    hub.gate = async (call) => {
      if (call.verb === "applyStatus" && call.phase === "before") await answered.promise;
      await gate(call);
    };
    const done = report();
    await Promise.resolve();
    expect([reconciler.isUnderWay(APP), reconciler.isUnderWay("other"), settled]).toEqual([true, false, []]);
    answered.reject(refused);
    await expect(done).rejects.toMatchObject({ cause: refused });
    expect([reconciler.isUnderWay(APP), settled]).toEqual([false, [APP]]);
    hub.gate = gate;
    await settle(DEBOUNCE_MS);
    await report();
    expect(writes()).toBe(2);
  });

  test("to an object that is gone by then is no error", async () => {
    const { plan, carryOut, report, hub, settled } = await reporting();
    await plan();
    for (const name of ["a", "b"]) carryOut(name);
    const { gate } = hub;
    hub.gate = (call) => {
      if (call.verb === "applyStatus") throw new ApiError(404, "NotFound", "gone");
      return gate(call);
    };
    expect([await report(), settled]).toEqual([{}, [APP]]);
  });

  test("is measured and traced: the time from the plan to the last member, once", async () => {
    const { complete, happens, report, metrics, spans, settle } = await reporting();
    await complete();
    happens("a", degraded);
    await report();
    await settle(1_000);
    const families = parsePrometheusText((await metrics.scrape()).body);
    const counts = [...families.values()].flatMap(({ samples }) =>
      samples.filter(({ name }) => name.endsWith("propagation_duration_seconds_count")),
    );
    expect(counts.map(({ value }) => value)).toEqual([1]);
    expect(
      spans.filter(({ name }) => name === "UpdateStatus").map(({ attributes }) => attributes["status.phase"]),
    ).toEqual(["Available", expect.stringMatching(/Progressing|Degraded|Available/)]);
  });
});

describe("what wakes the status of an object", () => {
  test("is contact with a cluster that comes or goes", async () => {
    const { complete, woken, contact, settle } = await reporting();
    await complete();
    contact("a", { ok: false, synced: false, reason: "ClusterUnreachable", message: "connection refused" });
    expect(woken).toEqual([]);
    await settle(SYNC_MS);
    expect(woken.map(({ key }) => key)).toEqual([APP]);
    woken.length = 0;
    contact("elsewhere", {});
    await settle(SYNC_MS);
    expect(woken).toEqual([]);
  });

  test("is a change of the bounds of its namespace, and nothing else there", async () => {
    const { complete, woken, server, settle } = await reporting();
    await complete();
    server.merge(NAMESPACES, undefined, "default", { metadata: { labels: { team: "x" } } });
    await settle();
    expect(woken).toEqual([]);
    server.merge(NAMESPACES, undefined, "default", {
      metadata: { annotations: { [REPLICA_BOUNDS_ANNOTATION]: "1-1" } },
    });
    await settle();
    expect(woken.map(({ key }) => key)).toEqual([APP]);
  });

  test("is that its plan is made anew, or that rows of it go", async () => {
    const { complete, woken, update, reconcile, assignments } = await reporting();
    await complete();
    await update({ metadata: { generation: 2 }, spec: { replica: 3 } });
    await reconcile();
    expect(new Set(woken.map(({ key }) => key))).toEqual(new Set([APP]));
    woken.length = 0;
    assignments.departures.emit(APP);
    assignments.departures.emit("another");
    expect(woken.map(({ key }) => key)).toEqual([APP]);
  });
});

test("a status follows from the run that planned last", async () => {
  const { reconciler, plans } = await reporting();
  const spanContext = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", traceFlags: 1 };
  plans.traces.follow(APP, app(), { isPlanned: true, status: undefined, now: 0, monotonic: 0 });
  plans.traces.ran(APP, { span: undefined, origin: { spanContext, reconcileId: "r", at: 0 } });
  expect(JSON.stringify(reconciler.follows(APP))).toContain(spanContext.traceId);
  expect(JSON.stringify(reconciler.follows("another"))).not.toContain(spanContext.traceId);
});

describe("what a status tells beside itself", () => {
  test("is why a member refuses the object, in full where the entry has to cut it", async () => {
    const { complete, rows, observations, report, settle, events, states } = await reporting();
    await complete();
    const [row] = rows();
    if (row === undefined) throw new Error("no row");
    events.length = 0;
    const detail = `exceeded quota: ${"many words, ".repeat(30)}`;
    const failure = { reason: "QuotaExceeded", message: "exceeded quota: many words…", detail, final: true };
    observations.report("a", [{ cluster: "a", ref: row.ref, writing: false, revision: 1_000_000, failure }]);
    await settle(1_000);
    await report();
    expect(states()).toContain("a Failed");
    const [event] = events.filter(({ reason }) => reason === "QuotaExceeded");
    expect(event?.note).toContain("many words, many words, ");
  });

  test("is that the object could not be planned, which is no deletion", async () => {
    const { complete, plans, report, settle, conditions } = await reporting();
    await complete();
    const plan = plans.get(APP);
    if (plan === undefined) throw new Error("no plan");
    const failure = { reason: "PlanningFailed", message: "the object could not be planned" };
    plans.set(APP, { ...plan, target: undefined, failure });
    // Nothing is to be gone: there is no finalizer to wait for.
    await settle(DEBOUNCE_MS);
    expect((await report()).requeueAfter).toBeUndefined();
    expect(conditions().some((line) => line.endsWith("PlanningFailed"))).toBe(true);
    expect(conditions().some((line) => line.includes("Deleting"))).toBe(false);
  });
});

describe("a plan is carried out", () => {
  test("though a cluster that the record does not name claims a copy", async () => {
    const { complete, rows, assignments, observations, happens, woken } = await reporting();
    await complete();
    const [first] = rows();
    if (first?.verb !== "Apply") throw new Error("nothing is asked for");
    const ref = { ...first.ref, name: "claimed" };
    const why = { reason: "ClusterUnknown", message: "" };
    const claimed = {
      cluster: "elsewhere",
      ref,
      owner: first.owner,
      role: "rendered",
      verb: "Hold",
      wanted: false,
      why,
    } as const;
    observations.report("elsewhere", [observation({ cluster: "elsewhere", ref, present: { owner: first.owner } })]);
    assignments.replace(APP, [...rows(), claimed]);
    woken.length = 0;
    happens("a", degraded);
    expect(woken.every(({ afterMs }) => (afterMs ?? 0) <= DEBOUNCE_MS)).toBe(true);
  });

  test("not while a copy that is to go is still there, on a cluster of the record", async () => {
    const { complete, server, settle, plan, woken, happens, report } = await reporting();
    await complete();
    server.merge(PLACEMENTS, "default", "everywhere", {
      metadata: { generation: 2 },
      spec: { clusterAffinities: [{ name: "these", clusterNames: ["a"] }] },
    });
    await settle();
    await plan();
    woken.length = 0;
    happens("a", degraded);
    expect(woken.at(-1)?.afterMs).toBeGreaterThan(DEBOUNCE_MS);
    expect((await report()).requeueAfter).toBeGreaterThan(DEBOUNCE_MS);
  });
});
