import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { isRolledOut, podTrouble } from "./installedManager.ts";

const deployment = (status: object | undefined, generation = 2): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "meridian-manager", generation },
  spec: { replicas: 2 },
  ...(status === undefined ? {} : { status }),
});
const pod = (status: object): KubeObject => ({ apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, status });

describe("managers are ready", () => {
  const all = { observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 2 };
  test.each([
    { name: "not before there is a Deployment", object: undefined, want: false },
    { name: "not before the controller has looked", object: deployment(undefined), want: false },
    { name: "not by the status of an earlier image", object: deployment(all, 3), want: false },
    { name: "not while an old pod is left", object: deployment({ ...all, replicas: 3 }), want: false },
    {
      name: "not while one of them is not available",
      object: deployment({ ...all, availableReplicas: 1 }),
      want: false,
    },
    { name: "when all of them are available", object: deployment(all), want: true },
  ])("$name", ({ object, want }) => expect(isRolledOut(object)).toBe(want));
});

describe("what a pod waits for", () => {
  test.each([
    { name: "nothing, when it is well", status: { containerStatuses: [{ state: { running: {} } }] }, want: undefined },
    {
      name: "nothing worth a word while it is made",
      status: { containerStatuses: [{ state: { waiting: { reason: "ContainerCreating" } } }] },
      want: undefined,
    },
    {
      name: "an image that cannot be pulled",
      status: { containerStatuses: [{ state: { waiting: { reason: "ImagePullBackOff", message: "no such\ntag" } } }] },
      want: "pod p: ImagePullBackOff no such tag",
    },
    {
      name: "a program that ends",
      status: {
        containerStatuses: [
          { state: { waiting: { reason: "CrashLoopBackOff" } }, lastState: { terminated: { exitCode: 2 } } },
        ],
      },
      want: "pod p: CrashLoopBackOff (it ended with exit code 2)",
    },
    {
      name: "a node with room",
      status: {
        conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "no memory" }],
      },
      want: "pod p: Unschedulable no memory",
    },
  ])("$name", ({ status, want }) => expect(podTrouble(pod(status))).toBe(want));
});
