import { describe, expect, test } from "vitest";
import { type Case, check, condition, settled } from "../testing/workloadHealth.ts";

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
        name: "as before in a rolling update, as its controller says",
        status: { ...settled, updatedReplicas: 1, availableReplicas: 2, conditions: [enough] },
        want: { state: "Progressing" },
        serves: "Before",
      },
      {
        name: "as before while an old pod stands in for the one new pod there is to be",
        status: { ...settled, replicas: 4, availableReplicas: 2, conditions: [enough] },
        want: { state: "Progressing", message: "1 old replica is still there" },
        serves: "Before",
      },
      {
        name: "as before where a quota lets no new pod be made",
        status: {
          ...settled,
          updatedReplicas: 0,
          conditions: [enough, condition("ReplicaFailure", "True", "FailedCreate", "exceeded quota: q")],
        },
        want: { state: "Degraded", reason: "QuotaExceeded" },
        serves: "Before",
      },
      {
        name: "with enough new pods and no other",
        status: { ...settled, availableReplicas: 2, conditions: [enough] },
        want: { state: "Progressing", reason: "PodsNotReady" },
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
        serves: "Before",
      },
      {
        name: "after a rollout that timed out, with the old pods",
        status: {
          ...settled,
          updatedReplicas: 1,
          conditions: [enough, condition("Progressing", "False", "ProgressDeadlineExceeded", "timed out")],
        },
        want: { state: "Degraded" },
        serves: "Before",
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
      ["StatefulSet", { ...settled, updatedReplicas: 1 }, "Before"],
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
        "Before",
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
