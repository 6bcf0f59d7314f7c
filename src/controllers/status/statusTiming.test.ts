import { describe, expect, test } from "vitest";
import { OBJECT_FINALIZER, type RolloutStatus } from "../../apis/index.ts";
import { ApiError, DEMOAPPLICATIONS, PLACEMENTS } from "../../runtime/index.ts";
import {
  BUSY_DEBOUNCE_MS,
  CROWD,
  DEBOUNCE_MS,
  FIRST_DEBOUNCE_MS,
  HELD_BY_OTHERS_MS,
  LONGEST_IN_CROWD_MS,
  LONGEST_MS,
  UNTOUCHED_MS,
  WriteRate,
} from "./debounce.ts";
import { holdRow, observation } from "../testing/builders.ts";
import { APP, app, placement } from "../testing/planning.ts";
import { degraded, reporting } from "../testing/reporting.ts";

const SYNC_MS = 10_000;

type Reporting = Awaited<ReturnType<typeof reporting>>;

/** The last delay of the object's next status. */
const waited = ({ woken }: Reporting): number | undefined => woken.at(-1)?.afterMs;

/** Deletes the application with these finalizers. */
async function remove({ update, reconcile }: Reporting, finalizers = [OBJECT_FINALIZER, "x/y"]): Promise<void> {
  await update({ metadata: { generation: 2, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers } });
  await reconcile();
}

/** Adds the cluster `b` to the placement. */
async function widen({ server, settle, plan }: Reporting): Promise<void> {
  server.merge(PLACEMENTS, "default", "everywhere", {
    metadata: { generation: 2 },
    spec: { clusterAffinities: [{ name: "these", clusterNames: ["a", "b"] }] },
  });
  await settle();
  await plan();
}

const rolloutAt = (revision: number): RolloutStatus => ({ state: "Progressing", revision });

describe("the time until a status is due", () => {
  test("is that of the next write", async () => {
    const { plan, reconciler, settle } = await reporting();
    await plan();
    expect(reconciler.dueIn(APP)).toBe(UNTOUCHED_MS);
    await settle(1_000);
    expect(reconciler.dueIn(APP)).toBe(UNTOUCHED_MS - 1_000);
  });

  test("is none for an object that nobody planned, or not for this manager", async () => {
    const { plan, reconciler, replan } = await reporting();
    await plan();
    expect(reconciler.dueIn("another")).toBe(0);
    replan({ ours: false });
    expect(reconciler.dueIn(APP)).toBe(0);
  });

  test("is none while the record has to name a cluster", async () => {
    const all = await reporting({ placements: [placement(["a"])] });
    await all.complete();
    all.happens("a", degraded);
    await all.report();
    all.happens("a");
    expect(all.reconciler.dueIn(APP)).toBe(FIRST_DEBOUNCE_MS);
    await widen(all);
    expect(all.reconciler.dueIn(APP)).toBe(0);
  });

  test("begins anew when a copy of an object that is being deleted is there again", async () => {
    const all = await reporting();
    await all.complete();
    const [row] = all.rows();
    if (row === undefined) throw new Error("no row");
    await remove(all);
    for (const name of ["a", "b"]) all.carryOut(name);
    expect(all.reconciler.dueIn(APP)).toBe(HELD_BY_OTHERS_MS);
    await all.update({ metadata: { finalizers: ["x/y"] } });
    await all.settle(1_500);
    expect(all.reconciler.dueIn(APP)).toBe(HELD_BY_OTHERS_MS - 1_500);
    const copy = { cluster: row.cluster, ref: row.ref, revision: 1_000_000 };
    all.observations.report(row.cluster, [observation({ ...copy, present: { owner: row.owner } })]);
    all.reconciler.dueIn(APP);
    all.carryOut(row.cluster);
    expect(all.reconciler.dueIn(APP)).toBe(HELD_BY_OTHERS_MS);
  });

  test("is known of an object that is gone from the hub", async () => {
    const all = await reporting();
    await all.complete();
    await remove(all);
    for (const name of ["a", "b"]) all.carryOut(name);
    all.server.delete(DEMOAPPLICATIONS, "default", "shop");
    await all.settle();
    expect(all.reconciler.dueIn(APP)).toBe(HELD_BY_OTHERS_MS);
    expect(await all.report()).toEqual({});
  });
});

describe("the status of an object that is being deleted", () => {
  const OURS = [OBJECT_FINALIZER];
  /** Deletes the application. `gone`: its copies are gone, too. */
  const deleting = async (finalizers: string[], gone: boolean) => {
    const all = await reporting();
    await all.complete();
    const before = all.writes();
    await remove(all, finalizers);
    if (gone) for (const name of ["a", "b"]) all.carryOut(name);
    return { ...all, written: () => all.writes() - before };
  };

  test("is written a second after the deletion, and then at most once a second", async () => {
    const all = await deleting(OURS, false);
    expect((await all.report()).requeueAfter).toBeGreaterThan(0);
    await all.settle(LONGEST_MS - 1);
    await all.report();
    expect(all.written()).toBe(0);
    await all.settle(1);
    await all.report();
    expect([all.conditions().includes("Ready False Deleting"), all.written()]).toEqual([true, 1]);
    all.replan({});
    expect(waited(all)).toBe(LONGEST_MS);
  });

  test("is not written while only our finalizer is left with others, however busy the hub is", async () => {
    const all = await deleting([...OURS, "x/y"], true);
    expect((await all.report()).requeueAfter).toBeGreaterThan(HELD_BY_OTHERS_MS - 500);
    await all.settle(HELD_BY_OTHERS_MS + 1);
    expect([(await all.report()).requeueAfter, all.written()]).toEqual([expect.any(Number), 0]);
    await all.update({ metadata: { finalizers: ["x/y"] } });
    await all.report();
    expect(all.written()).toBe(1);
  });

  test("is written if our finalizer does not come off", async () => {
    const all = await deleting(OURS, true);
    await all.report();
    await all.settle(10 * HELD_BY_OTHERS_MS + 1);
    await all.report();
    expect(all.written()).toBe(1);
  });
});

describe("what cannot wait", () => {
  test("is that the record names a cluster: that alone is added, and the rest follows when it is due", async () => {
    const all = await reporting({ placements: [placement(["a"])] });
    await all.complete();
    all.happens("a", degraded);
    await all.report();
    all.happens("a");
    await widen(all);
    const before = all.status();
    expect(await all.report()).toEqual({ requeueAfter: FIRST_DEBOUNCE_MS });
    expect(all.status()).toStrictEqual({ ...before, unlistedClusters: ["b"] });
    const writes = all.writes();
    expect((await all.report()).requeueAfter).toBeGreaterThan(0);
    expect(all.writes()).toBe(writes);
  });

  test("is what a rollout is at: that alone is changed, and the rest follows when it is due", async () => {
    const all = await reporting();
    await all.complete();
    all.happens("a", degraded);
    await all.report();
    const before = all.status();
    all.happens("a");
    all.replan({ rollout: rolloutAt(7) });
    expect(await all.report()).toEqual({ requeueAfter: FIRST_DEBOUNCE_MS });
    expect(all.status()).toStrictEqual({ ...before, rollout: rolloutAt(7) });
    const writes = all.writes();
    expect(await all.report()).toEqual({ requeueAfter: DEBOUNCE_MS });
    expect(all.writes()).toBe(writes);
    await all.settle(DEBOUNCE_MS);
    expect(await all.report()).toEqual({});
    expect([all.states(), all.status()?.rollout]).toEqual([["a Available", "b Available"], rolloutAt(7)]);
  });

  test("is what a rollout is at, before anything else was said of the object", async () => {
    const all = await reporting();
    await all.plan();
    all.replan({ rollout: rolloutAt(7) });
    expect(await all.report()).toEqual({ requeueAfter: UNTOUCHED_MS });
    expect(all.status()).toStrictEqual({ rollout: rolloutAt(7) });
  });

  test("makes what comes next wait like any other write", async () => {
    const all = await reporting();
    await all.complete();
    all.replan({ rollout: rolloutAt(1) });
    await all.report();
    await all.settle(70);
    all.happens("a", degraded);
    expect(waited(all)).toBe(FIRST_DEBOUNCE_MS - 70);
  });
});

describe("at the start a status waits", () => {
  const replicas = { desired: 2, updated: 2, ready: 2, available: 2 };
  const saidOf = (name: string) => ({
    ...app(),
    status: { observedGeneration: 1, clusters: [{ name, state: "Available", replicas }] },
  });

  test("until a rollout has heard of its clusters, and no longer than for any cluster", async () => {
    const all = await reporting();
    await all.plan();
    for (const name of ["a", "b"]) all.carryOut(name);
    await all.settle(1_000);
    all.replan({ awaitsContact: true });
    expect(await all.report()).toEqual({ requeueAfter: SYNC_MS - 1_000 });
    expect(all.writes()).toBe(0);
    await all.settle(SYNC_MS - 1_000);
    await all.report();
    expect(all.writes()).toBe(1);
  });

  test("for a cluster that the status names, as long as there is such a cluster", async () => {
    const named = await reporting({ apps: [saidOf("c")], clusters: ["a", "b", "c"] });
    await named.plan();
    named.assignments.replace(
      APP,
      named.rows().filter(({ cluster }) => cluster !== "c"),
    );
    for (const name of ["a", "b", "c"]) named.carryOut(name);
    named.contact("c", { pending: true });
    named.replan({ remaining: new Set() });
    expect([...named.assignments.of(APP)].map(({ cluster }) => cluster)).not.toContain("c");
    expect(await named.report()).toEqual({ requeueAfter: SYNC_MS });

    const gone = await reporting({ apps: [saidOf("gone")] });
    await gone.plan();
    for (const name of ["a", "b"]) gone.carryOut(name);
    gone.replan({ remaining: new Set() });
    expect([await gone.report(), gone.writes()]).toEqual([{}, 1]);
  });

  test("for a cluster where rows of the object are", async () => {
    const all = await reporting({ clusters: ["a", "b", "c"] });
    await all.plan();
    for (const name of ["a", "b"]) all.carryOut(name);
    all.contact("c", { pending: true });
    all.assignments.replace(APP, [...all.rows(), holdRow({ cluster: "c" })]);
    expect(await all.report()).toEqual({ requeueAfter: SYNC_MS });
  });

  test("for no cluster of an object that could not be planned and is nowhere", async () => {
    const all = await reporting();
    await all.plan();
    all.assignments.replace(APP, []);
    for (const name of ["a", "b"]) all.carryOut(name);
    all.contact("a", { pending: true });
    const failure = { reason: "PlanningFailed", message: "m" };
    all.replan({ target: undefined, failure });
    expect([await all.report(), all.writes()]).toEqual([{}, 1]);
  });
});

describe("while a plan is carried out", () => {
  test("the progress is told a second after the first of it", async () => {
    const all = await reporting();
    await all.plan();
    all.carryOut("a");
    expect(waited(all)).toBe(LONGEST_MS);
    await all.settle(400);
    all.happens("a", degraded);
    expect(waited(all)).toBe(LONGEST_MS - 400);
  });

  test("it is still so after the same plan was made once more, and after its progress was told", async () => {
    const all = await reporting();
    await all.plan();
    all.replan({});
    expect(waited(all)).toBe(UNTOUCHED_MS);
    await all.settle(UNTOUCHED_MS);
    await all.report();
    expect(all.writes()).toBe(1);
    all.carryOut("a");
    expect(waited(all)).toBe(LONGEST_MS);
  });

  test("other rows begin it anew", async () => {
    const all = await reporting();
    await all.plan();
    all.carryOut("a");
    await all.settle(400);
    all.changeRows();
    expect(waited(all)).toBe(UNTOUCHED_MS);
    all.carryOut("a");
    expect(waited(all)).toBe(LONGEST_MS);
  });

  test("rows that ask for nothing more do not begin it", async () => {
    const all = await reporting();
    await all.complete();
    all.happens("a", degraded);
    await all.report();
    const rows = all.rows().map(({ cluster, ref, owner, role }) => holdRow({ cluster, ref, owner, role }));
    all.assignments.replace(APP, rows);
    expect(waited(all)).toBe(FIRST_DEBOUNCE_MS);
  });

  test("a deletion that is planned ends it, and is carried out itself", async () => {
    const all = await reporting();
    await all.plan();
    all.replan({ target: undefined });
    expect(waited(all)).toBe(0);

    const deleted = await reporting();
    await deleted.complete();
    await remove(deleted);
    expect(waited(deleted)).toBe(LONGEST_MS);
    deleted.replan({});
    expect(waited(deleted)).toBe(LONGEST_MS);
  });

  test("nothing of it is remembered of an object that is planned no more", async () => {
    const all = await reporting();
    await all.plan();
    const plan = all.planned();
    all.plans.drop(APP);
    all.woken.length = 0;
    all.changeRows();
    expect(all.woken).toEqual([]);
    all.plans.set(APP, plan);
    expect(waited(all)).toBe(0);
  });
});

describe("a hub that has much to do", () => {
  const slowly = ({ hub, clock }: Reporting, ms: number): void => {
    const { gate } = hub;
    hub.gate = async (call) => {
      if (call.verb === "applyStatus" && call.phase === "before") await clock.advance(ms);
      await gate(call);
    };
  };

  test("is told of progress less often the longer it takes for a write", async () => {
    const all = await reporting();
    await all.complete();
    all.changeRows();
    all.carryOut("a");
    expect(waited(all)).toBe(LONGEST_MS);
    all.carryOut("b");
    await all.settle(DEBOUNCE_MS);
    slowly(all, 4_000);
    all.happens("a", degraded);
    await all.report();
    all.changeRows();
    all.carryOut("a");
    expect(waited(all)).toBe(5_000);
  });

  test("is told of the first change a little later, with those that come meanwhile", async () => {
    const all = await reporting();
    await all.complete();
    for (let revision = 0; revision <= WriteRate.BUSY_ABOVE; revision += 1) {
      all.replan({ rollout: rolloutAt(revision) });
      await all.report();
    }
    await all.settle(300);
    await all.report();
    await all.settle(300);
    all.happens("a", degraded);
    expect(waited(all)).toBe(BUSY_DEBOUNCE_MS);
    await all.settle(50);
    all.happens("b", degraded);
    expect(waited(all)).toBe(BUSY_DEBOUNCE_MS - 50);
    await all.settle(30);

    // A change whose write failed has waited already.
    const { gate } = all.hub;
    const refused = new ApiError(500, "InternalError", "etcd is away");
    all.hub.gate = (call) => {
      if (call.verb === "applyStatus") throw refused;
      return gate(call);
    };
    await expect(all.report()).rejects.toMatchObject({ cause: refused });
    await all.settle(250);
    all.happens("b");
    expect(waited(all)).toBe(0);
  });

  test("is told of progress less often while many plans are carried out", async () => {
    const names = Array.from({ length: CROWD + 1 }, (_, index) => (index === 0 ? "shop" : `shop-${index}`));
    const all = await reporting({ apps: names.map((name) => app({ name })) });
    const keys = names.map((name) => APP.replace("shop", name));
    const [, second = "", third = ""] = keys;
    for (let turn = 0; turn < 2; turn += 1) {
      for (const key of keys) await all.reconcile(key);
      await all.settle();
    }
    all.carryOut("a");
    expect(await all.report()).toEqual({ requeueAfter: LONGEST_IN_CROWD_MS });

    // One plan is complete, and one is dropped.
    for (const { ref, cluster, effective } of all.assignments.of(second))
      if (effective?.verb === "Apply")
        all.observations.report(cluster, [
          observation({
            ...{ cluster, ref, inSyncWith: effective.hash, revision: 1_000_000 },
            present: { hash: effective.hash, owner: effective.owner },
          }),
        ]);
    expect(await all.report(second)).toEqual({});
    expect(await all.report()).toEqual({ requeueAfter: LONGEST_IN_CROWD_MS });
    all.plans.drop(third);
    expect(await all.report()).toEqual({ requeueAfter: LONGEST_MS });
  });
});
