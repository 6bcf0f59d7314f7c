import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { isLooping, isSameTrouble, mayBeForPods, podSelectorOf, podTrouble, troubleOfPod } from "./pods.ts";

const OWNER = { apiVersion: "apps/v1", uid: "u", kind: "ReplicaSet", name: "shop-7d9", controller: true };
const pod = (status: object, metadata: object = { ownerReferences: [OWNER] }): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "shop-7d9-x", ...metadata },
  status,
});
const running = (...containerStatuses: object[]): KubeObject => pod({ containerStatuses });
const trouble = (...containers: object[]) => troubleOfPod(running(...containers));
const waiting = (reason: string, more: object = {}): object => ({
  name: "web",
  state: { waiting: { reason } },
  ...more,
});
const last = (terminated: object): object => ({ lastState: { terminated } });

describe("what a container says", () => {
  test.each<{ name: string; container: object; want: object | undefined }>([
    { name: "nothing, while it is made", container: waiting("ContainerCreating"), want: undefined },
    { name: "nothing, while others begin first", container: waiting("PodInitializing"), want: undefined },
    { name: "nothing, when it waits without a reason", container: waiting(""), want: undefined },
    {
      name: "its reason, when it has no name and no message",
      container: { state: { waiting: { reason: "Odd" } } },
      want: { reason: "Odd", message: "container : Odd" },
    },
    {
      name: "that it is looping, by the end of this state where there was none before",
      container: { name: "web", restartCount: 2, state: { terminated: { exitCode: 3 } } },
      want: { reason: "CrashLoopBackOff", message: "container web: exit code 3, again and again" },
    },
    {
      name: "the end before this one, where there are two",
      container: { name: "web", restartCount: 5, state: { terminated: { exitCode: 3 } }, ...last({ exitCode: 4 }) },
      want: { reason: "CrashLoopBackOff", message: "container web: exit code 4, again and again" },
    },
    {
      name: "an end of which nobody knows the code",
      container: waiting("CrashLoopBackOff", last({ reason: "ContainerStatusUnknown" })),
      want: {
        reason: "CrashLoopBackOff",
        message: "container web: exit code unknown (ContainerStatusUnknown), again and again",
      },
    },
    {
      name: "an end in error without the word, which says no more than the code",
      container: waiting("CrashLoopBackOff", last({ exitCode: 1, reason: "Error" })),
      want: { reason: "CrashLoopBackOff", message: "container web: exit code 1, again and again" },
    },
    {
      name: "nothing, when it is ready after many restarts",
      container: { name: "web", ready: true, restartCount: 9, ...last({ exitCode: 1 }) },
      want: undefined,
    },
    { name: "nothing, when nobody counted its restarts", container: last({ exitCode: 1 }), want: undefined },
    {
      name: "nothing, when it was restarted and nobody says how it ended",
      container: { name: "web", restartCount: 5 },
      want: undefined,
    },
  ])("$name", ({ container, want }) => expect(trouble(container)).toEqual(want));

  test("is heard container by container, those that begin first before the others", () => {
    expect(trouble(waiting("PodInitializing"), waiting("First"), waiting("Second"))).toMatchObject({ reason: "First" });
    const both = pod({ containerStatuses: [waiting("Main")], initContainerStatuses: [waiting("Init")] });
    expect(troubleOfPod(both)).toEqual({ reason: "Init", message: "container web: Init" });
  });
});

describe("a pod without a node", () => {
  const scheduled = (more: object): KubeObject =>
    pod({ conditions: [{ type: "PodScheduled", status: "False", ...more }] });

  test("says why in the scheduler's words, and is unschedulable where it gives no reason", () => {
    expect(troubleOfPod(scheduled({ message: "no room" }))).toEqual({
      reason: "Unschedulable",
      message: "pods: no room",
    });
    expect(troubleOfPod(scheduled({ reason: "SchedulerError", message: "x" }))?.reason).toBe("SchedulerError");
  });

  test("is in no trouble while somebody holds it back, and where nobody says False", () => {
    expect(troubleOfPod(scheduled({ reason: "SchedulingGated" }))).toBeUndefined();
    expect(troubleOfPod(scheduled({ status: "Unknown" }))).toBeUndefined();
    expect(troubleOfPod(pod({}))).toBeUndefined();
  });
});

describe("of several pods", () => {
  const SHOP = { kind: "Deployment", name: "shop" };
  const unscheduled = pod({ conditions: [{ type: "PodScheduled", status: "False", message: "full" }] });
  const looping = running(waiting("CrashLoopBackOff"));
  const pulling = running(waiting("ImagePullBackOff"));
  const reason = (...pods: KubeObject[]) => podTrouble(SHOP, pods)?.reason;

  test("the one that came furthest speaks, in whatever order they come", () => {
    expect(reason(unscheduled, looping, pulling)).toBe("ImagePullBackOff");
    expect(reason(pulling, looping, unscheduled)).toBe("ImagePullBackOff");
    expect([reason(unscheduled, looping), reason(looping, unscheduled)]).toEqual([
      "CrashLoopBackOff",
      "CrashLoopBackOff",
    ]);
  });

  test("one that says nothing takes nothing from what another says", () => {
    expect([reason(pulling, pod({})), reason(pod({}), pulling)]).toEqual(["ImagePullBackOff", "ImagePullBackOff"]);
  });

  test("the first speaks of those that came as far", () => {
    expect(reason(running(waiting("One")), running(waiting("Two")))).toBe("One");
  });

  test("the trouble is told without more than its reason and its words", () => {
    expect(podTrouble(SHOP, [pulling])).toStrictEqual({
      reason: "ImagePullBackOff",
      message: "container web: ImagePullBackOff",
    });
    expect(troubleOfPod(pulling)).toStrictEqual(podTrouble(SHOP, [pulling]));
  });

  test.each<[string, object]>([
    ["nobody's", {}],
    ["of an owner that does not control them", { ownerReferences: [{ ...OWNER, controller: false }] }],
    ["of another kind of owner", { ownerReferences: [{ ...OWNER, kind: "Job" }] }],
    ["of a workload whose name begins alike", { ownerReferences: [{ ...OWNER, name: "shopping-1" }] }],
  ])("those count for nothing that are %s", (_name, metadata) => {
    expect(podTrouble(SHOP, [pod({ containerStatuses: [waiting("Odd")] }, metadata)])).toBeUndefined();
  });

  test("those of a set are owned by its very name", () => {
    const ofSet = (kind: string, name: string) =>
      podTrouble({ kind: "StatefulSet", name: "shop" }, [
        pod({ containerStatuses: [waiting("Odd")] }, { ownerReferences: [{ ...OWNER, kind, name }] }),
      ])?.reason;
    expect([ofSet("StatefulSet", "shop"), ofSet("StatefulSet", "shop-1"), ofSet("Job", "shop")]).toEqual([
      "Odd",
      undefined,
      undefined,
    ]);
  });
});

test("only what ends again and again is looping", () => {
  expect([isLooping({ reason: "CrashLoopBackOff", message: "" }), isLooping({ reason: "Odd", message: "" })]).toEqual([
    true,
    false,
  ]);
});

test("no trouble is another than some", () => {
  const one = { reason: "Odd", message: "container web: x" };
  expect([isSameTrouble(undefined, one), isSameTrouble(one, undefined)]).toEqual([false, false]);
});

test.each([
  ["PodsNotReady", true],
  ["RollingOut", true],
  ["ProgressDeadlineExceeded", true],
  ["JobRunning", true],
  ["RolloutPending", false],
])("%s may be for the pods to say better: %s", (reason, want) => expect(mayBeForPods(reason)).toBe(want));

describe("the selector of the pods", () => {
  const of = (apiVersion: string, kind: string, selector: object = { matchLabels: { app: "shop" } }) =>
    podSelectorOf({ apiVersion, kind, metadata: { name: "shop" }, spec: { selector } });

  test.each([
    ["apps/v1", "Deployment"],
    ["apps/v1", "ReplicaSet"],
    ["apps/v1", "StatefulSet"],
    ["apps/v1", "DaemonSet"],
    ["batch/v1", "Job"],
  ])("of %s %s is its own", (apiVersion, kind) => expect(of(apiVersion, kind)).toBe("app=shop"));

  test.each([
    ["batch/v1", "CronJob"],
    ["example.com/v1", "Deployment"],
    ["v1", "Deployment"],
  ])("%s %s has none", (apiVersion, kind) => expect(of(apiVersion, kind)).toBeUndefined());

  test("holds every label and every requirement, or there is none", () => {
    const matchLabels = { app: "shop", tier: 1 };
    const odd = { key: "x", operator: "In", values: "a" };
    expect(of("apps/v1", "Deployment", { matchLabels, matchExpressions: [odd] })).toBe("app=shop,tier=1,x in ()");
    for (const operator of ["In", "NotIn", "Exists", "DoesNotExist"])
      expect(of("apps/v1", "Deployment", { matchLabels, matchExpressions: [{ key: "", operator }] })).toBeUndefined();
  });
});
