import { describe, expect, test } from "vitest";
import {
  CONTROLLER_CLASS_LABEL,
  OBJECT_FINALIZER,
  type Reason,
  refOf,
  REPLICA_BOUNDS_ANNOTATION,
} from "../../apis/index.ts";
import { ApiError, DEMOAPPLICATIONS, NAMESPACES } from "../../runtime/index.ts";
import { DEBOUNCE_MS, LONGEST_MS, UNTOUCHED_MS } from "./debounce.ts";
import { APP, app, placement } from "../testing/planning.ts";
import { degraded, reporting } from "../testing/reporting.ts";
import { parsePrometheusText, valuesBy } from "../../observability/testing/prometheusText.ts";
import { applyRow, observation } from "../testing/builders.ts";

const SYNC_MS = 10_000;
describe("the status of an object", () => {
  test("is not written again while it says the same", async () => {
    const { complete, report, happens, writes } = await reporting();
    await complete();
    const before = writes();
    happens("a", { hubVersion: "999" });
    await report();
    expect(writes()).toBe(before);
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
    const { complete, states, woken, report, happens, writes } = await reporting();
    await complete();
    const before = writes();
    states.dropPlan(APP);
    happens("a", degraded);
    expect([woken, await report(), writes()]).toEqual([[], {}, before]);
  });

  describe("a write of a status", () => {
    test("to an object that is gone by then is no error", async () => {
      const { plan, carryOut, report, hub } = await reporting();
      await plan();
      for (const name of ["a", "b"]) carryOut(name);
      const { gate } = hub;
      hub.gate = (call) => {
        if (call.verb === "applyStatus") throw new ApiError(404, "NotFound", "gone");
        return gate(call);
      };
      expect(await report()).toEqual({});
    });
  });
});

type Reporting = Awaited<ReturnType<typeof reporting>>;

const DELETED_AT = "2026-01-01T00:00:00Z";
const QUOTA: Reason = "QuotaExceeded";
const full = { reason: QUOTA, message: "exceeded quota: pods", final: true };

const messageOf = ({ status }: Reporting, type: string): string | undefined =>
  status()?.conditions?.find((one) => one.type === type)?.message;
const reasons = ({ events }: Reporting): string[] => events.map(({ reason }) => reason);

function refuse({ rows, observations }: Reporting, on: string, more: object = {}): void {
  const row = rows().find(({ cluster }) => cluster === on);
  if (row === undefined) throw new Error("no row");
  const failure = { ...full, ...more };
  observations.report(on, [{ cluster: on, ref: row.ref, writing: false, revision: 1_000_000, failure }]);
}

async function scrapeOf({ metrics }: Reporting) {
  return parsePrometheusText((await metrics.scrape()).body);
}

/** Number and sum of the measured propagation times. */
async function propagation(all: Reporting): Promise<number[]> {
  const families = await scrapeOf(all);
  const samples = [...families.values()].flatMap((family) => family.samples);
  const valueOf = (part: string) => samples.find(({ name }) => name.endsWith(`propagation_duration_seconds_${part}`));
  return [valueOf("count")?.value ?? 0, valueOf("sum")?.value ?? 0];
}

describe("the status says", () => {
  test("what admission would say of the object", async () => {
    const all = await reporting();
    await all.complete();
    expect(all.conditions()).toContain("Validated True Valid");
    const annotations = { [REPLICA_BOUNDS_ANNOTATION]: "1-1" };
    all.server.merge(NAMESPACES, undefined, "default", { metadata: { annotations } });
    await all.settle();
    await all.report();
    expect(all.conditions()).toContain("Validated False ReplicasOutOfBounds");
  });

  test("what was said of a rollout before, while the object cannot be planned", async () => {
    const all = await reporting();
    await all.complete();
    const rollout = { state: "Progressing" as const, revision: 7 };
    const found = all.cache.object(APP);
    if (found === undefined) throw new Error("the hub has no application");
    await all.store.decide(found, () => ({ plannedClusters: [], rollout, finished: undefined }), all.signal);
    all.replan({ rollout: undefined, failure: { reason: "PlanningFailed", message: "m" } });
    await all.report();
    expect(all.status()?.rollout).toEqual(rollout);
    expect(all.conditions()).toContain("Applied Unknown PlanningFailed");
  });

  test("what a deletion waits for, and since when it takes longer than others", async () => {
    const all = await reporting();
    await all.complete();
    await all.update({ metadata: { generation: 2, deletionTimestamp: DELETED_AT, finalizers: [OBJECT_FINALIZER] } });
    await all.reconcile();
    await all.settle(UNTOUCHED_MS);
    const left = Date.parse(DELETED_AT) + 30_000 - all.clock.now();
    expect(await all.report()).toEqual({ requeueAfter: left });
    expect(messageOf(all, "Progressing")).toBe("objects remain on a, b");
    expect(reasons(all)).not.toContain("DeletionWaits");
    await all.settle(left);
    expect(await all.report()).toEqual({});
    expect(messageOf(all, "Progressing")).toMatch(
      `since ${DELETED_AT}: waits for a, b: Deployment shop is still to be deleted`,
    );
    expect(reasons(all)).toContain("DeletionWaits");
  });

  test("what a deletion waits for on a cluster that was away only when it takes long after the return", async () => {
    const all = await reporting({ placements: [placement(["a"])] });
    await all.complete();
    await all.update({ metadata: { generation: 2, deletionTimestamp: DELETED_AT, finalizers: [OBJECT_FINALIZER] } });
    await all.reconcile();
    all.contact("a", { ok: false, synced: false, reason: "ClusterUnreachable" });
    await all.settle(10_000);
    await all.report();
    await all.settle(60_000);
    await all.report();
    expect(messageOf(all, "Progressing")).toContain("waits for a: ClusterUnreachable");
    all.events.length = 0;
    all.contact("a", { ok: true });
    await all.settle(LONGEST_MS);
    expect(await all.report()).toEqual({ requeueAfter: 30_000 - LONGEST_MS });
    expect([messageOf(all, "Progressing"), reasons(all)]).toEqual(["objects remain on a", []]);
    await all.settle(30_000 - LONGEST_MS);
    expect(await all.report()).toEqual({});
    expect([messageOf(all, "Progressing"), reasons(all)]).toEqual([
      expect.stringContaining("Deployment shop is still to be deleted"),
      ["DeletionWaits"],
    ]);
  });
});

test.each<{ name: string; loses: (all: Reporting) => void }>([
  { name: "what it stands in is gone", loses: ({ store }) => void (store.isKept = () => false) },
  {
    name: "nobody knows whether the last write has happened",
    loses: ({ store }) => void (store.isAnswered = () => false),
  },
])("the status is written once more when $name", async ({ loses }) => {
  const all = await reporting();
  await all.complete();
  const before = all.writes();
  await all.report();
  expect(all.writes()).toBe(before);
  loses(all);
  await all.report();
  expect(all.writes()).toBe(before + 1);
});

describe("the sum of the members' statuses", () => {
  /** A placement that aggregates statuses, and a status of the copy on `a`. */
  async function summing(refusal: Error) {
    const all = await reporting();
    await all.complete();
    const object = all.onHub();
    const { target } = all.planned();
    if (target === undefined) throw new Error("no target");
    const ref = refOf(object);
    all.assignments.replace(APP, [...all.rows(), applyRow({ cluster: "a", ref })]);
    const copy = observation({ cluster: "a", ref, revision: 1_000_000, present: { status: { readyNodes: 2 } } });
    all.observations.report("a", [copy]);
    all.replan({ target: { ...target, aggregatesStatus: true } });
    const sums: unknown[] = [];
    const applyStatus = all.hub.applyStatus.bind(all.hub);
    all.hub.applyStatus = async (type, body, options) => {
      if (options?.force !== false) return await applyStatus(type, body, options);
      sums.push(body["status"]);
      throw refusal;
    };
    await all.settle(1_000);
    return { ...all, sums };
  }

  test("that the hub could not take is an error, once all else is written", async () => {
    const busy = new ApiError(503, "ServiceUnavailable", "busy");
    const all = await summing(busy);
    await expect(all.report()).rejects.toBe(busy);
    expect([all.sums, all.conditions()]).toEqual([
      [{ readyNodes: 2 }],
      expect.arrayContaining(["StatusAggregated False ServerError"]),
    ]);
  });
});

test("the time from a change to the last member is that from its first rows on, whatever steps follow; another change begins anew", async () => {
  const all = await reporting();
  await all.settle(2_000);
  await all.plan();
  await all.settle(300);
  all.changeRows();
  await all.settle(700);
  for (const name of ["a", "b"]) all.carryOut(name);
  await all.report();
  expect(await propagation(all)).toEqual([1, 1]);
  await all.settle(1_000);
  all.replan({ generation: 2 });
  all.changeRows();
  await all.settle(500);
  for (const name of ["a", "b"]) all.carryOut(name);
  await all.report();
  expect(await propagation(all)).toEqual([2, 1.5]);
});

test("beside the status the state of the object is counted", async () => {
  const all = await reporting();
  await all.complete();
  const statesOf = async () =>
    valuesBy(await scrapeOf(all), "federation_objects", "state", { kind: "DemoApplication" });
  expect(await statesOf()).toEqual({ Available: 1 });
  all.happens("a", degraded);
  await all.report();
  expect(await statesOf()).toEqual({ Available: 0, Degraded: 1 });
});

test("of an object that is to be another class's the status says so, until that one has it", async () => {
  const all = await reporting();
  await all.complete();
  const before = all.writes();
  all.happens("a", degraded);
  await all.update({ metadata: { labels: { [CONTROLLER_CLASS_LABEL]: "canary" } } });
  await all.report();
  expect(all.status()?.conditions?.find(({ type }) => type === "HandedOver")?.reason).toBe("WaitingForManager");
  expect(all.writes()).toBe(before + 1);
});

test("is that the object could not be planned, which is no deletion", async () => {
  const { complete, states, report, settle, conditions } = await reporting();
  await complete();
  const plan = states.planOf(APP);
  if (plan === undefined) throw new Error("no plan");
  const failure = { reason: "PlanningFailed", message: "the object could not be planned" };
  states.setPlan(APP, { ...plan, target: undefined, failure });
  await settle(DEBOUNCE_MS);
  expect((await report()).requeueAfter).toBeUndefined();
  expect(conditions().some((line) => line.endsWith("PlanningFailed"))).toBe(true);
  expect(conditions().some((line) => line.includes("Deleting"))).toBe(false);
});

describe("beside the status", () => {
  test("the failure of each cluster is told in its own words", async () => {
    const all = await reporting();
    await all.complete();
    refuse(all, "a");
    refuse(all, "b", { message: "exceeded quota: 3 pods of 2" });
    await all.report();
    const notes = all.events.filter(({ reason }) => reason === QUOTA).map(({ note }) => note);
    expect(notes).toEqual([`a: ${full.message}`, "b: exceeded quota: 3 pods of 2"]);
  });
});
