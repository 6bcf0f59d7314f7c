import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { memberKindOf } from "../registry.ts";

interface Case {
  name: string;
  kind?: string;
  spec?: object;
  status?: object | undefined;
  metadata?: object;
  want: object;
}

function check(group: string, kind: string, { spec, status, metadata }: Case): object {
  const object = {
    apiVersion: `${group}/v1`,
    kind,
    metadata: { name: "x", generation: 2, ...metadata },
    spec,
    status,
  } as unknown;
  return memberKindOf(group, kind).health(object as KubeObject);
}

const settled = { observedGeneration: 2, replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3 };
const condition = (type: string, status: string, reason = "", message = "", more = {}): object => ({
  type,
  status,
  reason,
  message,
  ...more,
});

describe("Deployment", () => {
  test.each<Case>([
    {
      name: "without a report it is not healthy",
      status: undefined,
      want: { state: "Progressing", reason: "RolloutPending" },
    },
    {
      name: "an older generation's report does not count",
      status: { ...settled, observedGeneration: 1 },
      want: { state: "Progressing", reason: "RolloutPending" },
    },
    {
      name: "settled",
      status: settled,
      want: { state: "Available", replicas: { desired: 3, updated: 3, ready: 3, available: 3 } },
    },
    {
      name: "no replicas asked for and none there is settled",
      spec: { replicas: 0 },
      status: { observedGeneration: 2 },
      want: { state: "Available", replicas: { desired: 0, updated: 0, ready: 0, available: 0 } },
    },
    {
      name: "one by default",
      spec: {},
      status: { observedGeneration: 2, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 },
      want: { state: "Available" },
    },
    {
      name: "not all updated",
      status: { ...settled, updatedReplicas: 1 },
      want: { state: "Progressing", reason: "RollingOut", message: "1 of 3 replicas updated" },
    },
    {
      name: "old replicas left",
      status: { ...settled, replicas: 4 },
      want: { state: "Progressing", reason: "RollingOut", message: "1 old replica is still there" },
    },
    {
      name: "scaling down",
      spec: { replicas: 1 },
      status: settled,
      want: { state: "Progressing", reason: "RollingOut", message: "3 replicas are there, 1 asked for" },
    },
    {
      name: "not all ready",
      status: { ...settled, readyReplicas: 2, availableReplicas: 2 },
      want: { state: "Progressing", reason: "PodsNotReady", message: "2 of 3 replicas ready" },
    },
    {
      name: "ready, not yet available",
      status: { ...settled, availableReplicas: 2 },
      want: { state: "Progressing", reason: "PodsNotReady", message: "2 of 3 replicas available" },
    },
    {
      name: "a rollout that timed out with nothing running",
      status: {
        observedGeneration: 2,
        conditions: [condition("Progressing", "False", "ProgressDeadlineExceeded", "timed out")],
      },
      want: { state: "Failed", reason: "ProgressDeadlineExceeded", message: "timed out" },
    },
    {
      name: "a rollout that timed out while the old pods serve",
      status: {
        ...settled,
        updatedReplicas: 1,
        conditions: [condition("Progressing", "False", "ProgressDeadlineExceeded", "timed out")],
      },
      want: { state: "Degraded", reason: "ProgressDeadlineExceeded" },
    },
    {
      name: "no room in the quota",
      status: {
        observedGeneration: 2,
        conditions: [condition("ReplicaFailure", "True", "FailedCreate", 'pods "x" is forbidden: exceeded quota: q')],
      },
      want: { state: "Failed", reason: "QuotaExceeded", message: "exceeded quota: q" },
    },
    {
      name: "pods refused for another reason",
      status: {
        ...settled,
        replicas: 2,
        updatedReplicas: 2,
        readyReplicas: 2,
        availableReplicas: 2,
        conditions: [condition("ReplicaFailure", "True", "FailedCreate", "denied")],
      },
      want: { state: "Degraded", reason: "ReplicaFailure", message: "denied" },
    },
    {
      name: "a failure that is over does not count once all are there",
      status: { ...settled, conditions: [condition("ReplicaFailure", "True", "FailedCreate", "denied")] },
      want: { state: "Available" },
    },
    {
      name: "paused",
      spec: { replicas: 3, paused: true },
      status: { ...settled, updatedReplicas: 0 },
      want: { state: "Progressing", reason: "DeploymentPaused" },
    },
    {
      name: "several old replicas left",
      status: { ...settled, replicas: 5 },
      want: { state: "Progressing", reason: "RollingOut", message: "2 old replicas are still there" },
    },
    {
      name: "paused once all are updated is no reason",
      spec: { replicas: 3, paused: true },
      status: { ...settled, readyReplicas: 1 },
      want: { state: "Progressing", reason: "PodsNotReady" },
    },
    {
      name: "a paused rollout says how far it came",
      spec: { replicas: 3, paused: true },
      status: { ...settled, updatedReplicas: 2 },
      want: { reason: "DeploymentPaused", message: "2 of 3 replicas updated" },
    },
    {
      name: "one replica is one",
      spec: { replicas: 1 },
      status: { observedGeneration: 2, replicas: 1, updatedReplicas: 1 },
      want: { message: "0 of 1 replica ready" },
    },
    {
      name: "a rollout that stopped for another reason goes on",
      status: { ...settled, updatedReplicas: 1, conditions: [condition("Progressing", "False", "Unknown")] },
      want: { state: "Progressing", reason: "RollingOut" },
    },
    {
      name: "on its way out",
      metadata: { deletionTimestamp: "2026-11-21T13:00:00Z" },
      status: settled,
      want: {
        state: "Progressing",
        reason: "Terminating",
        replicas: { desired: 3, updated: 3, ready: 3, available: 3 },
      },
    },
  ])("$name", (c) => expect(check("apps", "Deployment", { spec: { replicas: 3 }, ...c })).toMatchObject(c.want));

  describe("serves while it is not all that was asked for", () => {
    const enough = condition("Available", "True", "MinimumReplicasAvailable");
    const few = condition("Available", "False", "MinimumReplicasUnavailable");
    test.each<Case & { serves: "Now" | "Before" | undefined }>([
      {
        name: "in a rolling update, as its controller says",
        status: { ...settled, updatedReplicas: 1, availableReplicas: 2, conditions: [enough] },
        want: { state: "Progressing" },
        serves: "Now",
      },
      {
        name: "not with fewer pods than its controller asks for",
        status: { ...settled, updatedReplicas: 1, availableReplicas: 2, conditions: [few] },
        want: { state: "Progressing" },
        serves: undefined,
      },
      {
        name: "not with no pod at all, whatever its controller says",
        status: { ...settled, readyReplicas: 0, availableReplicas: 0, conditions: [enough] },
        want: { state: "Progressing" },
        serves: undefined,
      },
      {
        name: "by the generation before, when its controller has not seen the present one",
        status: { ...settled, observedGeneration: 1, conditions: [enough] },
        want: { state: "Progressing", reason: "RolloutPending" },
        serves: "Before",
      },
      {
        name: "by its numbers, where its controller has no such condition",
        status: { ...settled, updatedReplicas: 1 },
        want: { state: "Progressing" },
        serves: "Now",
      },
      {
        name: "after a rollout that timed out, with the old pods",
        status: {
          ...settled,
          updatedReplicas: 1,
          conditions: [enough, condition("Progressing", "False", "ProgressDeadlineExceeded", "timed out")],
        },
        want: { state: "Degraded" },
        serves: "Now",
      },
      {
        name: "is not asked of one that is Available",
        status: { ...settled, conditions: [enough] },
        want: { state: "Available" },
        serves: undefined,
      },
      {
        name: "not on its way out",
        metadata: { deletionTimestamp: "2026-11-21T13:00:00Z" },
        status: { ...settled, conditions: [enough] },
        want: { reason: "Terminating" },
        serves: undefined,
      },
    ])("$name", ({ serves, ...c }) => {
      const found = check("apps", "Deployment", { spec: { replicas: 3 }, ...c }) as { serves?: string };
      expect(found).toMatchObject(c.want);
      expect(found.serves).toBe(serves);
    });

    test.each([
      ["StatefulSet", { ...settled, updatedReplicas: 1 }, "Now"],
      ["StatefulSet", { ...settled, updatedReplicas: 1, availableReplicas: 2 }, undefined],
      ["StatefulSet", { ...settled, observedGeneration: 1 }, "Before"],
      [
        "DaemonSet",
        {
          observedGeneration: 2,
          desiredNumberScheduled: 2,
          updatedNumberScheduled: 1,
          numberReady: 2,
          numberAvailable: 2,
        },
        "Now",
      ],
      [
        "DaemonSet",
        {
          observedGeneration: 1,
          desiredNumberScheduled: 2,
          updatedNumberScheduled: 2,
          numberReady: 2,
          numberAvailable: 2,
        },
        "Before",
      ],
    ])("a %s by its numbers", (kind, status, serves) => {
      expect(check("apps", kind, { name: "", spec: { replicas: 3 }, status, want: {} })).toHaveProperty(
        "state",
        "Progressing",
      );
      expect(
        (check("apps", kind, { name: "", spec: { replicas: 3 }, status, want: {} }) as { serves?: string }).serves,
      ).toBe(serves);
    });
  });

  test("a long message is cut to what a status may hold", () => {
    const status = {
      observedGeneration: 2,
      conditions: [condition("ReplicaFailure", "True", "FailedCreate", `exceeded quota\n${"x".repeat(300)}`)],
    };
    const { message } = check("apps", "Deployment", { name: "", status, want: {} }) as { message: string };
    expect(message.length).toBeLessThanOrEqual(120);
    expect(message).not.toContain("\n");
  });
});

describe("other kinds", () => {
  test.each<Case & { group?: string; kind: string }>([
    {
      name: "a StatefulSet that rolls",
      group: "apps",
      kind: "StatefulSet",
      spec: { replicas: 3 },
      status: { ...settled, updatedReplicas: 1 },
      want: { state: "Progressing", reason: "RollingOut" },
    },
    {
      name: "a StatefulSet with a partition updates no more than it should",
      group: "apps",
      kind: "StatefulSet",
      spec: { replicas: 3, updateStrategy: { rollingUpdate: { partition: 2 } } },
      status: { ...settled, updatedReplicas: 1 },
      want: { state: "Available" },
    },
    {
      name: "a StatefulSet whose pods people replace",
      group: "apps",
      kind: "StatefulSet",
      spec: { replicas: 3, updateStrategy: { type: "OnDelete" } },
      status: { ...settled, updatedReplicas: 0 },
      want: { state: "Available" },
    },
    {
      name: "a StatefulSet says how many of those to be updated are",
      group: "apps",
      kind: "StatefulSet",
      spec: { replicas: 3, updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } } },
      status: { ...settled, updatedReplicas: 1 },
      want: {
        state: "Progressing",
        message: "1 of 2 replicas updated",
        replicas: { desired: 3, updated: 1, ready: 3, available: 3 },
      },
    },
    {
      name: "a DaemonSet that rolls",
      group: "apps",
      kind: "DaemonSet",
      status: { observedGeneration: 2, desiredNumberScheduled: 2, updatedNumberScheduled: 1, numberReady: 2 },
      want: { state: "Progressing", reason: "RollingOut", message: "1 of 2 replicas updated" },
    },
    {
      name: "a DaemonSet whose pods people replace",
      group: "apps",
      kind: "DaemonSet",
      spec: { updateStrategy: { type: "OnDelete" } },
      status: { observedGeneration: 2, desiredNumberScheduled: 2, numberReady: 2, numberAvailable: 2 },
      want: { state: "Available", replicas: { desired: 2, updated: 0, ready: 2, available: 2 } },
    },
    {
      name: "a DaemonSet without a report",
      group: "apps",
      kind: "DaemonSet",
      status: {},
      want: { reason: "RolloutPending", replicas: { desired: 0, updated: 0, ready: 0, available: 0 } },
    },
    {
      name: "a Job that will fail",
      group: "batch",
      kind: "Job",
      status: { conditions: [condition("FailureTarget", "True")] },
      want: { state: "Failed", reason: "JobFailed" },
    },
    {
      name: "a Job whose conditions are not True",
      group: "batch",
      kind: "Job",
      status: {
        startTime: "x",
        active: 2,
        succeeded: 1,
        conditions: [condition("Complete", "False"), condition("Failed", "False")],
      },
      want: { state: "Progressing", reason: "JobRunning", message: "2 active, 1 succeeded" },
    },
    {
      name: "a Job that is held back",
      group: "batch",
      kind: "Job",
      spec: { suspend: true },
      status: {},
      want: { state: "Progressing", reason: "JobSuspended", message: "the job is suspended" },
    },
    {
      name: "a StatefulSet without a report",
      group: "apps",
      kind: "StatefulSet",
      status: {},
      want: { state: "Progressing", reason: "RolloutPending" },
    },
    {
      name: "a settled DaemonSet",
      group: "apps",
      kind: "DaemonSet",
      status: {
        observedGeneration: 2,
        desiredNumberScheduled: 2,
        updatedNumberScheduled: 2,
        numberReady: 2,
        numberAvailable: 2,
      },
      want: { state: "Available", replicas: { desired: 2, updated: 2, ready: 2, available: 2 } },
    },
    {
      name: "a DaemonSet with a pod missing",
      group: "apps",
      kind: "DaemonSet",
      status: { observedGeneration: 2, desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberReady: 1 },
      want: { state: "Progressing", reason: "PodsNotReady" },
    },
    {
      name: "a complete Job",
      group: "batch",
      kind: "Job",
      status: { conditions: [condition("Complete", "True")] },
      want: { state: "Available" },
    },
    {
      name: "a failed Job",
      group: "batch",
      kind: "Job",
      status: { conditions: [condition("Failed", "True", "BackoffLimitExceeded", "gave up")] },
      want: { state: "Failed", reason: "BackoffLimitExceeded" },
    },
    {
      name: "a Job that runs",
      group: "batch",
      kind: "Job",
      status: { startTime: "x", active: 1 },
      want: { state: "Progressing", reason: "JobRunning" },
    },
    {
      name: "a Job that nobody has seen",
      group: "batch",
      kind: "Job",
      status: {},
      want: { state: "Progressing", reason: "RolloutPending", message: "its controller has not started it yet" },
    },
    { name: "a Service", group: "", kind: "Service", spec: { type: "NodePort" }, want: { state: "Available" } },
    {
      name: "a load balancer without an address",
      group: "",
      kind: "Service",
      spec: { type: "LoadBalancer" },
      status: { loadBalancer: {} },
      want: {
        state: "Progressing",
        reason: "LoadBalancerPending",
        message: "the cluster has not given it an address yet",
      },
    },
    {
      name: "a load balancer whose address was taken away",
      group: "",
      kind: "Service",
      spec: { type: "LoadBalancer" },
      status: { loadBalancer: { ingress: [] } },
      want: { state: "Progressing", reason: "LoadBalancerPending" },
    },
    {
      name: "a namespace in use",
      group: "",
      kind: "Namespace",
      status: { phase: "Active" },
      want: { state: "Available" },
    },
    {
      name: "a load balancer with one",
      group: "",
      kind: "Service",
      spec: { type: "LoadBalancer" },
      status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } },
      want: { state: "Available" },
    },
    {
      name: "a namespace that goes away",
      group: "",
      kind: "Namespace",
      status: { phase: "Terminating" },
      want: { state: "Degraded", reason: "NamespaceTerminating", message: "the namespace is being deleted" },
    },
    {
      name: "a namespace without a report",
      group: "",
      kind: "Namespace",
      want: { state: "Progressing", reason: "NoReport", message: "the cluster has not reported on it yet" },
    },
    { name: "a ConfigMap", group: "", kind: "ConfigMap", want: { state: "Available" } },
    { name: "a role", group: "rbac.authorization.k8s.io", kind: "Role", want: { state: "Available" } },
    { name: "an unknown kind without a report", kind: "Widget", want: { state: "Unknown", reason: "NoReport" } },
    {
      name: "an unknown kind whose status says nothing of health",
      kind: "Widget",
      status: { count: 1 },
      want: { state: "Unknown", reason: "NoReport" },
    },
    {
      name: "an unknown kind that is behind",
      kind: "Widget",
      status: { observedGeneration: 1, conditions: [condition("Ready", "True")] },
      want: { state: "Progressing", reason: "RolloutPending" },
    },
    {
      name: "a condition of an older generation",
      kind: "Widget",
      status: { conditions: [condition("Ready", "True", "", "", { observedGeneration: 1 })] },
      want: { state: "Progressing", reason: "RolloutPending" },
    },
    {
      name: "Ready",
      kind: "Widget",
      status: { conditions: [condition("Ready", "True")] },
      want: { state: "Available" },
    },
    {
      name: "not Ready",
      kind: "Widget",
      status: { conditions: [condition("Ready", "False", "no-disk", "full")] },
      want: { state: "Progressing", reason: "Nodisk", message: "full" },
    },
    {
      name: "one of several not True",
      kind: "Widget",
      status: { conditions: [condition("Synced", "True"), condition("Ready", "Unknown")] },
      want: { state: "Progressing", reason: "NotReady" },
    },
    {
      name: "Failed wins",
      kind: "Widget",
      status: { conditions: [condition("Ready", "True"), condition("Failed", "True", "Broken", "x")] },
      want: { state: "Failed", reason: "Broken" },
    },
    {
      name: "a generation dealt with, without complaint",
      kind: "Widget",
      status: { observedGeneration: 2 },
      want: { state: "Available" },
    },
  ])("$name", (c) => expect(check(c.group ?? "example.com", c.kind, c)).toMatchObject(c.want));
});
