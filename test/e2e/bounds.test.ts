import { describe, expect, test } from "vitest";
import type { PatchOperation } from "../../src/apis/index.ts";
import { demoApplication, overridePolicy, placement } from "../builders/index.ts";
import { residentMiB } from "../bench/processUsage.ts";
import { eventually, type FaultAnswer, FaultProxy, meridianOk, throughout } from "../envtest/index.ts";
import { conditionOf, useFederation } from "./federation.ts";
import { objectPath } from "./objects.ts";

/** What a tenant, a broken Secret or anybody who reaches the webhooks' port may send, and what does not come of it. */

const SHANGHAI = "shanghai-1";
const SINGAPORE = "singapore-1";
const SPARE = "spare-1";
const LEASE = "/apis/coordination.k8s.io/v1/namespaces/meridian-system/leases/meridian";
const CRD = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/demoapplications.paas.cmft.com";

const federation = useFederation({
  hub: { controllerManager: false },
  members: [
    { name: SHANGHAI, region: "cn-shanghai" },
    { name: SINGAPORE, region: "ap-southeast-1" },
    { name: SPARE, region: "eu-central-1", controllerManager: false },
  ],
  unjoined: [SPARE],
});

const both = { [SHANGHAI]: 1, [SINGAPORE]: 1 };

const doubling = Array.from({ length: 30 }, (_, n): PatchOperation => {
  return { kind: "Deployment", op: "copy", from: "/spec/template", path: `/spec/template/copy${n}` };
});

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = { a: value };
  return value;
}

async function servedVersions(): Promise<string[]> {
  const { spec } = (await federation.api.get(CRD)) as unknown as {
    spec: { versions: { name: string; served: boolean }[] };
  };
  return spec.versions.filter(({ served }) => served).map(({ name }) => name);
}

describe("without webhooks", () => {
  test("a version that nothing converts is not served, also where it was, so that no update can lose a field", async () => {
    expect(await servedVersions()).toEqual(["v1"]);
    await federation.api.patch(CRD, "json", [
      { op: "test", path: "/spec/versions/1/name", value: "v1beta1" },
      { op: "replace", path: "/spec/versions/1/served", value: true },
    ]);
    await meridianOk(federation.hub, ["install"]);
    expect(await servedVersions()).toEqual(["v1"]);
    const namespace = await federation.namespace();
    await federation.apply(demoApplication("shop").namespace(namespace));
    await eventually(async () => {
      const path = `/apis/paas.cmft.com/v1beta1/namespaces/${namespace}/demoapplications/shop`;
      expect((await federation.api.request("GET", path)).status).toBe(404);
    });
  });

  test.each<{ what: string; patches: PatchOperation[] }>([
    { what: "copies a template into itself 30 times", patches: doubling },
    {
      what: "brings a value of 1,000 levels",
      patches: [{ kind: "Deployment", op: "add", path: "/spec/template/deep", value: nested(1_000) }],
    },
  ])("a policy that $what fails one cluster, and stops nobody, also after a restart", async ({ patches }) => {
    const namespace = await federation.namespace();
    const shop = demoApplication("shop").namespace(namespace);
    await federation.apply(placement("all").namespace(namespace).onClusters(SHANGHAI, SINGAPORE));
    await federation.apply(shop);
    await federation.untilAvailable(namespace, "shop", both);
    const policy = overridePolicy("bomb").namespace(namespace);
    // Server-side apply has no words for so deep a value; a create has.
    const stored = policy.onClusters([SINGAPORE], { patches }).object();
    await federation.api.create(
      `/apis/federation.paas.cmft.com/v1alpha1/namespaces/${namespace}/overridepolicies`,
      stored,
    );
    await federation.untilEntry(namespace, "shop", SINGAPORE, { state: "Failed", reason: "TooLarge" });
    await federation.untilEntry(namespace, "shop", SHANGHAI, { state: "Available" });
    expect(conditionOf(await federation.application(namespace, "shop"), "Applied")).toMatchObject({
      status: "False",
      reason: "TooLarge",
    });

    await federation.manager[Symbol.asyncDispose]();
    await federation.startManager();
    const blog = demoApplication("blog").namespace(namespace).image("nginx:1.28");
    await federation.apply(blog);
    await federation.untilEntry(namespace, "blog", SHANGHAI, { state: "Available" });
    expect(federation.manager.running).toBe(true);
    await federation.api.delete(objectPath("OverridePolicy", namespace, "bomb"));
    await federation.untilAvailable(namespace, "shop", both);
    await federation.untilAvailable(namespace, "blog", both);
  });
});

describe("a member", () => {
  const SECOND = 1_000;

  /** Deployments with our marks, one after the other, of some 4 KiB each. */
  function* endlessDeployments(hubId: string): Iterable<string> {
    const note = "x".repeat(3_500);
    for (let n = 1; ; n += 1) {
      const object = {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: {
          name: `claimed-${n}`,
          namespace: "claimed",
          uid: `00000000-0000-0000-0000-${String(n).padStart(12, "0")}`,
          resourceVersion: String(n),
          labels: { "federation.paas.cmft.com/managed-by": hubId },
          annotations: { "federation.paas.cmft.com/object": `apps/Deployment/claimed/claimed-${n}` },
        },
        spec: { replicas: 1, template: { metadata: { annotations: { note } } } },
      };
      yield `${JSON.stringify({ type: "ADDED", object })}\n`;
    }
  }

  test("that sends a watch-list without an end fails, in little memory, and holds up no other cluster", async () => {
    const spare = federation.member(SPARE).plane;
    await using proxy = await FaultProxy.start(spare);
    const { uid: hubId = "" } = (await federation.api.get(objectPath("Namespace", undefined, "kube-system"))).metadata;
    const namespace = await federation.namespace();
    await federation.apply(placement("all").namespace(namespace).onClusters(SHANGHAI, SPARE));
    const memory = () => residentMiB(federation.manager.pid);
    const before = await memory();
    let poured = 0;
    proxy.fault = ({ path, query }) => {
      if (path !== "/apis/apps/v1/deployments" || !["1", "true"].includes(query.get("watch") ?? "")) return undefined;
      poured += 1;
      return { status: 200, body: "", pour: endlessDeployments(hubId) };
    };
    await federation.joinByHand(SPARE, proxy.kubeconfigFor(spare.adminToken));
    try {
      await federation.apply(demoApplication("shop").namespace(namespace));
      await federation.untilEntry(namespace, "shop", SHANGHAI, { state: "Available" });
      const entry = await federation.untilEntry(namespace, "shop", SPARE, { reason: "NotObserved" });
      expect(entry.message).toMatch(/sends more deployments than are read/);
      // Tried again and again, each time as slowly as the one before lets it.
      await throughout(10 * SECOND, async () => expect(await memory()).toBeLessThan(before + 350));
      expect(poured).toBeLessThan(10);
      proxy.fault = undefined;
      await federation.untilEntry(
        namespace,
        "shop",
        SPARE,
        { observedHash: expect.any(String) as string },
        90 * SECOND,
      );
    } finally {
      await federation.removeMember(SPARE);
    }
  });

  /** A list of nodes of which one has 30 million digits for a quantity. */
  function* longQuantity(): Iterable<string> {
    const metadata = JSON.stringify({ name: "hostile", uid: "u", resourceVersion: "1" });
    yield `{"kind":"NodeList","metadata":{"resourceVersion":"1"},"items":[{"metadata":${metadata},"status":{"allocatable":{"cpu":"`;
    for (let n = 0; n < 30; n += 1) yield "1".repeat(1_000_000);
    yield '"}}}]}';
  }

  /** As many digits as an answer may have. */
  const digits = "1".repeat(12_000_000);
  let page = 0;
  const hostile: { what: string; message: RegExp; answer: () => FaultAnswer }[] = [
    {
      what: "sends 30 million digits for a quantity",
      message: /\/api\/v1\/nodes: .*MiB/,
      answer: () => ({ status: 200, body: "", pour: longQuantity() }),
    },
    {
      what: "sends 12 million digits for a quantity",
      message: /\/api\/v1\/nodes: .*quantity/,
      answer: () => ({ status: 200, body: nodes({ status: { allocatable: { cpu: digits } } }) }),
    },
    {
      what: "has a page of nodes after each page",
      message: /\/api\/v1\/nodes: .*end/,
      answer: () => ({ status: 200, body: nodes({}, `page-${(page += 1)}`) }),
    },
  ];

  function nodes(node: object, next = ""): object {
    const metadata = { name: "hostile", uid: "u", resourceVersion: "1" };
    return { kind: "NodeList", metadata: { resourceVersion: "1", continue: next }, items: [{ metadata, ...node }] };
  }

  test("that sends nodes without measure loses contact, and takes neither the Lease nor the memory", async () => {
    const spare = federation.member(SPARE).plane;
    await using proxy = await FaultProxy.start(spare);
    const lease = async () => {
      const { spec } = (await federation.api.get(LEASE)) as unknown as { spec: Record<string, unknown> };
      return [spec["holderIdentity"], spec["leaseTransitions"]];
    };
    const memory = () => residentMiB(federation.manager.pid);
    const [held, before, pid] = [await lease(), await memory(), federation.manager.pid];
    const namespace = await federation.namespace();
    await federation.apply(placement("all").namespace(namespace).onClusters(SHANGHAI));
    for (const [n, { message, answer }] of hostile.entries()) {
      let asked = 0;
      proxy.fault = ({ path }) => {
        if (path !== "/api/v1/nodes") return undefined;
        asked += 1;
        return answer();
      };
      await federation.joinByHand(SPARE, proxy.kubeconfigFor(spare.adminToken));
      try {
        const condition = await federation.untilMemberIs(SPARE, "False", "ClusterUnreachable");
        expect(condition.message).toMatch(message);
        // The neighbour goes on.
        await federation.apply(demoApplication(`shop-${n}`).namespace(namespace));
        await federation.untilEntry(namespace, `shop-${n}`, SHANGHAI, { state: "Available" });
        expect(asked).toBeLessThan(150);
      } finally {
        await federation.removeMember(SPARE);
      }
    }
    expect([await lease(), federation.manager.pid]).toEqual([held, pid]);
    expect(await memory()).toBeLessThan(before + 250);
  });
});
