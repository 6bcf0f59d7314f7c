import { describe, expect, test } from "vitest";
import type { Condition, FederatedStatus } from "../../apis/index.ts";
import type { EventRecord } from "../../observability/index.ts";
import { newProgress, patienceLeft, recordDeletionEnd, recordProgress } from "./progressEvents.ts";
import {
  app,
  condition,
  DELETED_AT,
  done,
  entry,
  recordedOf,
  recordingInto,
  told,
  underWay,
  WITHOUT_HASH,
} from "../testing/statusChanges.ts";

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
      name: "that goes on with another desired state of the same generation has begun once",
      statuses: [
        done(1, [entry("a")]),
        underWay(2, [changed]),
        underWay(2, [entry("a", { desiredHash: "h3" })]),
        done(2, [entry("a", { desiredHash: "h3" })]),
      ],
      want: [started, completed(2)],
    },
    {
      name: "is told of with every cluster that it goes to",
      statuses: [
        done(1, [entry("a"), entry("b"), entry("c")]),
        underWay(2, [changed, entry("b"), entry("c", { desiredHash: "h2" })]),
      ],
      want: ["Normal RolloutStarted: generation 2 goes to a, c"],
    },
    {
      name: "has not begun where it is held back, and begins when it is let go",
      statuses: [
        done(1, [entry("a", { observedHash: "h1" })]),
        underWay(2, [entry("a", { state: "Held", reason: "Suspended", desiredHash: "h2", observedHash: "h1" })]),
        underWay(2, [entry("a", { state: "Progressing", desiredHash: "h2", observedHash: "h1" })]),
        done(2, [entry("a", { desiredHash: "h2", observedHash: "h2" })]),
      ],
      want: [started, completed(2)],
    },
    {
      name: "has not begun where nothing waits when it is let go",
      statuses: [
        done(1, [entry("a", { state: "Held", reason: "Suspended", observedHash: "h1" })]),
        done(1, [entry("a", { observedHash: "h1" })]),
      ],
      want: [],
    },
    {
      name: "ends once",
      statuses: [done(1, [entry("a")]), underWay(2, [changed]), done(2, [changed]), done(2, [changed])],
      want: [started, completed(2)],
    },
    {
      name: "is none for a cluster that is to have the object no more",
      statuses: [done(1, [entry("a")]), done(1, [WITHOUT_HASH])],
      want: [],
    },
    {
      name: "is none for a cluster that is to have the object again",
      statuses: [done(1, [WITHOUT_HASH]), done(1, [entry("a")])],
      want: [],
    },
    {
      name: "that another manager began to apply ends",
      statuses: [
        { observedGeneration: 2, clusters: [changed], conditions: [condition("Progressing", "True", "Applying")] },
        done(2, [changed]),
      ],
      want: [completed(2)],
    },
    {
      name: "that another manager waited for is none",
      statuses: [
        { observedGeneration: 2, clusters: [changed], conditions: [condition("Progressing", "True", "Removing")] },
        done(2, [changed]),
      ],
      want: [],
    },
    {
      name: "is none where nothing was said of how it fares",
      statuses: [{ observedGeneration: 1 }, done(1, [entry("a")])],
      want: [],
    },
    {
      name: "that makes an object ends, where a status was begun",
      statuses: [{ clusters: [entry("a")] }, done(1, [entry("a")])],
      want: [completed(1)],
    },
    {
      name: "of no known generation has the number 0",
      statuses: [{ ...done(1, [entry("a")]) }, { clusters: [changed] }],
      want: ["Normal RolloutStarted: generation 0 goes to a"],
    },
    {
      name: "by a policy has the generation that there was",
      statuses: [done(1, [entry("a")]), underWay(1, [changed]), done(1, [changed])],
      want: ["Normal RolloutStarted: generation 1 goes to a", completed(1)],
    },
  ])("$name", ({ statuses, want }) => expect(told(statuses)).toEqual(want));

  test.each<{ name: string; conditions: Condition[] | undefined }>([
    { name: "of which nothing is said", conditions: undefined },
    { name: "of which only a part is said", conditions: [condition("Applied", "True")] },
    {
      name: "that serves with what was asked for before",
      conditions: [condition("Applied", "True"), condition("Available", "True"), condition("Ready", "False")],
    },
  ])("$name is not over", ({ conditions }) => {
    const status = { observedGeneration: 2, clusters: [changed], ...(conditions === undefined ? {} : { conditions }) };
    expect(told([done(1, [entry("a")]), status])).toEqual([started]);
  });

  test("is nothing of an object that is being deleted", () => {
    expect(told([done(1, [entry("a")]), underWay(2, [changed]), done(2, [changed])], true)).toEqual([]);
  });
});

test("what could not be written is told once all the same", () => {
  const recorded: EventRecord[] = [];
  const progress = newProgress();
  const at = (reason: string): FederatedStatus => underWay(1, [entry("a", { state: "Progressing", reason })]);
  const change = { previous: at("ImagePullBackOff"), status: at("CrashLoopBackOff"), now: 0 };
  for (let tries = 0; tries < 2; tries += 1) recordProgress(recordingInto(recorded), app(), change, progress);
  expect(recorded.map(({ reason }) => reason)).toEqual(["CrashLoopBackOff"]);
});

test("a deletion that waits is told of though nothing was said of the object before", () => {
  const status = { conditions: [condition("Progressing", "True", "Deleting", "waits for a: x")] };
  expect(told([undefined, status], true)).toEqual(["Warning DeletionWaits: waits for a: x"]);
});

describe("the end of a deletion", () => {
  const since = "2026-11-21T08:00:00Z";
  const waits = ["waits for a: Deployment shop has finalizer x"];
  const ended = (waited: string[], afterMs: number): string[] => {
    const recorded: EventRecord[] = [];
    const object = app();
    const going = { ...object, metadata: { ...object.metadata, deletionTimestamp: since } };
    recordDeletionEnd(recordingInto(recorded).recoveries, going, waited, Date.parse(since) + afterMs);
    return recorded.map(({ reason, note }) => `${reason}: ${note}`);
  };

  test("that took long says how long, and what it waited for", () => {
    expect(ended(waits, 300_000)).toEqual([
      "Recovered: gone from every cluster 5m after it was deleted; it said: waits for a: Deployment shop has finalizer x",
    ]);
  });

  test("that took no longer than deletions do is not told", () => {
    expect(ended(waits, 20_000)).toEqual([]);
    expect(ended([], 300_000)).toEqual([]);
  });
});

test.each([
  {
    name: "trouble of pods",
    statuses: [done(1, [entry("a")]), underWay(1, [entry("a", { state: "Progressing", reason: "Unschedulable" })])],
    want: { type: "Warning", reason: "Unschedulable", action: "Run", note: "a: Unschedulable" },
  },
  {
    name: "recovery",
    statuses: [done(1, [entry("a", { state: "Degraded" })]), done(1, [entry("a")])],
    want: { type: "Normal", reason: "Recovered", action: "Run", note: "healthy again on a (Degraded)" },
  },
  {
    name: "the begin of a rollout",
    statuses: [done(1, [entry("a")]), underWay(2, [entry("a", { desiredHash: "h2" })])],
    want: { type: "Normal", reason: "RolloutStarted", action: "RollOut", note: "generation 2 goes to a" },
  },
  {
    name: "the end of a rollout",
    statuses: [undefined, done(1, [entry("a")])],
    want: {
      type: "Normal",
      reason: "RolloutCompleted",
      action: "RollOut",
      note: "generation 1 is available on 1/1 clusters",
    },
  },
  {
    name: "a deletion that waits",
    deleted: true,
    statuses: [done(1, [entry("a")]), { conditions: [condition("Progressing", "True", "Deleting", "waits for a: x")] }],
    want: { type: "Warning", reason: "DeletionWaits", action: "Delete", note: "waits for a: x" },
  },
])("the Event of $name names the object in its present life", ({ statuses, want, deleted = false }) => {
  const regarding = { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", namespace: "default", name: "shop" };
  const { metadata, ...rest } = app(deleted);
  const living = { ...rest, metadata: { ...metadata, uid: "shop-uid" } };
  expect(recordedOf(statuses, living)).toStrictEqual([{ regarding: { ...regarding, uid: "shop-uid" }, ...want }]);
  expect(recordedOf(statuses, app(deleted))).toStrictEqual([{ regarding, ...want }]);
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

test("a deletion that waits is told of with the reason of each cluster that holds something, and of no other", () => {
  const status: FederatedStatus = {
    conditions: [condition("Progressing", "True", "Deleting", "waits for a, b")],
    clusters: [
      entry("a", { state: "Removing", reason: "Terminating", message: "x" }),
      entry("b", { state: "Unknown", reason: "ClusterUnreachable" }),
      entry("c", { state: "Removing" }),
    ],
  };
  const want = `waits for a since ${DELETED_AT}: x; and for b (ClusterUnreachable): goes on when it answers or is unjoined`;
  expect(told([done(1, [entry("a")]), status, { ...status }], true)).toEqual([`Warning DeletionWaits: ${want}`]);
});

test("patience with a deletion ends after half a minute", () => {
  const at = Date.parse(DELETED_AT);
  expect(patienceLeft(app(), at)).toBe(0);
  expect(patienceLeft(app(true), at)).toBe(30_000);
  expect(patienceLeft(app(true), at + 29_999)).toBe(1);
  expect(patienceLeft(app(true), at + 30_000)).toBe(0);
  expect(patienceLeft(app(true), at + 60_000)).toBe(0);
});
