import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import {
  CLAIMS,
  DEPLOYMENTS,
  DISRUPTION_BUDGETS,
  EVENTS,
  type IntOrPercent,
  NODES,
  PODS,
  SERVICES,
  VOLUMES,
} from "./shared/objects.ts";
import { deployment, TestSandbox } from "./testing/index.ts";

function budget(spec: { minAvailable?: IntOrPercent; maxUnavailable?: IntOrPercent }): KubeObject {
  const metadata = { name: "web", namespace: "default" };
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata,
    spec: { selector: { matchLabels: { app: "web" } }, ...spec },
  };
}

describe("a PodDisruptionBudget", () => {
  test.each([
    [{ minAvailable: 3 }, 3, 1],
    [{ minAvailable: "50%" }, 2, 2],
    [{ maxUnavailable: 1 }, 3, 1],
    [{ maxUnavailable: 0 }, 4, 0],
  ])("with %j wants %i of four healthy pods, and lets %i go", async (spec, desiredHealthy, disruptionsAllowed) => {
    await using sandbox = await TestSandbox.start();
    await sandbox.create(DISRUPTION_BUDGETS, budget(spec));
    await sandbox.create(DEPLOYMENTS, deployment({ replicas: 4 }));
    await sandbox.settle();
    const [status, reason] = disruptionsAllowed > 0 ? ["True", "SufficientPods"] : ["False", "InsufficientPods"];
    expect(sandbox.get(DISRUPTION_BUDGETS, "web")["status"]).toMatchObject({
      expectedPods: 4,
      currentHealthy: 4,
      desiredHealthy,
      disruptionsAllowed,
      conditions: [{ type: "DisruptionAllowed", status, reason }],
    });
  });
});

describe("the cloud", () => {
  test("gives a Service of type LoadBalancer an address, and no other", async () => {
    await using sandbox = await TestSandbox.start();
    for (const type of ["LoadBalancer", "ClusterIP"]) {
      const metadata = { name: type.toLowerCase(), namespace: "default" };
      await sandbox.create(SERVICES, { apiVersion: "v1", kind: "Service", metadata, spec: { type } });
    }
    await sandbox.settle();
    expect(sandbox.get(SERVICES, "loadbalancer")["status"]).toMatchObject({
      loadBalancer: { ingress: [{ ip: expect.stringMatching(/^192\.0\.2\.\d+$/) }] },
    });
    expect(sandbox.get(SERVICES, "clusterip")["status"]).toBeUndefined();
  });
});

describe("Events", () => {
  test("that say the same again count up", async () => {
    await using sandbox = await TestSandbox.start({ options: { nodes: [] } });
    await sandbox.create(DEPLOYMENTS, deployment({ replicas: 0 }));
    for (const replicas of [1, 0, 1, 0]) {
      await sandbox.settle();
      await sandbox.change(DEPLOYMENTS, "web", (object) => ({
        ...object,
        spec: { ...(object["spec"] as object), replicas },
      }));
    }
    await sandbox.settle();
    const [name = ""] = sandbox.replicaSets().map(({ metadata }) => metadata.name);
    const scalings = sandbox.list(EVENTS).filter(({ reason }) => reason === "ScalingReplicaSet");
    expect(scalings.map(({ message, count }) => [message, count])).toEqual([
      [`Scaled up replica set ${name} from 0 to 1`, 2],
      [`Scaled down replica set ${name} from 1 to 0`, 2],
    ]);
    expect(scalings[0]).toMatchObject({
      involvedObject: { apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace: "default" },
      source: { component: "deployment-controller" },
      reportingComponent: "deployment-controller",
      type: "Normal",
    });
  });

  test("that differ in a name only are combined from the tenth on", async () => {
    await using sandbox = await TestSandbox.with(DEPLOYMENTS, deployment({ replicas: 12 }), { options: { nodes: [] } });
    const created = sandbox.list(EVENTS).filter(({ reason }) => reason === "SuccessfulCreate");
    expect(created).toHaveLength(10);
    const last = sandbox.pods().at(-1)?.metadata.name;
    expect(created.at(-1)).toMatchObject({
      message: `(combined from similar events): Created pod: ${last}`,
      count: 3,
      reportingComponent: "",
    });
  });

  test("of one object are left out when there are too many, until some time has passed", async () => {
    await using sandbox = await TestSandbox.with(DEPLOYMENTS, deployment({ replicas: 40 }), { options: { nodes: [] } });
    const counted = () => {
      const created = sandbox.list(EVENTS).filter(({ reason }) => reason === "SuccessfulCreate");
      return created.reduce((sum, { count }) => sum + Number(count), 0);
    };
    expect(counted()).toBe(25);
    await sandbox.pass(600_000);
    await sandbox.change(DEPLOYMENTS, "web", (object) => ({
      ...object,
      spec: { ...(object["spec"] as object), replicas: 45 },
    }));
    await sandbox.settle();
    expect(counted()).toBe(27);
  });

  test("go after an hour, and the oldest of too many at once", async () => {
    await using sandbox = await TestSandbox.with(DEPLOYMENTS, deployment({ replicas: 4 }), { options: { events: 5 } });
    expect(sandbox.list(EVENTS)).toHaveLength(5);
    await sandbox.pass(3_601_000);
    expect(sandbox.list(EVENTS)).toEqual([]);
    expect(sandbox.clock.waiting).toBe(0);
  });
});

describe("what is deleted while it is in use", () => {
  const protectedClaim = (name: string): KubeObject => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, namespace: "default", finalizers: ["example.com/mine", "kubernetes.io/pvc-protection"] },
    spec: {},
  });

  test("of claims stays as long as a pod has it, and keeps the finalizers of others", async () => {
    await using sandbox = await TestSandbox.start();
    await sandbox.create(CLAIMS, protectedClaim("used"));
    await sandbox.create(PODS, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "user", namespace: "default" },
      spec: {
        containers: [{ name: "app", image: "nginx:1" }],
        volumes: [{ name: "disk", persistentVolumeClaim: { claimName: "used" } }],
      },
    });
    await sandbox.pass(2000);
    await sandbox.cluster.delete(CLAIMS, "default", "used");
    await sandbox.settle();
    const { finalizers } = sandbox.get(CLAIMS, "used").metadata;
    expect(finalizers).toEqual(["example.com/mine", "kubernetes.io/pvc-protection"]);
    await sandbox.cluster.delete(PODS, "default", "user");
    await sandbox.pass(2000);
    expect(sandbox.get(CLAIMS, "used").metadata.finalizers).toEqual(["example.com/mine"]);
  });

  test.each([
    { phase: "Bound", left: ["kubernetes.io/pv-protection"] },
    { phase: "Released", left: undefined },
  ])("of volumes that are $phase", async ({ phase, left }) => {
    await using sandbox = await TestSandbox.start();
    await sandbox.create(VOLUMES, {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "disk", finalizers: ["kubernetes.io/pv-protection"] },
      status: { phase },
    });
    await sandbox.cluster.delete(VOLUMES, undefined, "disk");
    await sandbox.settle();
    const found = sandbox.cluster.get(VOLUMES, undefined, "disk");
    expect(found?.metadata.finalizers).toEqual(left);
  });
});

describe("the taints of a node", () => {
  const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
  const mine = { key: "team", value: "data", effect: "NoSchedule" };
  const condition = (type: string, status: string) => ({ type, status });

  test.each([
    { says: "nothing of itself", conditions: [], before: [notReady, mine], after: [notReady, mine] },
    { says: "that it is ready", conditions: [condition("Ready", "True")], before: [notReady, mine], after: [mine] },
    { says: "that it is not", conditions: [condition("Ready", "False")], before: [mine], after: [mine, notReady] },
    {
      says: "that its disk is full",
      conditions: [condition("Ready", "True"), condition("DiskPressure", "True")],
      before: [],
      after: [{ key: "node.kubernetes.io/disk-pressure", effect: "NoSchedule" }],
    },
  ])("that says $says", async ({ conditions, before, after }) => {
    await using sandbox = await TestSandbox.start({ options: { nodes: [] } });
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n" }, spec: { taints: before } };
    await sandbox.create(NODES, { ...node, status: { conditions } });
    await sandbox.settle();
    expect((sandbox.get(NODES, "n")["spec"] as { taints?: unknown }).taints ?? []).toEqual(after);
  });

  test("of one that is cordoned, and free again", async () => {
    await using sandbox = await TestSandbox.start();
    const cordon = (unschedulable: boolean) =>
      sandbox.change(NODES, "node-1", (object) => ({
        ...object,
        spec: { ...(object["spec"] as object), unschedulable },
      }));
    const taints = () => (sandbox.get(NODES, "node-1")["spec"] as { taints?: unknown }).taints;
    await cordon(true);
    await sandbox.settle();
    expect(taints()).toEqual([{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }]);
    await cordon(false);
    await sandbox.settle();
    expect(taints()).toBeUndefined();
  });
});
