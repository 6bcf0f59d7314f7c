import { describe, expect, test } from "vitest";
import { OBJECT_FINALIZER } from "../../apis/index.ts";
import { CROWD, HELD_BY_OTHERS_MS, LONGEST_IN_CROWD_MS, LONGEST_MS } from "./debounce.ts";
import { parsePrometheusText, valuesBy } from "../../observability/testing/prometheusText.ts";
import { observation } from "../testing/builders.ts";
import { APP, app } from "../testing/planning.ts";
import { reporting } from "../testing/reporting.ts";

const SYNC_MS = 10_000;

type Reporting = Awaited<ReturnType<typeof reporting>>;

/** Deletes the application with these finalizers. */
async function remove({ update, reconcile }: Reporting, finalizers = [OBJECT_FINALIZER, "x/y"]): Promise<void> {
  await update({ metadata: { generation: 2, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers } });
  await reconcile();
}

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
    const before = gone.writes();
    expect([await gone.report(), gone.writes()]).toEqual([{}, before + 1]);
  });
});

test("a hub that has much to do is told of progress less often while many plans are carried out", async () => {
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
  all.states.dropPlan(third);
  expect(await all.report()).toEqual({ requeueAfter: LONGEST_MS });
});

describe("the objective of propagation", () => {
  const counted = async ({ metrics }: Reporting) => {
    const families = parsePrometheusText((await metrics.scrape()).body);
    const of = (name: string) => valuesBy(families, `federation_objective_${name}_total`, "objective")["propagated"];
    return { total: of("events"), good: of("good_events") };
  };

  test("counts a change that is everywhere in time as good", async () => {
    const all = await reporting();
    await all.complete();
    all.reconciler.countLate();
    expect(await counted(all)).toEqual({ total: 1, good: 1 });
  });

  test("counts a change that is not everywhere in time once, when its time is over", async () => {
    const all = await reporting();
    await all.plan();
    all.carryOut("a");
    await all.settle(29_000);
    all.reconciler.countLate();
    expect(await counted(all)).toEqual({ total: 0, good: 0 });
    await all.settle(2_000);
    all.reconciler.countLate();
    all.reconciler.countLate();
    expect(await counted(all)).toEqual({ total: 1, good: 0 });
    all.carryOut("b");
    await all.report();
    expect(await counted(all)).toEqual({ total: 1, good: 0 });
  });
});
