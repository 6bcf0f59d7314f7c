import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../apis/index.ts";
import { CONFIG_MAPS, NODES, type Pod, PODS, type PodSpec, SECRETS } from "../shared/objects.ts";
import { TestSandbox } from "../testing/index.ts";
import type { NodeOptions } from "./nodeObjects.ts";

function pod(name: string, spec: Partial<PodSpec> = {}, image = "nginx:1"): Pod {
  const containers = [{ name: "main", image }];
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default" }, spec: { containers, ...spec } };
}

function asking(cpu: string, memory = "0"): Partial<PodSpec> {
  return { containers: [{ name: "main", image: "nginx:1", resources: { requests: { cpu, memory } } }] };
}

const node = (name: string, more: Partial<NodeOptions> = {}): NodeOptions => ({
  name,
  cpu: "2",
  memory: "4Gi",
  pods: 10,
  ...more,
});

function scheduled({ status }: Pod) {
  return status?.conditions?.find(({ type }) => type === "PodScheduled");
}

function waiting({ status }: Pod) {
  return status?.containerStatuses?.map(({ state }) => state.waiting?.reason);
}

describe("a pod", () => {
  test("becomes ready on a node after the delay, with an address of its own", async () => {
    await using sandbox = await TestSandbox.start({ options: { readinessDelayMs: 1000 } });
    await sandbox.create(PODS, pod("a"));
    await sandbox.create(PODS, pod("b"));
    await sandbox.settle();
    expect(sandbox.get<Pod>(PODS, "a").status?.phase).toBe("Pending");
    expect(waiting(sandbox.get<Pod>(PODS, "a"))).toEqual(["ContainerCreating"]);
    await sandbox.pass(2000);
    const [a, b] = sandbox.pods();
    expect(a?.status).toMatchObject({
      phase: "Running",
      hostIP: "172.18.0.2",
      podIP: "10.128.0.1",
      conditions: [
        { type: "PodReadyToStartContainers", status: "True" },
        { type: "Initialized", status: "True" },
        { type: "Ready", status: "True" },
        { type: "ContainersReady", status: "True" },
        { type: "PodScheduled", status: "True" },
      ],
      containerStatuses: [{ name: "main", ready: true, started: true, restartCount: 0 }],
    });
    expect(b?.status?.["podIP"]).toBe("10.128.0.2");
    expect(sandbox.events("a")).toEqual([
      "Normal Scheduled Successfully assigned default/a to node-1",
      'Normal Pulled Container image "nginx:1" already present on machine and can be accessed by the pod',
      "Normal Created Container created",
      "Normal Started Container started",
    ]);
  });

  test("that fits nowhere gets a place on a node that comes", async () => {
    await using sandbox = await TestSandbox.with(PODS, pod("a"), { options: { nodes: [] } });
    expect(scheduled(sandbox.get<Pod>(PODS, "a"))?.message).toBe("no nodes available to schedule pods");
    const allocatable = { cpu: "1", memory: "1Gi", pods: "1" };
    await sandbox.create(NODES, {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "late" },
      spec: {},
      status: { allocatable },
    } as KubeObject);
    await sandbox.settle();
    expect(sandbox.get<Pod>(PODS, "a").spec.nodeName).toBe("late");
  });

  test.each([
    { name: "a node selector", spec: { nodeSelector: { disk: "ssd" } } },
    {
      name: "a required node affinity",
      spec: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: "disk", operator: "In", values: ["ssd"] }] }],
            },
          },
        },
      },
    },
  ])("goes where $name wants it", async ({ spec }) => {
    await using sandbox = await TestSandbox.start({
      options: { nodes: [node("n1"), node("n2", { labels: { disk: "ssd" } })] },
    });
    for (const name of ["a", "b", "c"]) await sandbox.create(PODS, pod(name, spec));
    await sandbox.settle();
    expect(sandbox.pods().map((one) => one.spec.nodeName)).toEqual(["n2", "n2", "n2"]);
  });

  test("stays away from a cordoned node and from a taint that it does not tolerate", async () => {
    await using sandbox = await TestSandbox.start({ options: { nodes: [node("n1"), node("n2"), node("n3")] } });
    await sandbox.change(NODES, "n1", (object) => ({ ...object, spec: { unschedulable: true } }));
    const taints = [{ key: "team", value: "data", effect: "NoSchedule" }];
    await sandbox.change(NODES, "n2", (object) => ({ ...object, spec: { taints } }));
    const tolerations = [{ key: "team", operator: "Equal", value: "data", effect: "NoSchedule" }];
    for (const name of ["a", "b"]) await sandbox.create(PODS, pod(name));
    await sandbox.create(PODS, pod("c", { tolerations }));
    await sandbox.settle();
    expect(sandbox.pods().map((one) => one.spec.nodeName)).toEqual(["n3", "n3", "n2"]);
  });

  test("goes from a node that is tainted with NoExecute, or taken away", async () => {
    await using sandbox = await TestSandbox.start({ options: { nodes: [node("n1"), node("n2")] } });
    await sandbox.create(PODS, pod("a"));
    await sandbox.create(PODS, pod("b"));
    await sandbox.settle();
    const taints = [{ key: "broken", effect: "NoExecute" }];
    await sandbox.change(NODES, "n1", (object) => ({ ...object, spec: { taints } }));
    await sandbox.cluster.delete(NODES, undefined, "n2");
    await sandbox.settle();
    expect(sandbox.pods()).toEqual([]);
  });

  test("that crashes is restarted after ever longer pauses", async () => {
    await using sandbox = await TestSandbox.with(PODS, pod("a", {}, "shop:crash"), {
      options: { crashBackOffMs: 10_000, events: 0 },
    });
    const seen: [number, string | undefined][] = [];
    for (let i = 0; i < 4; i++) {
      const [status] = sandbox.get<Pod>(PODS, "a").status?.containerStatuses ?? [];
      seen.push([status?.restartCount ?? 0, status?.state.waiting?.message?.split(" restarting")[0]]);
      await sandbox.pass(sandbox.clock.next ?? 0);
    }
    expect(seen).toEqual([
      [1, "back-off 10s"],
      [2, "back-off 20s"],
      [3, "back-off 40s"],
      [4, "back-off 1m20s"],
    ]);
    const [status] = sandbox.get<Pod>(PODS, "a").status?.containerStatuses ?? [];
    expect(status).toMatchObject({ ready: false, lastState: { terminated: { exitCode: 1, reason: "Error" } } });
  });

  test("waits for a ConfigMap and a key of a Secret, and starts when both are there", async () => {
    await using sandbox = await TestSandbox.start();
    const envFrom = [{ configMapRef: { name: "settings" } }];
    const env = [{ name: "PASSWORD", valueFrom: { secretKeyRef: { name: "database", key: "password" } } }];
    const containers = [
      { name: "one", image: "nginx:1", envFrom },
      { name: "two", image: "nginx:1", env },
    ];
    await sandbox.create(PODS, pod("a", { containers }));
    await sandbox.settle();
    expect(sandbox.get<Pod>(PODS, "a").status?.containerStatuses?.map(({ state }) => state.waiting)).toEqual([
      { reason: "CreateContainerConfigError", message: 'configmap "settings" not found' },
      { reason: "CreateContainerConfigError", message: 'secret "database" not found' },
    ]);
    const metadata = (name: string) => ({ name, namespace: "default" });
    await sandbox.create(CONFIG_MAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: metadata("settings") });
    await sandbox.create(SECRETS, { apiVersion: "v1", kind: "Secret", metadata: metadata("database") });
    await sandbox.settle();
    expect(waiting(sandbox.get<Pod>(PODS, "a"))).toEqual(["ContainerCreating", "CreateContainerConfigError"]);
    expect(sandbox.get<Pod>(PODS, "a").status?.containerStatuses?.[1]?.state.waiting?.message).toBe(
      "couldn't find key password in Secret default/database",
    );
    await sandbox.change(SECRETS, "database", (secret) => ({ ...secret, data: { password: "eA==" } }));
    await sandbox.settle();
    expect(sandbox.get<Pod>(PODS, "a").status?.phase).toBe("Running");
  });

  test("stays in creation while a fault keeps pods from starting", async () => {
    const fault: { delay?: number } = {};
    await using sandbox = await TestSandbox.start({ podDelay: () => fault.delay });
    await sandbox.create(PODS, pod("a"));
    await sandbox.pass(60_000);
    expect(waiting(sandbox.get<Pod>(PODS, "a"))).toEqual(["ContainerCreating"]);
    fault.delay = 0;
    sandbox.controllers.recheckPods();
    await sandbox.settle();
    expect(sandbox.get<Pod>(PODS, "a").status?.phase).toBe("Running");
  });

  test("that is deleted ends after a while, and one without a node at once", async () => {
    await using sandbox = await TestSandbox.start({ options: { terminationDelayMs: 2000 } });
    await sandbox.create(PODS, pod("a"));
    await sandbox.create(PODS, pod("b", { nodeSelector: { no: "where" } }));
    await sandbox.settle();
    for (const name of ["a", "b"]) await sandbox.cluster.delete(PODS, "default", name);
    await sandbox.pass(1000);
    expect(sandbox.pods().map(({ metadata }) => metadata.name)).toEqual(["a"]);
    await sandbox.pass(1500);
    expect(sandbox.pods()).toEqual([]);
    expect(sandbox.events("a").at(-1)).toBe("Normal Killing Stopping container main");
  });
});

describe("the scheduler", () => {
  const requests = fc.record({ cpu: fc.integer({ min: 0, max: 2500 }), memory: fc.integer({ min: 0, max: 5000 }) });

  property.prop([fc.array(requests, { maxLength: 25 }), fc.array(fc.nat(24), { maxLength: 10 })], { numRuns: 60 })(
    "never gives a node more than it has, and leaves no pod waiting that would fit",
    async (wanted, deleted) => {
      const nodes = [node("n1", { pods: 5 }), node("n2", { cpu: "3" })];
      await using sandbox = await TestSandbox.start({ options: { nodes, events: 0 } });
      for (const [index, { cpu, memory }] of wanted.entries()) {
        await sandbox.create(PODS, pod(`p${index}`, asking(`${cpu}m`, `${memory}Mi`)));
      }
      await sandbox.settle();
      for (const index of new Set(deleted)) {
        if (sandbox.find(PODS, `p${index}`) !== undefined) await sandbox.cluster.delete(PODS, "default", `p${index}`);
      }
      await sandbox.settle();
      const ask = (one: Pod) => wanted[Number(one.metadata.name.slice(1))] ?? { cpu: 0, memory: 0 };
      const free = nodes.map(({ name, cpu, pods }) => {
        const there = sandbox.pods().filter((one) => one.spec.nodeName === name);
        const sum = (of: "cpu" | "memory") => there.reduce((total, one) => total + ask(one)[of], 0);
        return { cpu: Number(cpu) * 1000 - sum("cpu"), memory: 4096 - sum("memory"), pods: pods - there.length };
      });
      for (const { cpu, memory, pods } of free) {
        expect(Math.min(cpu, memory, pods)).toBeGreaterThanOrEqual(0);
      }
      for (const one of sandbox.pods().filter(({ spec }) => spec.nodeName === undefined)) {
        const { cpu, memory } = ask(one);
        const fits = free.some(
          (left) => left.pods > 0 && (cpu === 0 || left.cpu >= cpu) && (memory === 0 || left.memory >= memory),
        );
        expect(fits).toBe(false);
      }
    },
  );
});
