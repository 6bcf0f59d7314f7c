import { describe, expect, test } from "vitest";
import type { FederatedStatus } from "../../apis/index.ts";
import type { EventRecord } from "../../observability/index.ts";
import { newProgress, recordDeletionEnd, recordProgress } from "./progressEvents.ts";
import {
  app,
  condition,
  DELETED_AT,
  done,
  entry,
  recordedOf,
  recordingInto,
  eventsOf,
  underWay,
} from "../testing/statusChanges.ts";

describe("a rollout", () => {
  const changed = entry("a", { desiredHash: "h2" });
  const started = "Normal RolloutStarted: generation 2 goes to a";
  const completed = (generation: number): string =>
    `Normal RolloutCompleted: generation ${generation} is available on 1/1 clusters`;

  const going = (...clusters: Parameters<typeof underWay>[1]) => underWay(2, clusters);
  const [first, second] = [done(1, [entry("a")]), done(2, [changed])];
  const h3 = entry("a", { desiredHash: "h3" });
  const waiting = { desiredHash: "h2", observedHash: "h1" };
  const progressing = (reason: string): FederatedStatus => ({
    ...{ observedGeneration: 2, clusters: [changed], conditions: [condition("Progressing", "True", reason)] },
  });
  test.each<[string, (FederatedStatus | undefined)[], string[]]>([
    ["of a new object ends", [undefined, underWay(1, [entry("a", { state: "Progressing" })]), first], [completed(1)]],
    ["starts and ends, each once", [first, going(changed), going(changed), second, second], [started, completed(2)]],
    ["starts and ends with one status", [first, second], [started, completed(2)]],
    ["that another manager started ends", [going(changed), second], [completed(2)]],
    ["needs another desired state", [first, done(2, [entry("a")]), going(entry("a")), done(2, [entry("a")])], []],
    ["is not a cluster that comes or goes", [first, done(1, [entry("a"), entry("b")]), done(1, [entry("b")])], []],
    [
      "that another change replaces starts again, and ends once",
      [first, going(changed), underWay(3, [h3]), done(3, [h3])],
      [started, "Normal RolloutStarted: generation 3 goes to a", completed(3)],
    ],
    ["of one generation starts once", [first, going(changed), going(h3), done(2, [h3])], [started, completed(2)]],
    [
      "that is held starts when it is released",
      [
        done(1, [entry("a", { observedHash: "h1" })]),
        going(entry("a", { state: "Held", reason: "Suspended", ...waiting })),
        going(entry("a", { state: "Progressing", ...waiting })),
        done(2, [entry("a", { desiredHash: "h2", observedHash: "h2" })]),
      ],
      [started, completed(2)],
    ],
    ["that another manager began to apply ends", [progressing("Applying"), second], [completed(2)]],
  ])("%s", (_, statuses, want) => expect(eventsOf(statuses)).toEqual(want));

  test("what could not be written is told once all the same", () => {
    const recorded: EventRecord[] = [];
    const progress = newProgress();
    const at = (reason: string): FederatedStatus => underWay(1, [entry("a", { state: "Progressing", reason })]);
    const change = { previous: at("ImagePullBackOff"), status: at("CrashLoopBackOff"), now: 0 };
    for (let tries = 0; tries < 2; tries += 1) recordProgress(recordingInto(recorded), app(), change, progress);
    expect(recorded.map(({ reason }) => reason)).toEqual(["CrashLoopBackOff"]);
  });
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
    statuses: [underWay(1, [entry("a")]), done(2, [entry("a")])],
    want: {
      type: "Normal",
      reason: "RolloutCompleted",
      action: "RollOut",
      note: "generation 2 is available on 1/1 clusters",
    },
  },
  {
    name: "the arrival of a new object, in debug mode only,",
    statuses: [undefined, done(1, [entry("a")])],
    want: {
      type: "Normal",
      reason: "RolloutCompleted",
      action: "RollOut",
      note: "generation 1 is available on 1/1 clusters",
      debug: true,
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
  expect(eventsOf([done(1, [entry("a")]), ...statuses], true)).toEqual([
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
  const want = `since ${DELETED_AT}: waits for a: x; and waits for b: ClusterUnreachable; goes on when it answers or is unjoined`;
  expect(eventsOf([done(1, [entry("a")]), status, { ...status }], true)).toEqual([`Warning DeletionWaits: ${want}`]);
});

describe("a change that is rolled out in stages", () => {
  const at = (generation: number, hash: string, progressing: "True" | "False", reason: string): FederatedStatus => {
    const changed = done(generation, [entry("a", { desiredHash: hash, observedHash: hash })]);
    const conditions = [
      condition("Applied", "True"),
      condition("Available", "True"),
      condition("Progressing", progressing, reason),
      condition("Ready", reason === "Settled" ? "True" : "False"),
    ];
    return { ...changed, conditions };
  };
  const before = at(1, "h1", "False", "Settled");
  const settled = at(2, "h2", "False", "Settled");
  const started = "Normal RolloutStarted: generation 2 goes to a";
  const completed = "Normal RolloutCompleted: generation 2 is available on 1/1 clusters";

  test("is completed when its rollout has ended, and not while it is paused", () => {
    const [going, paused] = [at(2, "h2", "True", "RollingOut"), at(2, "h2", "False", "RolloutPaused")];
    expect(eventsOf([before, going, paused])).toEqual([started]);
    expect(eventsOf([before, going, paused, settled])).toEqual([started, completed]);
    expect(eventsOf([paused, settled])).toEqual([completed]);
  });

  test("is never completed after a rollback, and the rollback does not start a rollout", () => {
    const [back, isBack] = [at(2, "h2", "True", "RollingBack"), at(2, "h1", "False", "RolledBack")];
    const statuses = [before, at(2, "h2", "True", "RollingOut"), back, at(2, "h1", "True", "RollingBack"), isBack];
    expect(eventsOf(statuses)).toEqual([started]);
    expect(eventsOf(statuses.slice(2))).toEqual([]);
    expect(eventsOf([...statuses, at(3, "h1", "False", "Settled")])).toEqual([started]);
  });
});
