import { describe, expect, test } from "vitest";
import { CONTROLLER_CLASS_LABEL, FEDERATION_API_VERSION, type KubeObject } from "../../apis/index.ts";
import { SELECTS_APPLICATIONS } from "../../hub/testing/fakeHub.ts";
import {
  ApiError,
  CLUSTEROVERRIDEPOLICIES,
  CLUSTERPLACEMENTS,
  CONTROLLERREVISIONS,
  DEMOAPPLICATIONS,
  MEMBERCLUSTERS,
  OVERRIDEPOLICIES,
  PLACEMENTS,
  type ResourceType,
} from "../../runtime/index.ts";
import { PolicyStatusReconciler } from "./policyStatus.ts";
import { absent } from "../testing/builders.ts";
import { APP, cluster, placing, placement } from "../testing/planning.ts";

const KEY = "Placement/default/everywhere";
const OTHER = "OverridePolicy/default/other";
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

  test("names stopped runs that keep their places from others", async () => {
    const { plan, judge, status, shared } = await judging();
    await plan();
    const run = (owner: string) => ({ owner, policy: KEY, maxObjects: 1, rules: {} });
    shared.places.mayBegin(run("paas.cmft.com/DemoApplication/team/first"));
    shared.places.mayBegin(run("paas.cmft.com/DemoApplication/team/second"));
    shared.places.stop(run("paas.cmft.com/DemoApplication/team/first"), { since: 0, patienceMs: 60_000 });
    await judge();
    expect(status()).toMatchObject({
      stoppedRollouts: [
        {
          kind: "DemoApplication",
          namespace: "team",
          name: "first",
          since: "1970-01-01T00:00:00Z",
          yieldsAt: "1970-01-01T00:01:00Z",
        },
      ],
    });
    shared.places.release("paas.cmft.com/DemoApplication/team/first");
    await judge();
    expect(status()?.["stoppedRollouts"]).toBeUndefined();
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
});

/** A policy of this kind that selects applications. */
function policyOf({ kind, namespaced }: ResourceType): KubeObject {
  const { spec } = placement(["a"]);
  return {
    apiVersion: FEDERATION_API_VERSION,
    kind,
    metadata: { name: "other", generation: 3, ...(namespaced ? { namespace: "default" } : {}) },
    spec: kind.endsWith("Placement") ? spec : { resourceSelectors: [SELECTS_APPLICATIONS], rules: [] },
  };
}

test.each([
  { type: PLACEMENTS, key: "Placement/default/other", metadata: { namespace: "default", name: "other" } },
  { type: CLUSTERPLACEMENTS, key: "ClusterPlacement//other", metadata: { name: "other" } },
  { type: OVERRIDEPOLICIES, key: "OverridePolicy/default/other", metadata: { namespace: "default", name: "other" } },
  { type: CLUSTEROVERRIDEPOLICIES, key: "ClusterOverridePolicy//other", metadata: { name: "other" } },
])("is written to it: $key", async ({ type, key, metadata }) => {
  const { plan, judge, hub, server, settle } = await judging();
  await plan();
  server.create(type, policyOf(type));
  await settle();
  const written: unknown[][] = [];
  const applyStatus = hub.applyStatus.bind(hub);
  hub.applyStatus = async (...args) => {
    written.push(args.slice(0, 2));
    return await applyStatus(...args);
  };
  await judge(key);
  const status = expect.objectContaining({ observedGeneration: 3, matchedObjects: 0 }) as object;
  expect(written).toStrictEqual([[type, { apiVersion: FEDERATION_API_VERSION, kind: type.kind, metadata, status }]]);
});

describe("the status of a policy that cannot do all it asks for", () => {
  const readyOf = (status: Record<string, unknown> | undefined): unknown =>
    (status?.["conditions"] as { type: string }[] | undefined)?.find(({ type }) => type === "Ready");

  test("names a kind that may not be read on the hub", async () => {
    const { plan, judge, status, cache } = await judging();
    await plan();
    cache.deniedKinds = () => [DEMOAPPLICATIONS];
    await judge();
    expect(readyOf(status())).toMatchObject({
      ...{ status: "False", reason: "KindNotGranted" },
      message: expect.stringContaining("demoapplications.paas.cmft.com") as string,
    });
  });
});

describe("the status of a policy that has no effect", () => {
  const readyOf = (object: KubeObject): unknown =>
    (object["status"] as { conditions?: unknown[] } | undefined)?.conditions?.[0];

  test("says that nobody answers the query of its gate", async () => {
    const rollout = { gate: { prometheus: { query: "up" } } };
    const { plan, judge, server, shared, hub } = await judging({ placements: [placement(["a"], { rollout })] });
    hub.serve(CONTROLLERREVISIONS);
    await plan();
    await judge();
    expect(shared.gates.hasPrometheus).toBe(false);
    expect(readyOf(server.get(PLACEMENTS, "default", "everywhere"))).toMatchObject({ reason: "PrometheusMissing" });
  });
});

test("many plans are read so many at a time as leave the event loop free", async () => {
  const { plan, judge, status, states, clock } = await judging();
  await plan();
  const known = states.planOf(APP);
  if (known === undefined) throw new Error("no plan");
  states.setPlan("another", known);
  states.setPlan("dropped meanwhile", known);
  let [time, reads] = [0, 0];
  const turn = Promise.withResolvers<void>();
  const get = states.planOf.bind(states);
  states.planOf = (owner) => {
    // Each plan takes a whole slice of time.
    time += 10;
    reads += 1;
    return get(owner);
  };
  clock.monotonic = () => time;
  clock.nextTurn = () => turn.promise;
  const judged = judge();
  await Promise.resolve();
  expect(reads).toBe(1);
  states.dropPlan("dropped meanwhile");
  turn.resolve();
  await judged;
  expect([reads, status()?.["matchedObjects"]]).toEqual([3, 2]);
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
  /** An override selects the object as well. */
  const overridden = async () => {
    const all = await settled();
    const spec = { resourceSelectors: [SELECTS_APPLICATIONS], rules: [{ replicas: 3 }] };
    all.server.create(OVERRIDEPOLICIES, { ...policyOf(OVERRIDEPOLICIES), spec });
    await all.settle();
    await all.plan();
    all.woken.length = 0;
    return all;
  };

  test("is that its objects were planned with it, at once; its own change, which may be ours, comes later", async () => {
    const { woken, server, settle, shared } = await settled();
    server.merge(PLACEMENTS, "default", "everywhere", { status: { matched: 7 } });
    await settle();
    expect(woken).toEqual([{ key: KEY, afterMs: LATER }]);
    shared.policyProgress.settled.emit(KEY);
    expect(woken.at(-1)).toEqual({ key: KEY, afterMs: undefined });
  });

  test("is a plan by which it selects an object no more, as of the one that selects it now", async () => {
    const { woken, states } = await settled();
    const known = states.planOf(APP);
    if (known?.target === undefined) throw new Error("no plan");
    const other = { kind: "Placement", namespace: "default", name: "other" };
    states.setPlan(APP, { ...known, target: { ...known.target, placement: other } });
    expect(woken).toEqual([
      { key: KEY, afterMs: LATER },
      { key: "Placement/default/other", afterMs: LATER },
    ]);
  });

  test("is that a cluster joins or is gone, for all policies, and no news of one", async () => {
    const { woken, server, settle, shared } = await settled();
    server.merge(MEMBERCLUSTERS, undefined, "a", { metadata: { labels: { tier: "front" } } });
    await settle();
    expect(woken).toEqual([]);
    server.create(MEMBERCLUSTERS, cluster("mars"));
    await settle();
    expect(woken).toContainEqual({ key: KEY, afterMs: LATER });
    woken.length = 0;
    await shared.client.delete(MEMBERCLUSTERS, undefined, "mars");
    await settle();
    expect(woken).toContainEqual({ key: KEY, afterMs: LATER });
  });

  test("is that other kinds may be read on the hub than before, for all policies", async () => {
    const { woken, cache } = await settled();
    cache.denials.emit();
    expect(woken).toEqual([{ key: KEY, afterMs: undefined }]);
  });

  test("is that a cluster goes which refuses something, and nothing that is as it should be", async () => {
    const { woken, observations, rows, carryOut } = await overridden();
    carryOut("b");
    observations.contact("b", undefined);
    expect(woken).toEqual([]);
    const row = rows().find(({ cluster }) => cluster === "a");
    if (row === undefined) throw new Error("no row");
    const failure = { reason: "Invalid", message: "no", final: true };
    observations.report("a", [absent({ cluster: "a", ref: row.ref, failure })]);
    woken.length = 0;
    observations.contact("a", undefined);
    expect(woken).toEqual([{ key: OTHER, afterMs: 500 }]);
  });

  test("is a member that begins to refuse something that it overrides, or refuses it no more", async () => {
    const { woken, observations, rows } = await overridden();
    const [row] = rows();
    if (row === undefined) throw new Error("no row");
    const failure = { reason: "Invalid", message: "no", final: true };
    const refused = absent({ cluster: "a", ref: row.ref, failure });
    observations.report("a", [refused]);
    expect(woken).toEqual([{ key: OTHER, afterMs: 500 }]);
    observations.report("a", [{ ...refused, revision: 9 }]);
    expect(woken).toHaveLength(1);
    observations.report("a", [absent({ cluster: "a", ref: row.ref })]);
    expect(woken).toHaveLength(2);
    observations.report("a", [absent({ cluster: "a", ref: { ...row.ref, name: "other" }, failure })]);
    expect(woken).toHaveLength(2);
  });
});
