import { describe, expect, test } from "vitest";
import { DAEMON_SETS, NODES, type Pod, PODS } from "../shared/objects.ts";
import { template, TestSandbox } from "../testing/index.ts";
import type { DaemonSet } from "./plan.ts";

function daemonSet(spec: Partial<DaemonSet["spec"]> = {}): DaemonSet {
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "agent", namespace: "default", annotations: { "deprecated.daemonset.template.generation": "1" } },
    spec: {
      selector: { matchLabels: { app: "agent" } },
      template: template("agent:1", "agent"),
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      revisionHistoryLimit: 10,
      ...spec,
    },
  };
}

const update = (set: DaemonSet): DaemonSet => ({
  ...set,
  spec: { ...set.spec, template: template("agent:2", "agent") },
});

function places(sandbox: TestSandbox): string[] {
  return sandbox
    .pods()
    .map(({ spec }) => `${spec.nodeName} ${spec.containers[0]?.image}`)
    .toSorted();
}

function readyCount(sandbox: TestSandbox): number {
  return sandbox.list<Pod>(PODS).filter(({ status, metadata }) => {
    return (
      metadata.deletionTimestamp === undefined &&
      status?.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True")
    );
  }).length;
}

describe("a DaemonSet", () => {
  test("has a pod on every node, also on one that comes later, and none on one that it does not want", async () => {
    await using sandbox = await TestSandbox.with(DAEMON_SETS, daemonSet());
    expect(places(sandbox)).toEqual(["node-1 agent:1", "node-2 agent:1", "node-3 agent:1"]);
    expect(sandbox.get<DaemonSet>(DAEMON_SETS, "agent").status).toEqual({
      currentNumberScheduled: 3,
      desiredNumberScheduled: 3,
      numberAvailable: 3,
      numberMisscheduled: 0,
      numberReady: 3,
      observedGeneration: 1,
      updatedNumberScheduled: 3,
    });
    const taints = [{ key: "team", effect: "NoExecute" }];
    await sandbox.change(NODES, "node-2", (node) => ({ ...node, spec: { taints } }));
    await sandbox.settle();
    expect(places(sandbox)).toEqual(["node-1 agent:1", "node-3 agent:1"]);
    await sandbox.change(NODES, "node-2", (node) => ({ ...node, spec: {} }));
    await sandbox.settle();
    expect(places(sandbox)).toHaveLength(3);
  });

  test("stays on a cordoned node", async () => {
    await using sandbox = await TestSandbox.start();
    await sandbox.change(NODES, "node-1", (node) => ({ ...node, spec: { unschedulable: true } }));
    await sandbox.create(DAEMON_SETS, daemonSet());
    await sandbox.settle();
    expect(places(sandbox)).toHaveLength(3);
  });

  test.each([
    { name: "maxUnavailable", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 }, fewest: 2, most: 3 },
    { name: "maxSurge", rollingUpdate: { maxUnavailable: 0, maxSurge: 2 }, fewest: 3, most: 5 },
  ])("updates within $name", async ({ rollingUpdate, fewest, most }) => {
    await using sandbox = await TestSandbox.start({ options: { readinessDelayMs: 1000, terminationDelayMs: 200 } });
    await sandbox.create(DAEMON_SETS, daemonSet({ updateStrategy: { type: "RollingUpdate", rollingUpdate } }));
    await sandbox.pass(5000);
    let [low, high] = [3, 3];
    using _watch = sandbox.cluster.onEvent(PODS, () => {
      low = Math.min(low, readyCount(sandbox));
      high = Math.max(high, sandbox.pods().filter(({ metadata }) => metadata.deletionTimestamp === undefined).length);
    });
    [low, high] = [3, 3];
    await sandbox.change(DAEMON_SETS, "agent", update);
    await sandbox.pass(20_000);
    expect(places(sandbox)).toEqual(["node-1 agent:2", "node-2 agent:2", "node-3 agent:2"]);
    expect({ low, high }).toEqual({ low: fewest, high: most });
  });

  test("replaces a pod that is gone, and with OnDelete only then by a new one", async () => {
    await using sandbox = await TestSandbox.with(DAEMON_SETS, daemonSet({ updateStrategy: { type: "OnDelete" } }));
    await sandbox.change(DAEMON_SETS, "agent", update);
    await sandbox.settle();
    const [first] = sandbox.pods();
    await sandbox.cluster.delete(PODS, "default", first?.metadata.name ?? "");
    await sandbox.settle();
    expect(places(sandbox).filter((place) => place.endsWith("agent:2"))).toHaveLength(1);
    expect(sandbox.get<DaemonSet>(DAEMON_SETS, "agent").status?.updatedNumberScheduled).toBe(1);
  });
});
