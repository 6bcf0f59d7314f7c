import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { isSameTrouble, mayBeForPods, podSelectorOf, podTrouble } from "./pods.ts";

const SHOP = { kind: "Deployment", name: "shop" };

interface PodParts {
  owner?: { kind: string; name: string };
  ready?: boolean;
  deleting?: boolean;
  unschedulable?: string;
  containers?: object[];
  initContainers?: object[];
}

function pod(parts: PodParts): KubeObject {
  const { owner = { kind: "ReplicaSet", name: "shop-7d9" }, ready = false, deleting = false, unschedulable } = parts;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "shop-7d9-x",
      ...(deleting ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
      ownerReferences: [{ apiVersion: "apps/v1", uid: "u", controller: true, ...owner }],
    },
    status: {
      conditions: [
        { type: "Ready", status: ready ? "True" : "False" },
        unschedulable === undefined
          ? { type: "PodScheduled", status: "True" }
          : { type: "PodScheduled", status: "False", reason: "Unschedulable", message: unschedulable },
      ],
      containerStatuses: parts.containers ?? [],
      initContainerStatuses: parts.initContainers ?? [],
    },
  };
}

const waiting = (reason: string, message?: string, more: object = {}): object => ({
  name: "web",
  ready: false,
  restartCount: 0,
  state: { waiting: { reason, message } },
  ...more,
});
const ended = (exitCode: number, reason = "Error"): object => ({ terminated: { exitCode, reason } });

describe("what pods say about a workload that is not healthy", () => {
  test.each<{ name: string; pods: KubeObject[]; want: object | undefined }>([
    { name: "no pod says nothing", pods: [], want: undefined },
    {
      name: "a container that is being made is on its way",
      pods: [pod({ containers: [waiting("ContainerCreating")] })],
      want: undefined,
    },
    {
      name: "an image that cannot be pulled, in the words of the kubelet",
      pods: [pod({ containers: [waiting("ErrImagePull", "web:9 not found")] })],
      want: { reason: "ImagePullBackOff", message: "container web: web:9 not found" },
    },
    {
      name: "a name that is no image's",
      pods: [pod({ containers: [waiting("InvalidImageName")] })],
      want: { reason: "InvalidImageName", message: "container web: InvalidImageName" },
    },
    {
      name: "a container that crashes, with how it ended",
      pods: [
        pod({
          containers: [
            waiting("CrashLoopBackOff", "back-off 40s", { restartCount: 4, lastState: ended(137, "OOMKilled") }),
          ],
        }),
      ],
      want: { reason: "CrashLoopBackOff", message: "container web: exit code 137 (OOMKilled), again and again" },
    },
    {
      name: "a container that crashes, and nobody knows how",
      pods: [pod({ containers: [waiting("CrashLoopBackOff", "back-off 40s")] })],
      want: { reason: "CrashLoopBackOff", message: "container web: it ends again and again" },
    },
    {
      name: "a container that crashes, in the moment in which it runs",
      pods: [
        pod({
          containers: [{ name: "web", ready: false, restartCount: 2, state: { running: {} }, lastState: ended(1) }],
        }),
      ],
      want: { reason: "CrashLoopBackOff", message: "container web: exit code 1, again and again" },
    },
    {
      name: "a first restart is no loop yet",
      pods: [
        pod({
          containers: [{ name: "web", ready: false, restartCount: 1, state: { running: {} }, lastState: ended(1) }],
        }),
      ],
      want: undefined,
    },
    {
      name: "an init container comes first",
      pods: [
        pod({
          initContainers: [waiting("CreateContainerConfigError", 'secret "keys" not found')],
          containers: [waiting("PodInitializing")],
        }),
      ],
      want: { reason: "CreateContainerConfigError", message: 'container web: secret "keys" not found' },
    },
    {
      name: "a pod that no node takes",
      pods: [pod({ unschedulable: "0/3 nodes are available: 3 Insufficient cpu." })],
      want: { reason: "Unschedulable", message: "pods: 0/3 nodes are available: 3 Insufficient cpu." },
    },
    {
      name: "what keeps a container from running says more than what keeps another pod from a node",
      pods: [pod({ unschedulable: "full" }), pod({ containers: [waiting("ImagePullBackOff", "no")] })],
      want: { reason: "ImagePullBackOff", message: "container web: no" },
    },
    {
      name: "a pod that is ready, or on its way out, or another's, counts for nothing",
      pods: [
        pod({ ready: true, containers: [waiting("ImagePullBackOff", "no")] }),
        pod({ deleting: true, containers: [waiting("ImagePullBackOff", "no")] }),
        pod({ owner: { kind: "ReplicaSet", name: "shopping-1" }, containers: [waiting("ImagePullBackOff", "no")] }),
        pod({ owner: { kind: "Job", name: "shop-1" }, containers: [waiting("ImagePullBackOff", "no")] }),
      ],
      want: undefined,
    },
    {
      name: "a reason that is no code becomes one",
      pods: [pod({ containers: [waiting("no-luck today", "x")] })],
      want: { reason: "Nolucktoday", message: "container web: x" },
    },
    {
      name: "a status that makes no sense says nothing",
      pods: [{ ...pod({}), status: { conditions: "none", containerStatuses: [null, 3, { state: "waiting" }] } }],
      want: undefined,
    },
  ])("$name", ({ pods, want }) => expect(podTrouble(SHOP, pods)).toEqual(want));

  test("a StatefulSet owns its pods itself", () => {
    const web = pod({ owner: { kind: "StatefulSet", name: "shop" }, containers: [waiting("ImagePullBackOff", "no")] });
    expect(podTrouble({ kind: "StatefulSet", name: "shop" }, [web])?.reason).toBe("ImagePullBackOff");
    expect(podTrouble(SHOP, [web])).toBeUndefined();
  });
});

test("the same trouble in other words is the same", () => {
  const pull = { reason: "ImagePullBackOff", message: "container web: not found" };
  expect(isSameTrouble(pull, { ...pull, message: "container web: Back-off pulling" })).toBe(true);
  expect(isSameTrouble(pull, { ...pull, message: "container sidecar: not found" })).toBe(false);
  expect(isSameTrouble(pull, { ...pull, reason: "CrashLoopBackOff" })).toBe(false);
  expect(isSameTrouble(pull, undefined)).toBe(false);
  expect(isSameTrouble(undefined, undefined)).toBe(true);
});

describe("the selector of a workload's pods", () => {
  const workload = (selector: unknown, kind = "Deployment"): KubeObject => ({
    apiVersion: "apps/v1",
    kind,
    metadata: { name: "shop" },
    spec: { selector },
  });
  test.each<[unknown, string | undefined]>([
    [{ matchLabels: { app: "shop", tier: "web" } }, "app=shop,tier=web"],
    [{ matchExpressions: [{ key: "app", operator: "In", values: ["a", "b"] }] }, "app in (a,b)"],
    [
      {
        matchExpressions: [
          { key: "app", operator: "NotIn", values: ["a"] },
          { key: "x", operator: "Exists" },
        ],
      },
      "app notin (a),x",
    ],
    [{ matchExpressions: [{ key: "x", operator: "DoesNotExist" }] }, "!x"],
    [{ matchExpressions: [{ key: "x", operator: "Like" }] }, undefined],
    [{ matchExpressions: [{ operator: "Exists" }] }, undefined],
    [{}, undefined],
    [undefined, undefined],
  ])("%j is %j", (selector, want) => expect(podSelectorOf(workload(selector))).toBe(want));

  test("a kind without pods has none", () => {
    expect(
      podSelectorOf({ ...workload({ matchLabels: { app: "shop" } }), apiVersion: "v1", kind: "Service" }),
    ).toBeUndefined();
  });
});

test.each([
  ["PodsNotReady", true],
  ["ProgressDeadlineExceeded", true],
  ["QuotaExceeded", false],
  [undefined, false],
])("what a workload says of itself as %s may be for its pods to say better: %s", (reason, want) =>
  expect(mayBeForPods(reason)).toBe(want),
);
