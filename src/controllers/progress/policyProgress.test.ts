import { describe, expect, test } from "vitest";
import { FEDERATION_API_VERSION, type KubeObject } from "../../apis/index.ts";
import { SELECTS_APPLICATIONS } from "../../hub/testing/fakeHub.ts";
import { DEMOAPPLICATIONS, OVERRIDEPOLICIES, PLACEMENTS, SERVICES } from "../../runtime/index.ts";
import { PolicyStatusReconciler } from "../policies/policyStatus.ts";
import { APP, app, placement, placing } from "../testing/planning.ts";

const EVERYWHERE = "Placement/default/everywhere";
const OTHER = "OverridePolicy/default/other";

function override(rule: object, selector: object = {}): KubeObject {
  return {
    apiVersion: FEDERATION_API_VERSION,
    kind: "OverridePolicy",
    metadata: { name: "other", namespace: "default", generation: 1 },
    spec: { resourceSelectors: [{ ...SELECTS_APPLICATIONS, ...selector }], rules: [rule] },
  };
}

const BROKEN = override({ patches: [{ kind: "Deployment", op: "replace", path: "/spec/nothing/here", value: 1 }] });

/** One planned object, and a policy with its status. */
async function judging(...given: Parameters<typeof placing>) {
  const all = await placing(...given);
  const { server, settle, plan, wokenBy, reconcileBy, hub, shared } = all;
  const toPlan = wokenBy(all.reconciler);
  const policies = new PolicyStatusReconciler(shared);
  const toJudge = wokenBy(policies);
  await plan();
  await reconcileBy(policies, EVERYWHERE);
  await settle();
  toPlan.length = 0;
  toJudge.length = 0;
  /** The observed generation and the condition Ready of the policy after a reconcile. */
  const said = async (key: string): Promise<string | undefined> => {
    await reconcileBy(policies, key);
    const [kind = "", , name = ""] = key.split("/");
    const { status } = server.get(kind === "Placement" ? PLACEMENTS : OVERRIDEPOLICIES, "default", name) as {
      status?: { observedGeneration: number; conditions: { status: string; reason: string }[] };
    };
    const [ready] = status?.conditions ?? [];
    return status && `${status.observedGeneration} ${ready?.status} ${ready?.reason}`;
  };
  const now = (): string[] => toJudge.flatMap(({ key, afterMs }) => (afterMs === undefined ? [key] : []));
  const create = async (policy: KubeObject): Promise<void> => {
    server.create(policy.kind === "Placement" ? PLACEMENTS : OVERRIDEPOLICIES, policy);
    await settle();
  };
  const writes = (): number => hub.count("applyStatus", OVERRIDEPOLICIES) + hub.count("applyStatus", PLACEMENTS);
  return { ...all, toPlan, said, now, create, writes };
}

describe("a policy says nothing of a generation before the objects were planned with it", () => {
  test("a new one, which is judged as soon as they were, with one write", async () => {
    const { create, said, now, reconcile, toPlan, writes } = await judging();
    const before = writes();
    await create(BROKEN);
    expect(await said(OTHER)).toBeUndefined();
    expect([toPlan.map(({ key }) => key), now()]).toEqual([[APP], []]);
    await reconcile();
    expect(now()).toEqual([OTHER]);
    expect([await said(OTHER), writes() - before]).toEqual(["1 False InvalidPatch", 1]);
  });

  test("an edited one: what it said of the generation before stands until then", async () => {
    const { server, settle, said, now, reconcile } = await judging();
    const spec = placement(["a", "mars"])["spec"];
    server.merge(PLACEMENTS, "default", "everywhere", { metadata: { generation: 2 }, spec });
    await settle();
    expect(await said(EVERYWHERE)).toBe("1 True Applied");
    await reconcile();
    expect(now()).toEqual([EVERYWHERE]);
    expect(await said(EVERYWHERE)).toBe("2 False UnknownCluster");
  });

  test("one that was edited while an object was being planned: that plan may not know the edit", async () => {
    const { create, server, settle, said, reconcile, shared } = await judging();
    await create(BROKEN);
    const underWay = shared.policyProgress.begin(APP);
    server.merge(OVERRIDEPOLICIES, "default", "other", { metadata: { generation: 2 } });
    await settle();
    shared.policyProgress.end(APP, underWay, false);
    expect(await said(OTHER)).toBeUndefined();
    await reconcile();
    expect(await said(OTHER)).toBe("2 False InvalidPatch");
  });

  test("one that selects a kind that was not read yet", async () => {
    const sent = { type: SERVICES, objects: [] };
    const { create, said, now, settle, cache, server, reconcile } = await judging({ sent });
    const service = { apiVersion: "v1", kind: "Service", metadata: { name: "web", namespace: "default" } };
    server.create(SERVICES, service);
    const one = placement(["mars"], { resourceSelectors: [{ apiVersion: "v1", kind: "Service" }] });
    await create({ ...one, metadata: { ...one.metadata, name: "services" } });
    expect(await said("Placement/default/services")).toBeUndefined();
    await settle(10_000);
    expect(cache.kindOf(service)?.informer.size).toBe(1);
    expect(await said("Placement/default/services")).toBeUndefined();
    await reconcile("/Service/default/web");
    expect(now()).toContain("Placement/default/services");
    expect(await said("Placement/default/services")).toBe("1 False UnknownCluster");
  });
});

test("a policy is judged in the end where planning its object fails", async () => {
  const { create, now, state, reconcile, server, settle } = await judging({
    apps: [app(), app({ name: "second" })],
  });
  await create(override({ replicas: 3 }));
  await reconcile();
  expect(now()).toEqual([]);
  state.patchFailure = new Error("etcd is away");
  const second = "paas.cmft.com/DemoApplication/default/second";
  await settle();
  await expect(reconcile(second)).rejects.toThrow("etcd is away");
  expect(server.get(DEMOAPPLICATIONS, "default", "second").metadata.finalizers).toBeUndefined();
  expect(now()).toEqual([OTHER]);
});

test("where its object goes meanwhile", async () => {
  const { create, said, now, server, settle, reconcile, shared } = await judging();
  await create(BROKEN);
  server.merge(DEMOAPPLICATIONS, "default", "shop", { metadata: { finalizers: null } });
  await shared.client.delete(DEMOAPPLICATIONS, "default", "shop");
  await settle();
  await reconcile();
  expect(now()).toEqual([OTHER]);
  expect(await said(OTHER)).toBe("1 True NoObjectMatches");
});

test("where another class has its object", async () => {
  const labels = { "federation.paas.cmft.com/controller-class": "canary" };
  const { create, said, now, reconcile } = await judging({ apps: [app({ labels })] });
  await create(BROKEN);
  await reconcile();
  expect(now()).toEqual([OTHER]);
  expect(await said(OTHER)).toBe("1 False InvalidPatch");
});
