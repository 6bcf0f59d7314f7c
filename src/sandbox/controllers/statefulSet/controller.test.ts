import { describe, expect, test } from "vitest";
import { CLAIMS, CONTROLLER_REVISIONS, type Pod, PODS, STATEFUL_SETS } from "../shared/objects.ts";
import { template, TestSandbox } from "../testing/index.ts";
import type { StatefulSet } from "./identity.ts";

function statefulSet(spec: Partial<StatefulSet["spec"]> = {}): StatefulSet {
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "db", namespace: "default" },
    spec: {
      replicas: 3,
      serviceName: "db",
      selector: { matchLabels: { app: "db" } },
      template: template("postgres:1", "db"),
      podManagementPolicy: "OrderedReady",
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      revisionHistoryLimit: 10,
      ...spec,
    },
  };
}

const withSpec =
  (spec: Partial<StatefulSet["spec"]>) =>
  (set: StatefulSet): StatefulSet => ({ ...set, spec: { ...set.spec, ...spec } });

function podNames(sandbox: TestSandbox): string[] {
  return sandbox.pods().map(({ metadata }) => metadata.name);
}

function images(sandbox: TestSandbox): (string | undefined)[] {
  return podNames(sandbox)
    .toSorted()
    .map((name) => sandbox.get<Pod>(PODS, name).spec.containers[0]?.image);
}

describe("a StatefulSet", () => {
  test("starts its pods one after the other, each when the one before is ready", async () => {
    await using sandbox = await TestSandbox.with(STATEFUL_SETS, statefulSet(), { options: { readinessDelayMs: 1000 } });
    expect(podNames(sandbox)).toEqual(["db-0"]);
    await sandbox.pass(1300);
    expect(podNames(sandbox)).toEqual(["db-0", "db-1"]);
    await sandbox.pass(5000);
    const set = sandbox.get<StatefulSet>(STATEFUL_SETS, "db");
    const [revision] = sandbox.list(CONTROLLER_REVISIONS);
    expect(set.status).toEqual({
      observedGeneration: 1,
      replicas: 3,
      readyReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
      availableReplicas: 3,
      currentRevision: revision?.metadata.name,
      updateRevision: revision?.metadata.name,
      collisionCount: 0,
    });
    expect(sandbox.get<Pod>(PODS, "db-2")).toMatchObject({
      metadata: {
        labels: {
          "apps.kubernetes.io/pod-index": "2",
          "statefulset.kubernetes.io/pod-name": "db-2",
          "controller-revision-hash": revision?.metadata.name,
        },
      },
      spec: { hostname: "db-2", subdomain: "db" },
    });
    expect(sandbox.events("db")[0]).toBe("Normal SuccessfulCreate Create Pod db-0 in StatefulSet db successful");
  });

  test("in parallel starts and stops all at once", async () => {
    await using sandbox = await TestSandbox.with(STATEFUL_SETS, statefulSet({ podManagementPolicy: "Parallel" }), {
      options: { readinessDelayMs: 1000, terminationDelayMs: 1000 },
    });
    expect(podNames(sandbox)).toHaveLength(3);
    await sandbox.change(STATEFUL_SETS, "db", withSpec({ replicas: 0 }));
    await sandbox.pass(1100);
    expect(podNames(sandbox)).toEqual([]);
  });

  test("gets smaller from the top, one after the other", async () => {
    await using sandbox = await TestSandbox.with(STATEFUL_SETS, statefulSet(), {
      options: { terminationDelayMs: 1000 },
    });
    await sandbox.change(STATEFUL_SETS, "db", withSpec({ replicas: 1 }));
    await sandbox.pass(1100);
    expect(podNames(sandbox)).toEqual(["db-0", "db-1"]);
    await sandbox.pass(1100);
    expect(podNames(sandbox)).toEqual(["db-0"]);
  });

  test("replaces its pods from the top for a new template, and keeps those below the partition", async () => {
    await using sandbox = await TestSandbox.with(STATEFUL_SETS, statefulSet());
    const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 2 } };
    await sandbox.change(STATEFUL_SETS, "db", withSpec({ template: template("postgres:2", "db"), updateStrategy }));
    await sandbox.settle();
    expect(images(sandbox)).toEqual(["postgres:1", "postgres:1", "postgres:2"]);
    expect(sandbox.get<StatefulSet>(STATEFUL_SETS, "db").status).toMatchObject({
      currentReplicas: 2,
      updatedReplicas: 1,
    });
    await sandbox.cluster.delete(PODS, "default", "db-0");
    await sandbox.settle();
    expect(images(sandbox)).toEqual(["postgres:1", "postgres:1", "postgres:2"]);
    await sandbox.change(
      STATEFUL_SETS,
      "db",
      withSpec({ updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } } }),
    );
    await sandbox.settle();
    expect(images(sandbox)).toEqual(["postgres:2", "postgres:2", "postgres:2"]);
    const { status } = sandbox.get<StatefulSet>(STATEFUL_SETS, "db");
    expect(status?.currentRevision).toBe(status?.updateRevision);
    expect(sandbox.list(CONTROLLER_REVISIONS).map(({ revision }) => revision)).toEqual([1, 2]);
  });

  test("never has two pods on their way during an update", async () => {
    await using sandbox = await TestSandbox.start({ options: { readinessDelayMs: 1000, terminationDelayMs: 500 } });
    await sandbox.create(STATEFUL_SETS, statefulSet());
    await sandbox.pass(10_000);
    let fewest = 3;
    using _watch = sandbox.cluster.onEvent(PODS, () => {
      const ready = sandbox.pods().filter(({ status, metadata }) => {
        return (
          metadata.deletionTimestamp === undefined &&
          status?.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True")
        );
      });
      fewest = Math.min(fewest, ready.length);
    });
    fewest = 3;
    await sandbox.change(STATEFUL_SETS, "db", withSpec({ template: template("postgres:2", "db") }));
    await sandbox.pass(20_000);
    expect(images(sandbox)).toEqual(["postgres:2", "postgres:2", "postgres:2"]);
    expect(fewest).toBe(2);
  });

  test("with OnDelete updates only what is deleted", async () => {
    await using sandbox = await TestSandbox.with(STATEFUL_SETS, statefulSet({ updateStrategy: { type: "OnDelete" } }));
    await sandbox.change(STATEFUL_SETS, "db", withSpec({ template: template("postgres:2", "db") }));
    await sandbox.settle();
    await sandbox.cluster.delete(PODS, "default", "db-1");
    await sandbox.settle();
    expect(images(sandbox)).toEqual(["postgres:1", "postgres:2", "postgres:1"]);
  });

  test("makes claims that are bound, and keeps them unless the policy says otherwise", async () => {
    await using sandbox = await TestSandbox.start();
    const volumeClaimTemplates = [
      {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { name: "data" },
        spec: { resources: { requests: { storage: "1Gi" } } },
      },
    ];
    await sandbox.create(STATEFUL_SETS, statefulSet({ replicas: 2, volumeClaimTemplates }));
    await sandbox.settle();
    expect(sandbox.list(CLAIMS)).toMatchObject([
      {
        metadata: { name: "data-db-0", labels: { app: "db" } },
        status: { phase: "Bound", capacity: { storage: "1Gi" } },
      },
      { metadata: { name: "data-db-1" }, status: { phase: "Bound" } },
    ]);
    await sandbox.change(STATEFUL_SETS, "db", withSpec({ replicas: 1 }));
    await sandbox.settle();
    expect(sandbox.list(CLAIMS)).toHaveLength(2);
    await sandbox.change(
      STATEFUL_SETS,
      "db",
      withSpec({ replicas: 2, persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete", whenDeleted: "Delete" } }),
    );
    await sandbox.settle();
    await sandbox.change(STATEFUL_SETS, "db", withSpec({ replicas: 1 }));
    await sandbox.settle();
    expect(sandbox.list(CLAIMS).map(({ metadata }) => metadata.name)).toEqual(["data-db-0"]);
    await sandbox.cluster.delete(STATEFUL_SETS, "default", "db");
    await sandbox.settle();
    expect(sandbox.list(CLAIMS)).toEqual([]);
  });
});
