import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { isLooping, isSameTrouble, mayBeForPods, podSelectorOf, podTrouble, troubleOfPod } from "./pods.ts";

const SHOP = { kind: "Deployment", name: "shop" };
const OWNER = { apiVersion: "apps/v1", uid: "u", kind: "ReplicaSet", name: "shop-7d9", controller: true };
const pod = (status: object, metadata: object = { ownerReferences: [OWNER] }): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "shop-7d9-x", ...metadata },
  status,
});
const running = (...containerStatuses: unknown[]): KubeObject => pod({ containerStatuses });
const scheduled = (more: object): KubeObject =>
  pod({ conditions: [{ type: "PodScheduled", status: "False", ...more }] });
const waiting = (reason: string, message?: string, more: object = {}): object => ({
  name: "web",
  state: { waiting: { reason, message } },
  ...more,
});
const last = (terminated: object): object => ({ lastState: { terminated } });
const looping = (message: string): object => ({ reason: "CrashLoopBackOff", message: `container web: ${message}` });

describe("the trouble of a pod", () => {
  test.each<[name: string, container: unknown, want: object | undefined]>([
    ["nothing while the container is made", waiting("ContainerCreating"), undefined],
    ["nothing of a container that is none", 3, undefined],
    [
      "an image that cannot be pulled, in the words of the kubelet",
      waiting("ErrImagePull", "web:9 not found"),
      { reason: "ImagePullBackOff", message: "container web: web:9 not found" },
    ],
    [
      "a reason that is no code, without a name and a message",
      { state: { waiting: { reason: "no-luck today" } } },
      { reason: "Nolucktoday", message: "container : no-luck today" },
    ],
    [
      "a crash, and how it ended",
      waiting("CrashLoopBackOff", "back-off 40s", last({ exitCode: 137, reason: "OOMKilled" })),
      looping("exit code 137 (OOMKilled), again and again"),
    ],
    ["a crash of which nobody knows anything", waiting("CrashLoopBackOff"), looping("it ends again and again")],
    [
      "a crash by the present state, if there was none before",
      { name: "web", restartCount: 2, state: { terminated: { exitCode: 3 } } },
      looping("exit code 3, again and again"),
    ],
    [
      "a crash by the state before, also while the container runs",
      { name: "web", restartCount: 5, state: { terminated: { exitCode: 3 } }, ...last({ exitCode: 4 }) },
      looping("exit code 4, again and again"),
    ],
    ["no crash at the first restart", { restartCount: 1, ...last({ exitCode: 1 }) }, undefined],
    [
      "no crash when the container is ready",
      { name: "web", ready: true, restartCount: 9, ...last({ exitCode: 1 }) },
      undefined,
    ],
  ])("is %s", (_name, container, want) => expect(troubleOfPod(running(container))).toEqual(want));

  test("is that of the first container, init containers first", () => {
    const first = running(waiting("PodInitializing"), waiting("First"), waiting("Second"));
    expect(troubleOfPod(first)?.reason).toBe("First");
    const both = pod({ containerStatuses: [waiting("Main")], initContainerStatuses: [waiting("Init")] });
    expect(troubleOfPod(both)?.reason).toBe("Init");
  });

  test.each<[name: string, condition: object, want: object | undefined]>([
    ["the scheduler's words", { message: "no room" }, { reason: "Unschedulable", message: "pods: no room" }],
    [
      "the scheduler's reason",
      { reason: "SchedulerError", message: "x" },
      { reason: "SchedulerError", message: "pods: x" },
    ],
    ["none while a gate holds the pod", { reason: "SchedulingGated" }, undefined],
  ])("without a node is %s", (_name, condition, want) => expect(troubleOfPod(scheduled(condition))).toEqual(want));
});

describe("the trouble of a workload", () => {
  const unscheduled = scheduled({ message: "full" });
  const crashing = running(waiting("CrashLoopBackOff"));
  const pulling = running(waiting("ImagePullBackOff"));
  const reason = (...pods: KubeObject[]) => podTrouble(SHOP, pods)?.reason;

  test("is that of the pod that came furthest, the first of these", () => {
    expect(reason(unscheduled, crashing, pulling)).toBe("ImagePullBackOff");
    expect(reason(pulling, crashing, unscheduled)).toBe("ImagePullBackOff");
    expect(reason(unscheduled, crashing)).toBe("CrashLoopBackOff");
    expect(reason(crashing, unscheduled)).toBe("CrashLoopBackOff");
    expect(reason(pod({}), pulling, pod({}))).toBe("ImagePullBackOff");
    expect(reason(running(waiting("One")), running(waiting("Two")))).toBe("One");
    expect(reason()).toBeUndefined();
  });

  test.each<[string, object]>([
    ["without an owner", {}],
    ["of an owner that does not control it", { ownerReferences: [{ ...OWNER, controller: false }] }],
    ["of another kind of owner", { ownerReferences: [{ ...OWNER, kind: "Job" }] }],
    ["of a workload whose name begins alike", { ownerReferences: [{ ...OWNER, name: "shopping-1" }] }],
    ["that is being deleted", { ownerReferences: [OWNER], deletionTimestamp: "2026-01-01T00:00:00Z" }],
  ])("is not that of a pod %s", (_name, metadata) => {
    expect(reason(pod({ containerStatuses: [waiting("Odd")] }, metadata))).toBeUndefined();
  });

  test("is not that of a ready pod", () => {
    const conditions = [{ type: "Ready", status: "True" }];
    expect(reason(pod({ conditions, containerStatuses: [waiting("Odd")] }))).toBeUndefined();
  });

  test.each([
    ["StatefulSet", "shop", "Odd"],
    ["StatefulSet", "shop-1", undefined],
    ["Job", "shop", undefined],
  ])("is, for a StatefulSet, that of its own pods: %s %s", (kind, name, want) => {
    const owned = pod({ containerStatuses: [waiting("Odd")] }, { ownerReferences: [{ ...OWNER, kind, name }] });
    expect(podTrouble({ kind: "StatefulSet", name: "shop" }, [owned])?.reason).toBe(want);
  });
});

test("trouble is the same with other words about the same container", () => {
  const pull = { reason: "ImagePullBackOff", message: "container web: not found" };
  expect(isSameTrouble(pull, { ...pull, message: "container web: Back-off pulling" })).toBe(true);
  expect(isSameTrouble(undefined, undefined)).toBe(true);
  for (const other of [{ ...pull, message: "container sidecar: not found" }, { ...pull, reason: "Odd" }, undefined]) {
    expect(isSameTrouble(pull, other)).toBe(false);
    expect(isSameTrouble(other, pull)).toBe(false);
  }
  expect([isLooping({ reason: "CrashLoopBackOff", message: "" }), isLooping(pull)]).toEqual([true, false]);
});

test.each([
  ["PodsNotReady", true],
  ["ProgressDeadlineExceeded", true],
  ["JobRunning", true],
  ["QuotaExceeded", false],
  [undefined, false],
])("pods may say more than %s: %s", (reason, want) => expect(mayBeForPods(reason)).toBe(want));

describe("the selector of the pods", () => {
  const of = (name: string, selector: unknown = { matchLabels: { app: "shop" } }): string | undefined => {
    const [apiVersion = "", kind = ""] = name.split(" ");
    return podSelectorOf({ apiVersion, kind, metadata: { name: "shop" }, spec: { selector } });
  };

  test("is that of kinds with pods", () => {
    const [workloads, others] = [
      ["apps/v1 Deployment", "apps/v1 ReplicaSet", "apps/v1 StatefulSet", "apps/v1 DaemonSet", "batch/v1 Job"],
      ["batch/v1 CronJob", "example.com/v1 Deployment", "v1 Deployment", "v1 Service"],
    ];
    for (const name of workloads) expect(of(name), name).toBe("app=shop");
    for (const name of others) expect(of(name), name).toBeUndefined();
  });

  test.each<[unknown, string | undefined]>([
    [{ matchLabels: { app: "shop", tier: 1 } }, "app=shop,tier=1"],
    [{ matchExpressions: [{ key: "app", operator: "In", values: ["a", "b"] }] }, "app in (a,b)"],
    [{ matchExpressions: [{ key: "app", operator: "NotIn", values: ["a"] }] }, "app notin (a)"],
    [{ matchLabels: { a: "b" }, matchExpressions: [{ key: "x", operator: "Exists" }] }, "a=b,x"],
    [{ matchExpressions: [{ key: "x", operator: "DoesNotExist" }] }, "!x"],
    [{ matchExpressions: [{ key: "x", operator: "Like" }] }, undefined],
    [{ matchExpressions: [{ key: "", operator: "Exists" }] }, undefined],
    [{}, undefined],
    [{ matchExpressions: [{ key: "", operator: "In", values: ["a"] }] }, undefined],
    [{ matchExpressions: [{ operator: "DoesNotExist" }] }, undefined],
  ])("%j is %j", (selector, want) => expect(of("apps/v1 Deployment", selector)).toBe(want));
});
