import { describe, expect, test } from "vitest";
import type { ClusterStatusEntry, Condition, FederatedStatus, KubeObject } from "../apis/index.ts";
import type { EventRecord } from "../observability/index.ts";
import { newProgress, patienceLeft, recordProgress } from "./progressEvents.ts";

const NONE = { desired: 0, updated: 0, ready: 0, available: 0 };
const DELETED_AT = "2026-11-22T10:00:00Z";

const entry = (name: string, more: Partial<ClusterStatusEntry> = {}): ClusterStatusEntry => ({
  name,
  state: "Available",
  replicas: NONE,
  desiredHash: "h1",
  ...more,
});

function condition(type: string, status: "True" | "False", reason = "", message = ""): Condition {
  return { type, status, reason, message, lastTransitionTime: DELETED_AT };
}

function done(generation: number, clusters: ClusterStatusEntry[]): FederatedStatus {
  const conditions = [
    condition("Applied", "True"),
    condition("Available", "True"),
    condition("Progressing", "False", "Settled"),
  ];
  return { observedGeneration: generation, clusters, conditions, availableClusters: "1/1" };
}

function underWay(generation: number, clusters: ClusterStatusEntry[]): FederatedStatus {
  const conditions = [
    condition("Applied", "True"),
    condition("Available", "False"),
    condition("Progressing", "True", "RollingOut"),
  ];
  return { observedGeneration: generation, clusters, conditions };
}

const app = (deleted = false): KubeObject => ({
  apiVersion: "paas.cmft.com/v1",
  kind: "DemoApplication",
  metadata: { name: "shop", namespace: "default", ...(deleted ? { deletionTimestamp: DELETED_AT } : {}) },
});

/** What is told of one status after the other, each with the one before it as the one that stands there. */
function told(statuses: (FederatedStatus | undefined)[], deleted = false): string[] {
  const recorded: EventRecord[] = [];
  const events = { record: (event: EventRecord) => void recorded.push(event) };
  const progress = newProgress();
  for (const [i, status] of statuses.entries())
    if (i > 0 && status !== undefined)
      recordProgress(events, app(deleted), { previous: statuses[i - 1], status }, progress);
  return recorded.map(({ type, reason, note }) => `${type} ${reason}: ${note}`);
}

describe("a rollout", () => {
  const changed = entry("a", { desiredHash: "h2" });
  const started = "Normal RolloutStarted: generation 2 goes to a";
  const completed = (generation: number): string =>
    `Normal RolloutCompleted: generation ${generation} is available on 1/1 clusters`;

  test.each<{ name: string; statuses: (FederatedStatus | undefined)[]; want: string[] }>([
    {
      name: "that makes an object ends, and did not begin with a change",
      statuses: [undefined, underWay(1, [entry("a", { state: "Progressing" })]), done(1, [entry("a")])],
      want: [completed(1)],
    },
    {
      name: "of a change begins and ends",
      statuses: [done(1, [entry("a")]), underWay(2, [changed]), underWay(2, [changed]), done(2, [changed])],
      want: [started, completed(2)],
    },
    {
      name: "may be over with the first word of it",
      statuses: [done(1, [entry("a")]), done(2, [changed])],
      want: [started, completed(2)],
    },
    {
      name: "that another manager began ends",
      statuses: [underWay(2, [changed]), done(2, [changed])],
      want: [completed(2)],
    },
    {
      name: "is none without another desired state",
      statuses: [done(1, [entry("a")]), done(2, [entry("a")]), underWay(2, [entry("a")]), done(2, [entry("a")])],
      want: [],
    },
    {
      name: "is none for a cluster that has the object for the first time, or not any more",
      statuses: [done(1, [entry("a")]), done(1, [entry("a"), entry("b")]), done(1, [entry("b")])],
      want: [],
    },
    {
      name: "that is overtaken by another change begins again, and ends once",
      statuses: [
        done(1, [entry("a")]),
        underWay(2, [changed]),
        underWay(3, [entry("a", { desiredHash: "h3" })]),
        done(3, [entry("a", { desiredHash: "h3" })]),
      ],
      want: [started, "Normal RolloutStarted: generation 3 goes to a", completed(3)],
    },
    {
      name: "by a policy has the generation that there was",
      statuses: [done(1, [entry("a")]), underWay(1, [changed]), done(1, [changed])],
      want: ["Normal RolloutStarted: generation 1 goes to a", completed(1)],
    },
  ])("$name", ({ statuses, want }) => expect(told(statuses)).toEqual(want));
});

describe("trouble", () => {
  const settled = done(1, [entry("a")]);
  const pods = entry("a", { state: "Progressing", reason: "ImagePullBackOff", message: "no such image" });
  const waits = entry("a", { state: "Progressing", reason: "PodsNotReady" });
  const failed = entry("a", { state: "Failed", reason: "QuotaExceeded" });
  const at = (one: ClusterStatusEntry): FederatedStatus => underWay(1, [one]);

  test.each<{ name: string; statuses: FederatedStatus[]; want: string[] }>([
    {
      name: "of pods is warned of once, and its end is told",
      statuses: [settled, at(pods), at({ ...pods, message: "in other words" }), at(waits), at(entry("a"))],
      want: ["Warning ImagePullBackOff: a: no such image", "Normal Recovered: healthy again on a (ImagePullBackOff)"],
    },
    {
      name: "of a kubelet that has its own word for it",
      statuses: [settled, at({ ...pods, reason: "CreateContainerConfigError" })],
      want: ["Warning CreateContainerConfigError: a: no such image"],
    },
    {
      name: "of another kind is warned of again",
      statuses: [settled, at(pods), at({ ...pods, reason: "CrashLoopBackOff" }), at(entry("a"))],
      want: [
        "Warning ImagePullBackOff: a: no such image",
        "Warning CrashLoopBackOff: a: no such image",
        "Normal Recovered: healthy again on a (CrashLoopBackOff)",
      ],
    },
    {
      name: "that is a failure is told elsewhere, and its end here",
      statuses: [settled, at(failed), at(entry("a"))],
      want: ["Normal Recovered: healthy again on a (QuotaExceeded)"],
    },
    {
      name: "that began before this manager is not warned of again, and its end is told",
      statuses: [at(pods), at({ ...pods, message: "other" }), at(entry("a"))],
      want: ["Normal Recovered: healthy again on a (ImagePullBackOff)"],
    },
    {
      name: "goes with its cluster",
      statuses: [settled, at(pods), at(entry("b")), at(entry("a"))],
      want: ["Warning ImagePullBackOff: a: no such image"],
    },
    { name: "is none while pods start", statuses: [settled, at(waits), at(entry("a"))], want: [] },
  ])("$name", ({ statuses, want }) => expect(told(statuses).filter((line) => !line.includes("Rollout"))).toEqual(want));
});

test("a deletion that waits is told of once for each thing that it waits for", () => {
  const deleting = (message: string): FederatedStatus => ({
    observedGeneration: 1,
    conditions: [condition("Progressing", "True", "Deleting", message)],
  });
  const statuses = ["objects remain on a", "waits for a: x", "waits for a: x", "waits for a: y", ""].map(deleting);
  expect(told([done(1, [entry("a")]), ...statuses], true)).toEqual([
    "Warning DeletionWaits: waits for a: x",
    "Warning DeletionWaits: waits for a: y",
  ]);
});

test("patience with a deletion ends after half a minute", () => {
  const at = Date.parse(DELETED_AT);
  expect(patienceLeft(app(), at)).toBe(0);
  expect(patienceLeft(app(true), at)).toBe(30_000);
  expect(patienceLeft(app(true), at + 29_999)).toBe(1);
  expect(patienceLeft(app(true), at + 60_000)).toBe(0);
});
