import { describe, expect, test } from "vitest";
import { failure } from "../../statusError.ts";
import { DEPLOYMENTS, type Deployment, REPLICA_SETS, type ReplicaSet } from "../shared/objects.ts";
import { deployment, TestSandbox } from "../testing/index.ts";

const withImage =
  (image: string) =>
  (object: Deployment): Deployment => {
    const { template } = object.spec;
    const containers = template.spec.containers.map((container) => ({ ...container, image }));
    return { ...object, spec: { ...object.spec, template: { ...template, spec: { ...template.spec, containers } } } };
  };

const withSpec =
  (spec: Partial<Deployment["spec"]>) =>
  (object: Deployment): Deployment => ({ ...object, spec: { ...object.spec, ...spec } });

function sizes(sandbox: TestSandbox): number[] {
  return sandbox.replicaSets().map(({ spec }) => spec.replicas ?? 1);
}

function progressing(sandbox: TestSandbox) {
  return sandbox.deployment().status?.conditions?.find(({ type }) => type === "Progressing");
}

describe("a Deployment", () => {
  test("gets a ReplicaSet, pods on nodes, and the status of a finished rollout", async () => {
    await using sandbox = await TestSandbox.with(DEPLOYMENTS, deployment({ replicas: 3 }));

    expect(sandbox.deployment()).toMatchObject({
      metadata: { annotations: { "deployment.kubernetes.io/revision": "1" } },
      status: {
        observedGeneration: 1,
        replicas: 3,
        updatedReplicas: 3,
        readyReplicas: 3,
        availableReplicas: 3,
        terminatingReplicas: 0,
        conditions: [
          { type: "Available", status: "True", reason: "MinimumReplicasAvailable" },
          { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable" },
        ],
      },
    });
    const [replicaSet] = sandbox.replicaSets();
    expect(progressing(sandbox)?.message).toBe(
      `ReplicaSet "${replicaSet?.metadata.name}" has successfully progressed.`,
    );
    expect(replicaSet?.metadata).toMatchObject({
      annotations: {
        "deployment.kubernetes.io/desired-replicas": "3",
        "deployment.kubernetes.io/max-replicas": "4",
        "deployment.kubernetes.io/revision": "1",
      },
      ownerReferences: [{ kind: "Deployment", name: "web", controller: true, blockOwnerDeletion: true }],
    });
    expect(new Set(sandbox.pods().map(({ spec }) => spec.nodeName)).size).toBe(3);
    expect(sandbox.events("web")).toEqual([
      `Normal ScalingReplicaSet Scaled up replica set ${replicaSet?.metadata.name} from 0 to 3`,
    ]);
    expect(sandbox.errors).toEqual([]);
  });

  test("is quiet when it is done: no writes, no timers but the one that keeps Events for an hour", async () => {
    await using sandbox = await TestSandbox.with(DEPLOYMENTS, deployment({ replicas: 3 }), { options: { events: 0 } });
    const writes = sandbox.cluster.writes.length;
    await sandbox.pass(3_600_000);
    expect(sandbox.cluster.writes.length).toBe(writes);
    expect(sandbox.clock.waiting).toBe(0);
  });

  test("keeps as many old ReplicaSets as revisionHistoryLimit says", async () => {
    await using sandbox = await TestSandbox.start();
    await sandbox.create(DEPLOYMENTS, deployment({ revisionHistoryLimit: 1 }));
    for (const image of ["nginx:2", "nginx:3", "nginx:4"]) {
      await sandbox.settle();
      await sandbox.change(DEPLOYMENTS, "web", withImage(image));
    }
    await sandbox.settle();
    const revisions = sandbox
      .replicaSets()
      .map(({ metadata }) => metadata.annotations?.["deployment.kubernetes.io/revision"]);
    expect(revisions).toEqual(["3", "4"]);
  });

  test("stops a rollout whose image cannot be pulled, says so after the deadline, and goes on with a good one", async () => {
    await using sandbox = await TestSandbox.start({ options: { readinessDelayMs: 100 } });
    await sandbox.create(DEPLOYMENTS, deployment({ replicas: 4, progressDeadlineSeconds: 60 }));
    await sandbox.pass(1000);
    await sandbox.change(DEPLOYMENTS, "web", withImage("nginx:does-not-exist"));
    await sandbox.pass(30_000);
    expect(sizes(sandbox)).toEqual([3, 2]);
    expect(progressing(sandbox)?.reason).toBe("ReplicaSetUpdated");
    await sandbox.pass(60_000);
    expect(progressing(sandbox)).toMatchObject({ status: "False", reason: "ProgressDeadlineExceeded" });
    expect(sandbox.deployment().status).toMatchObject({ availableReplicas: 3, unavailableReplicas: 2 });
    const reasons = sandbox.pods().map(({ status }) => status?.containerStatuses?.[0]?.state.waiting?.reason);
    expect(reasons.filter((reason) => reason === "ImagePullBackOff")).toHaveLength(2);

    await sandbox.change(DEPLOYMENTS, "web", withImage("nginx:3"));
    await sandbox.pass(10_000);
    expect(sizes(sandbox)).toEqual([0, 0, 4]);
    expect(progressing(sandbox)?.reason).toBe("NewReplicaSetAvailable");
  });

  test("waits for minReadySeconds before it takes pods for available", async () => {
    await using sandbox = await TestSandbox.start();
    await sandbox.create(DEPLOYMENTS, deployment({ replicas: 2, minReadySeconds: 30 }));
    await sandbox.pass(29_000);
    expect(sandbox.deployment().status).toMatchObject({ readyReplicas: 2, unavailableReplicas: 2 });
    await sandbox.pass(2000);
    expect(sandbox.deployment().status).toMatchObject({ availableReplicas: 2 });
  });

  test("of type Recreate ends all old pods before it starts a new one", async () => {
    await using sandbox = await TestSandbox.with(
      DEPLOYMENTS,
      deployment({ replicas: 3, strategy: { type: "Recreate" } }),
      { options: { terminationDelayMs: 5000 } },
    );
    await sandbox.change(DEPLOYMENTS, "web", withImage("nginx:2"));
    await sandbox.pass(4000);
    expect(sizes(sandbox)).toEqual([0]);
    expect(sandbox.pods()).toHaveLength(3);
    await sandbox.pass(2000);
    expect(sizes(sandbox)).toEqual([0, 3]);
    expect(sandbox.deployment().status).toMatchObject({ availableReplicas: 3, updatedReplicas: 3 });
  });

  test("changes nothing but its size while it is paused", async () => {
    await using sandbox = await TestSandbox.with(DEPLOYMENTS, deployment({ replicas: 2 }));
    await sandbox.change(DEPLOYMENTS, "web", withSpec({ paused: true }));
    await sandbox.change(DEPLOYMENTS, "web", withImage("nginx:2"));
    await sandbox.change(DEPLOYMENTS, "web", withSpec({ replicas: 5 }));
    await sandbox.settle();
    expect(sizes(sandbox)).toEqual([5]);
    expect(progressing(sandbox)).toMatchObject({
      status: "Unknown",
      reason: "DeploymentPaused",
      message: "Deployment is paused",
    });
    await sandbox.change(DEPLOYMENTS, "web", withSpec({ paused: false }));
    await sandbox.settle();
    expect(sizes(sandbox)).toEqual([0, 5]);
    expect(progressing(sandbox)?.reason).toBe("NewReplicaSetAvailable");
  });

  test("shares a new size out in proportion while a rollout is stuck", async () => {
    await using sandbox = await TestSandbox.start();
    const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } };
    await sandbox.create(DEPLOYMENTS, deployment({ replicas: 10, strategy }));
    await sandbox.settle();
    await sandbox.change(DEPLOYMENTS, "web", withImage("nginx:does-not-exist"));
    await sandbox.settle();
    expect(sizes(sandbox)).toEqual([8, 5]);
    await sandbox.change(DEPLOYMENTS, "web", withSpec({ replicas: 15 }));
    await sandbox.settle();
    expect(sizes(sandbox)).toEqual([11, 7]);
  });

  test("says why no pod can be made, and takes it back when it can", async () => {
    await using sandbox = await TestSandbox.start();
    const message = 'pods "web-" is forbidden: exceeded quota: small';
    sandbox.cluster.refuse = ({ verb, resource }) => {
      if (verb === "create" && resource === "pods") throw failure(403, "Forbidden", message);
    };
    await sandbox.create(DEPLOYMENTS, deployment({ replicas: 2 }));
    await sandbox.settle();
    await sandbox.settle();
    const replicaSet = sandbox.replicaSets()[0];
    const failed = { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message };
    expect(replicaSet?.status?.conditions).toMatchObject([failed]);
    expect(sandbox.deployment().status?.conditions).toEqual(expect.arrayContaining([expect.objectContaining(failed)]));
    expect(sandbox.events(replicaSet?.metadata.name)).toContain(`Warning FailedCreate Error creating: ${message}`);

    sandbox.cluster.refuse = () => undefined;
    await sandbox.pass(10_000);
    expect(sandbox.deployment().status).toMatchObject({ availableReplicas: 2 });
    expect(sandbox.deployment().status?.conditions?.map(({ type }) => type)).toEqual(["Available", "Progressing"]);
  });

  test("takes in a ReplicaSet that it selects, and lets go one that it no longer selects", async () => {
    await using sandbox = await TestSandbox.with(DEPLOYMENTS, deployment());
    const name = sandbox.replicaSets()[0]?.metadata.name ?? "";
    const withLabel = (app: string) => (set: ReplicaSet) => ({
      ...set,
      metadata: { ...set.metadata, labels: { ...set.metadata.labels, app } },
    });
    await sandbox.change(REPLICA_SETS, name, withLabel("other"));
    await sandbox.settle();
    expect(sandbox.get(REPLICA_SETS, name).metadata.ownerReferences).toEqual([]);
    await sandbox.change(REPLICA_SETS, name, withLabel("web"));
    await sandbox.settle();
    expect(sandbox.get(REPLICA_SETS, name).metadata.ownerReferences).toMatchObject([{ name: "web" }]);
  });

  test("takes another hash when another template has the same", async () => {
    await using sandbox = await TestSandbox.with(DEPLOYMENTS, deployment());
    const [first] = sandbox.replicaSets();
    await using second = await TestSandbox.start();
    await second.create(REPLICA_SETS, {
      ...(first as ReplicaSet),
      metadata: { name: first?.metadata.name ?? "", namespace: "default", labels: {} },
      spec: { ...(first as ReplicaSet).spec, selector: { matchLabels: { app: "other" } }, replicas: 0 },
    });
    await second.create(DEPLOYMENTS, deployment());
    await second.pass(1000);
    expect(second.deployment().status).toMatchObject({ collisionCount: 1, availableReplicas: 1 });
    expect(second.replicaSets()).toHaveLength(2);
  });

  test("goes on where it was when the sandbox is started anew", async () => {
    const first = await TestSandbox.start({ options: { readinessDelayMs: 60_000 } });
    await first.create(DEPLOYMENTS, deployment({ replicas: 4 }));
    await first.settle();
    expect(first.deployment().status).not.toHaveProperty("readyReplicas");
    await first[Symbol.asyncDispose]();
    await using second = await TestSandbox.start({ options: { readinessDelayMs: 60_000 } }, first.cluster);
    await second.pass(90_000);
    expect(second.deployment().status).toMatchObject({ availableReplicas: 4 });
  });
});
