import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { DEPLOYMENTS, DISRUPTION_BUDGETS, EVENTS, type IntOrPercent, SERVICES } from "./objects.ts";
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
    {
      spec: { minAvailable: 3 },
      status: { expectedPods: 4, desiredHealthy: 3, currentHealthy: 4, disruptionsAllowed: 1 },
    },
    {
      spec: { minAvailable: "50%" },
      status: { expectedPods: 4, desiredHealthy: 2, currentHealthy: 4, disruptionsAllowed: 2 },
    },
    {
      spec: { maxUnavailable: 1 },
      status: { expectedPods: 4, desiredHealthy: 3, currentHealthy: 4, disruptionsAllowed: 1 },
    },
    {
      spec: { maxUnavailable: 0 },
      status: { expectedPods: 4, desiredHealthy: 4, currentHealthy: 4, disruptionsAllowed: 0 },
    },
  ])("with $spec says how many pods may go", async ({ spec, status }) => {
    await using sandbox = await TestSandbox.start();
    await sandbox.create(DISRUPTION_BUDGETS, budget(spec));
    await sandbox.create(DEPLOYMENTS, deployment({ replicas: 4 }));
    await sandbox.settle();
    const reason = status.disruptionsAllowed > 0 ? "SufficientPods" : "InsufficientPods";
    expect(sandbox.get(DISRUPTION_BUDGETS, "web")["status"]).toMatchObject({
      ...status,
      conditions: [{ type: "DisruptionAllowed", status: status.disruptionsAllowed > 0 ? "True" : "False", reason }],
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
    await using sandbox = await TestSandbox.start({ options: { nodes: [] } });
    await sandbox.create(DEPLOYMENTS, deployment({ replicas: 12 }));
    await sandbox.settle();
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
    await using sandbox = await TestSandbox.start({ options: { nodes: [] } });
    await sandbox.create(DEPLOYMENTS, deployment({ replicas: 40 }));
    await sandbox.settle();
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
    await using sandbox = await TestSandbox.start({ options: { events: 5 } });
    await sandbox.create(DEPLOYMENTS, deployment({ replicas: 4 }));
    await sandbox.settle();
    expect(sandbox.list(EVENTS)).toHaveLength(5);
    await sandbox.pass(3_601_000);
    expect(sandbox.list(EVENTS)).toEqual([]);
    expect(sandbox.clock.waiting).toBe(0);
  });
});
