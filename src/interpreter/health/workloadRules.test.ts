import { describe, expect, test } from "vitest";
import { condition, judge } from "./testing.ts";

const counted = (desired: number, updated: number, ready: number, available: number): object => ({
  desired,
  updated,
  ready,
  available,
});
const settled = { observedGeneration: 2, replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3 };
const PENDING = {
  state: "Progressing",
  reason: "RolloutPending",
  message: "its controller has not seen the present generation yet",
};
const rolling = (message: string): object => ({ state: "Progressing", reason: "RollingOut", message });
const notReady = (message: string): object => ({ state: "Progressing", reason: "PodsNotReady", message });

interface Case {
  name: string;
  spec?: object;
  status?: object;
  want: object;
}

function whole(kind: string, list: readonly Case[]): void {
  describe(kind, () => {
    test.each(list)("$name", ({ spec, status, want }) => {
      expect(
        judge(kind, { spec: { replicas: 3, ...spec }, ...(status === undefined ? {} : { status }) }),
      ).toStrictEqual(want);
    });
  });
}

whole("apps/v1 Deployment", [
  { name: "nobody has seen", want: { ...PENDING, replicas: counted(3, 0, 0, 0) } },
  {
    name: "serves as before while nobody has seen the change",
    status: { ...settled, observedGeneration: 1 },
    want: { ...PENDING, replicas: counted(3, 3, 3, 3), serves: "Before" },
  },
  {
    name: "has more pods than it is to have, and one of them is too many",
    spec: { replicas: 0 },
    status: { observedGeneration: 2, replicas: 1, updatedReplicas: 1 },
    want: { ...rolling("1 replica is there, 0 asked for"), replicas: counted(0, 1, 0, 0) },
  },
  {
    name: "is paused, and no pod is missing of those that are updated",
    spec: { paused: true },
    status: { ...settled, availableReplicas: 2 },
    want: { ...notReady("2 of 3 replicas available"), replicas: counted(3, 3, 3, 2) },
  },
  {
    name: "is not paused by anything but a yes",
    spec: { paused: "true" },
    status: { ...settled, updatedReplicas: 2 },
    want: { ...rolling("2 of 3 replicas updated"), replicas: counted(3, 2, 3, 3), serves: "Before" },
  },
  {
    name: "came to its deadline once, and goes on",
    status: {
      ...settled,
      updatedReplicas: 2,
      conditions: [condition("Progressing", "True", "ProgressDeadlineExceeded", "timed out")],
    },
    want: { ...rolling("2 of 3 replicas updated"), replicas: counted(3, 2, 3, 3), serves: "Before" },
  },
  {
    name: "has no failure of replicas where the condition is False",
    status: { ...settled, readyReplicas: 2, conditions: [condition("ReplicaFailure", "False", "x", "denied")] },
    want: { ...notReady("2 of 3 replicas ready"), replicas: counted(3, 3, 2, 3), serves: "Now" },
  },
]);

whole("apps/v1 StatefulSet", [
  { name: "nobody has seen", want: { ...PENDING, replicas: counted(3, 0, 0, 0) } },
  {
    name: "waits for people to replace more pods than it has",
    spec: { updateStrategy: { type: "OnDelete" } },
    status: { ...settled, updatedReplicas: 0, readyReplicas: 2 },
    want: { ...notReady("2 of 3 replicas ready"), replicas: counted(3, 0, 2, 3), serves: "Now" },
  },
  {
    name: "keeps all of its pods by a partition above them",
    spec: { updateStrategy: { rollingUpdate: { partition: 5 } } },
    status: { ...settled, updatedReplicas: 0 },
    want: { state: "Available", replicas: counted(3, 0, 3, 3) },
  },
  {
    name: "has updated as many as it is to",
    spec: { updateStrategy: { rollingUpdate: { partition: 1 } } },
    status: { ...settled, updatedReplicas: 2, availableReplicas: 2 },
    want: { ...notReady("2 of 3 replicas available"), replicas: counted(3, 2, 3, 2) },
  },
  {
    name: "scales up",
    status: { ...settled, replicas: 2 },
    want: { ...rolling("2 of 3 replicas updated"), replicas: counted(3, 3, 3, 3), serves: "Now" },
  },
  {
    name: "scales down",
    status: { ...settled, replicas: 4, updatedReplicas: 4 },
    want: { ...rolling("4 replicas are there, 3 asked for"), replicas: counted(3, 4, 3, 3), serves: "Now" },
  },
]);

whole("apps/v1 DaemonSet", [
  { name: "nobody has seen", want: { ...PENDING, replicas: counted(0, 0, 0, 0) } },
  {
    name: "waits for people to replace its pods, one of which is not ready",
    spec: { updateStrategy: { type: "OnDelete" } },
    status: { observedGeneration: 2, desiredNumberScheduled: 2, numberReady: 1, numberAvailable: 1 },
    want: { ...notReady("1 of 2 replicas ready"), replicas: counted(2, 0, 1, 1) },
  },
  {
    name: "has more updated pods than nodes",
    status: {
      observedGeneration: 2,
      desiredNumberScheduled: 1,
      updatedNumberScheduled: 2,
      numberReady: 1,
      numberAvailable: 1,
    },
    want: { ...rolling("2 replicas are there, 1 asked for"), replicas: counted(1, 2, 1, 1), serves: "Now" },
  },
  {
    name: "has no node to run on",
    status: { observedGeneration: 2 },
    want: { state: "Available", replicas: counted(0, 0, 0, 0) },
  },
]);

for (const kind of ["apps/v1 ReplicaSet", "v1 ReplicationController"]) {
  const FAILURE = [condition("ReplicaFailure", "True", "FailedCreate", "denied")];
  whole(kind, [
    { name: "nobody has seen", want: { ...PENDING, replicas: counted(3, 0, 0, 0) } },
    {
      name: "serves as before while nobody has seen the change",
      status: { ...settled, observedGeneration: 1 },
      want: { ...PENDING, replicas: counted(3, 3, 3, 3), serves: "Before" },
    },
    {
      name: "has all of its pods",
      status: { ...settled, updatedReplicas: 0 },
      want: { state: "Available", replicas: counted(3, 3, 3, 3) },
    },
    {
      name: "has pods of an earlier template, which it keeps",
      status: { ...settled, fullyLabeledReplicas: 1 },
      want: { state: "Available", replicas: counted(3, 1, 3, 3) },
    },
    {
      name: "is to have more",
      status: { ...settled, replicas: 2, readyReplicas: 2, availableReplicas: 2 },
      want: { ...rolling("2 of 3 replicas updated"), replicas: counted(3, 2, 2, 2) },
    },
    {
      name: "may have no more",
      status: { observedGeneration: 2, conditions: FAILURE },
      want: { state: "Failed", reason: "ReplicaFailure", message: "denied", replicas: counted(3, 0, 0, 0) },
    },
    {
      name: "may have no more, and some serve",
      status: { observedGeneration: 2, replicas: 1, readyReplicas: 1, availableReplicas: 1, conditions: FAILURE },
      want: { state: "Degraded", reason: "ReplicaFailure", message: "denied", replicas: counted(3, 1, 1, 1) },
    },
    {
      name: "may have no more pods, and has enough that serve",
      status: { ...settled, replicas: 4, conditions: FAILURE },
      want: {
        state: "Degraded",
        reason: "ReplicaFailure",
        message: "denied",
        replicas: counted(3, 4, 3, 3),
        serves: "Now",
      },
    },
    {
      name: "had a failure, and has all of its pods now",
      status: { ...settled, conditions: FAILURE },
      want: { state: "Available", replicas: counted(3, 3, 3, 3) },
    },
    {
      name: "had a failure that is over, and waits for a pod",
      status: { ...settled, readyReplicas: 2, conditions: [condition("ReplicaFailure", "False", "x", "denied")] },
      want: { ...notReady("2 of 3 replicas ready"), replicas: counted(3, 3, 2, 3), serves: "Now" },
    },
  ]);
}
