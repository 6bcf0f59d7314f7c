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
    ["not before there is a Deployment", undefined, false],
    ["not before the controller has looked", deployment(undefined), false],
    ["not by the status of an earlier image", deployment(all, 3), false],
    ["not while an old pod is left", deployment({ ...all, replicas: 3 }), false],
    ["not while one of them is not available", deployment({ ...all, availableReplicas: 1 }), false],
    ["when all of them are available", deployment(all), true],
  ])("%s", (_, object, want) => expect(isRolledOut(object)).toBe(want));
});

describe("what a pod waits for", () => {
  const container = (state: object, lastState?: object) => ({ containerStatuses: [{ state, lastState }] });
  const waiting = (reason: string, message?: string) => ({ waiting: { reason, message } });
  const unscheduled = { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "no memory" };
  const crashed = container(waiting("CrashLoopBackOff"), { terminated: { exitCode: 2 } });
  const unpulled = container(waiting("ImagePullBackOff", "no such\ntag"));

  test.each([
    ["nothing, when it is well", container({ running: {} }), undefined],
    ["nothing worth a word while it is made", container(waiting("ContainerCreating")), undefined],
    ["an image that cannot be pulled", unpulled, "pod p: ImagePullBackOff no such tag"],
    ["a program that ends", crashed, "pod p: CrashLoopBackOff (it ended with exit code 2)"],
    ["a node with room", { conditions: [unscheduled] }, "pod p: Unschedulable no memory"],
  ])("%s", (_, status, want) => expect(podTrouble(pod(status))).toBe(want));
});
