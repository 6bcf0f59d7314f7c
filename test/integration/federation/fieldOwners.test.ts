import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../src/apis/index.ts";
import { DEPLOYMENTS, PLACEMENTS } from "../../../src/runtime/index.ts";
import { placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";
import type { TestCluster } from "./testCluster.ts";

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

const manifest = (spec: object = {}): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx" }] } },
    ...spec,
  },
});

/** As `kubectl apply` creates it: the whole object, with what was written beside it. */
function applied(written: KubeObject): KubeObject {
  const annotations = { [LAST_APPLIED]: JSON.stringify(written) };
  return { ...written, metadata: { ...written.metadata, annotations } };
}

async function placed(deployment: KubeObject, retain: object[] = []): Promise<TestFederation> {
  const federation = await TestFederation.start("shanghai", "singapore");
  const policy = placement("web").selects({ apiVersion: "apps/v1", kind: "Deployment", name: "web" }).object();
  await federation.apply(PLACEMENTS, { ...policy, spec: { ...policy.spec, ...(retain.length > 0 && { retain }) } });
  await federation.hub.create(DEPLOYMENTS, deployment);
  await untilApplied(federation);
  return federation;
}

async function untilApplied(federation: TestFederation, name = "deployment.apps.web"): Promise<void> {
  await federation.until(() => federation.binding(name)?.status?.conditions?.some(isApplied) === true, 60_000);
}

const isApplied = ({ type, status }: { type: string; status: string }): boolean =>
  type === "Applied" && status === "True";

const specOf = (cluster: TestCluster): Record<string, unknown> =>
  cluster.get(DEPLOYMENTS, "default", "web")["spec"] as Record<string, unknown>;
const replicasOn = (federation: TestFederation, ...members: string[]): unknown[] =>
  members.map((member) => specOf(federation.member(member).server)["replicas"]);

/** Somebody with that field manager changes the object, through its scale subresource for instance. */
async function change(cluster: TestCluster, by: { manager: string; path: string; patch: object }): Promise<void> {
  const reply = await cluster.answer({
    method: "PATCH",
    path: by.path,
    query: new URLSearchParams({ fieldManager: by.manager }),
    headers: { "content-type": "application/merge-patch+json", authorization: `Bearer ${cluster.adminToken}` },
    body: Buffer.from(JSON.stringify(by.patch)),
    signal: new AbortController().signal,
  });
  expect(reply).toMatchObject({ kind: "Whole", status: 200 });
}

const WEB = "/apis/apps/v1/namespaces/default/deployments/web";
const scale = (cluster: TestCluster, replicas: number): Promise<void> =>
  change(cluster, { manager: "kube-controller-manager", path: `${WEB}/scale`, patch: { spec: { replicas } } });

describe("replicas that an autoscaler of the hub takes", () => {
  test.each<{ name: string; deployment: KubeObject }>([
    { name: "from a client-side apply", deployment: applied(manifest({ replicas: 2 })) },
    { name: "though nobody wrote any", deployment: applied(manifest()) },
  ])("$name are those of every copy", async ({ deployment }) => {
    await using federation = await placed(deployment);
    await scale(federation.hub, 4);
    await federation.until(() => replicasOn(federation, "shanghai", "singapore").every((count) => count === 4));
    await federation.stopManager();
    await scale(federation.hub, 5);
    await federation.startManager();
    await federation.until(() => replicasOn(federation, "shanghai", "singapore").every((count) => count === 5));
    // Written by somebody: an autoscaler of a member does not get it.
    await scale(federation.member("shanghai").server, 9);
    await federation.until(() => replicasOn(federation, "shanghai")[0] === 5);
  });
});

describe("a field that a controller of the hub takes from whoever wrote it", () => {
  const byController = (federation: TestFederation, patch: object): Promise<void> =>
    change(federation.hub, { manager: "kube-controller-manager", path: WEB, patch });
  const readyOn = (federation: TestFederation): unknown =>
    specOf(federation.member("shanghai").server)["minReadySeconds"];

  test("stays on the members, with the hub's value, until it has left the hub", async () => {
    await using federation = await placed(applied(manifest({ replicas: 1, minReadySeconds: 5 })));
    await federation.pass(5_000);
    await byController(federation, { spec: { minReadySeconds: 7 } });
    await federation.until(() => readyOn(federation) === 7);
    await byController(federation, { spec: { minReadySeconds: 8 } });
    await federation.until(() => readyOn(federation) === 8);

    await federation.stopManager();
    await byController(federation, { spec: { minReadySeconds: 9 } });
    await federation.startManager();
    await federation.until(() => readyOn(federation) === 9);
    // Another change of the object takes it along.
    await change(federation.hub, { manager: "kubectl-edit", path: WEB, patch: { spec: { paused: true } } });
    await federation.until(() => specOf(federation.member("shanghai").server)["paused"] === true);
    expect(readyOn(federation)).toBe(9);
    const before = federation.member("shanghai").writes.length;
    await federation.pass(20_000);
    expect(federation.member("shanghai").writes.length).toBe(before);

    await byController(federation, { spec: { minReadySeconds: null } });
    await federation.until(() => readyOn(federation) === undefined);
    expect(federation.events.map(({ reason }) => reason)).not.toContain("DriftHealed");
  });
});

describe("replicas that nobody wrote", () => {
  test("are left to the autoscaler of a member", async () => {
    await using federation = await placed(applied(manifest()));
    const { server } = federation.member("shanghai");
    await scale(server, 5);
    await federation.pass(10_000);
    expect(replicasOn(federation, "shanghai", "singapore")).toEqual([5, 1]);
    await untilApplied(federation);
    expect(federation.events.map(({ reason }) => reason)).not.toContain("DriftHealed");

    // Another change of the object, and another manager, leave them too.
    await change(federation.hub, {
      manager: "kubectl-edit",
      path: WEB,
      patch: { spec: { minReadySeconds: 3 } },
    });
    await federation.until(() => specOf(server)["minReadySeconds"] === 3);
    expect(replicasOn(federation, "shanghai")).toEqual([5]);
    await federation.stopManager();
    await scale(server, 6);
    await change(federation.hub, {
      manager: "kubectl-edit",
      path: WEB,
      patch: { spec: { minReadySeconds: 4 } },
    });
    await federation.startManager();
    await federation.until(() => specOf(server)["minReadySeconds"] === 4);
    expect(replicasOn(federation, "shanghai")).toEqual([6]);
    await federation.pass(10_000);
    expect(replicasOn(federation, "shanghai")).toEqual([6]);

    // Now somebody writes them.
    await change(federation.hub, { manager: "kubectl-edit", path: WEB, patch: { spec: { replicas: 3 } } });
    await federation.until(() => replicasOn(federation, "shanghai", "singapore").every((count) => count === 3));
  });

  test("are not sent to an object that is taken over", async () => {
    await using federation = await TestFederation.start("shanghai");
    const { server } = federation.member("shanghai");
    await server.create(DEPLOYMENTS, manifest({ replicas: 2 }));
    await scale(server, 7);
    const policy = placement("web").selects({ apiVersion: "apps/v1", kind: "Deployment", name: "web" }).object();
    await federation.apply(PLACEMENTS, { ...policy, spec: { ...policy.spec, conflictResolution: "Adopt" } });
    await federation.hub.create(DEPLOYMENTS, applied(manifest()));
    await untilApplied(federation);
    expect(replicasOn(federation, "shanghai")).toEqual([7]);
  });
});
