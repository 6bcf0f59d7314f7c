import { describe, expect, test } from "vitest";
import { CONTROLLER_CLASS_LABEL } from "../apis/index.ts";
import { ApiError, PLACEMENTS } from "../runtime/index.ts";
import { PolicyStatusReconciler } from "./policyStatus.ts";
import { absent } from "./testing/builders.ts";
import { APP, app, placing, placement } from "./testing/planning.ts";

const KEY = "Placement/default/everywhere";
const LATER = 2_000;

async function judging(...given: Parameters<typeof placing>) {
  const all = await placing(...given);
  const reconciler = new PolicyStatusReconciler(all.shared);
  const woken = all.wokenBy(reconciler);
  const judge = (key = KEY) => all.reconcileBy(reconciler, key);
  const status = (): Record<string, unknown> | undefined =>
    all.server.get(PLACEMENTS, "default", "everywhere")["status"] as Record<string, unknown> | undefined;
  const writes = (): number => all.hub.count("applyStatus", PLACEMENTS);
  return { ...all, reconciler, woken, judge, status, writes };
}

describe("the status of a policy", () => {
  test("says what the plans say of it, once", async () => {
    const { plan, judge, status, writes } = await judging();
    await plan();
    expect(await judge()).toEqual({});
    expect(status()).toMatchObject({ observedGeneration: 1, matchedObjects: 1 });
    await judge();
    expect(writes()).toBe(1);
  });

  test("is written under our name, with force, and is known at once", async () => {
    const { plan, judge, hub, cache, signal } = await judging();
    await plan();
    const calls: unknown[][] = [];
    const applyStatus = hub.applyStatus.bind(hub);
    hub.applyStatus = async (...args) => {
      calls.push(args);
      return await applyStatus(...args);
    };
    await judge();
    expect(calls).toMatchObject([
      [
        PLACEMENTS,
        {
          apiVersion: "federation.paas.cmft.com/v1alpha1",
          kind: "Placement",
          metadata: { namespace: "default", name: "everywhere" },
        },
        { force: true, fieldManager: "meridian", signal },
      ],
    ]);
    expect(cache.policy(KEY)?.policy.status).toMatchObject({ matchedObjects: 1 });
  });

  test("is not written before every object has been planned", async () => {
    const { judge, writes, progress } = await judging();
    expect(progress.isComplete).toBe(false);
    expect(await judge()).toEqual({});
    expect(writes()).toBe(0);
  });

  test.each([
    { name: "another class's", metadata: { labels: { [CONTROLLER_CLASS_LABEL]: "canary" } } },
    { name: "being deleted", metadata: { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["x/y"] } },
  ])("is not written to a policy that is $name", async ({ metadata }) => {
    const one = placement(["a"]);
    const { plan, judge, writes } = await judging({
      placements: [{ ...one, metadata: { ...one.metadata, ...metadata } }],
    });
    await plan();
    await judge();
    expect(writes()).toBe(0);
  });

  test("is not written to a policy that nobody knows", async () => {
    const { plan, judge, hub } = await judging();
    await plan();
    const before = hub.calls.length;
    expect(await judge("Placement/default/gone")).toEqual({});
    expect(hub.calls).toHaveLength(before);
  });

  test("may find the policy gone; what else is refused is an error", async () => {
    const { plan, judge, hub } = await judging();
    await plan();
    const { gate } = hub;
    const answer = (error: Error) => {
      hub.gate = (call) => {
        if (call.verb === "applyStatus") throw error;
        return gate(call);
      };
    };
    answer(new ApiError(404, "NotFound", "gone"));
    expect(await judge()).toEqual({});
    const refused = new ApiError(500, "InternalError", "etcd is away");
    answer(refused);
    await expect(judge()).rejects.toBe(refused);
  });

  test("counts only objects that are planned", async () => {
    const { plan, judge, status, plans } = await judging();
    await plan();
    const known = plans.get(APP);
    if (known === undefined) throw new Error("no plan");
    plans.set(APP, { ...known, target: undefined });
    await judge();
    expect(status()?.["matchedObjects"]).toBe(0);
  });
});

describe("what wakes the status of a policy", () => {
  const settled = async () => {
    const all = await judging();
    await all.plan();
    await all.judge();
    await all.settle();
    all.woken.length = 0;
    return all;
  };

  test("is a change of its spec at once, and of its status later, since that is most often our own", async () => {
    const { woken, server, settle } = await settled();
    server.merge(PLACEMENTS, "default", "everywhere", { status: { matched: 7 } });
    await settle();
    expect(woken).toEqual([{ key: KEY, afterMs: LATER }]);
    server.merge(PLACEMENTS, "default", "everywhere", { metadata: { generation: 2 } });
    await settle();
    expect(woken.at(-1)).toEqual({ key: KEY, afterMs: undefined });
  });

  test("is a plan of an object that it selects or selected", async () => {
    const { woken, plans } = await settled();
    plans.drop(APP);
    expect(woken).toEqual([{ key: KEY, afterMs: LATER }]);
  });

  test("is a member that begins to refuse something of such an object, or refuses it no more", async () => {
    const { woken, observations, rows } = await settled();
    const [row] = rows();
    if (row === undefined) throw new Error("no row");
    const failure = { reason: "Invalid", message: "no", final: true };
    const refused = absent({ cluster: "a", ref: row.ref, failure });
    observations.report("a", [refused]);
    expect(woken).toEqual([{ key: KEY, afterMs: LATER }]);
    observations.report("a", [{ ...refused, revision: 9 }]);
    expect(woken).toHaveLength(1);
    observations.report("a", [absent({ cluster: "a", ref: row.ref })]);
    expect(woken).toHaveLength(2);
    observations.report("a", [absent({ cluster: "a", ref: { ...row.ref, name: "other" }, failure })]);
    expect(woken).toHaveLength(2);
  });

  test("is that every object has been planned, for all policies", async () => {
    const { woken, plan, progress } = await judging();
    woken.length = 0;
    await plan();
    expect(woken).toContainEqual({ key: KEY, afterMs: LATER });
    woken.length = 0;
    progress.begin([APP, "another"]);
    progress.planned(APP);
    expect(woken).toEqual([]);
  });

  test("is nothing before every object has been planned", async () => {
    const { woken, plan, observations, rows } = await judging({ apps: [app(), app({ name: "other" })] });
    woken.length = 0;
    await plan();
    const [row] = rows();
    if (row === undefined) throw new Error("no row");
    observations.report("a", [
      absent({ cluster: "a", ref: row.ref, failure: { reason: "x", message: "", final: true } }),
    ]);
    expect(woken).toEqual([]);
  });
});
