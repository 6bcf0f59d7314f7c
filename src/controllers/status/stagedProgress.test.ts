import { expect, test } from "vitest";
import type { Condition, FederatedStatus, KubeObject } from "../../apis/index.ts";
import { type EventRecord, RecoveryRecorder } from "../../observability/index.ts";
import { newProgress, recordProgress } from "./progressEvents.ts";

const SHOP: KubeObject = {
  apiVersion: "paas.cmft.com/v1",
  kind: "DemoApplication",
  metadata: { name: "shop", namespace: "default" },
};
const replicas = { desired: 1, updated: 1, ready: 1, available: 1 };

/** All is well on the only cluster, and Progressing is like that. */
function at(generation: number, hash: string, [status, reason]: readonly ["True" | "False", string]): FederatedStatus {
  const conditions: Condition[] = [
    { type: "Applied", status: "True", reason: "AllClustersApplied", message: "" },
    { type: "Available", status: "True", reason: "AllClustersAvailable", message: "" },
    { type: "Progressing", status, reason, message: "" },
    { type: "Ready", status: reason === "Settled" ? "True" : "False", reason: "", message: "" },
  ].map((one) => ({ ...one, lastTransitionTime: "2026-01-01T00:00:00Z" }) as Condition);
  const clusters = [{ name: "a", state: "Available" as const, replicas, desiredHash: hash, observedHash: hash }];
  return { observedGeneration: generation, clusters, conditions, availableClusters: "1/1" };
}

const SETTLED = ["False", "Settled"] as const;
const GOES_ON = ["True", "RollingOut"] as const;
const STALLED = ["False", "Stalled"] as const;
const PAUSED = ["False", "RolloutPaused"] as const;
const GOES_BACK = ["True", "RollingBack"] as const;
const IS_BACK = ["False", "RolledBack"] as const;

/** What is told of one status after the other; `from`: by a manager that finds the status of that index. */
function told(statuses: readonly FederatedStatus[], from = 0): string[] {
  const notes: string[] = [];
  const progress = newProgress();
  const events = { record: ({ note }: EventRecord) => void notes.push(note) };
  const sinks = { events, recoveries: new RecoveryRecorder({ events, after: () => new DisposableStack() }) };
  for (const [i, status] of statuses.entries()) {
    const previous = statuses[i - 1];
    if (i > from) recordProgress(sinks, SHOP, { previous, status, now: 0 }, progress);
  }
  return notes;
}

const STARTED = "generation 2 goes to a";
const COMPLETED = "generation 2 is available on 1/1 clusters";
const before = at(1, "h1", SETTLED);

test("a change in stages is completed when its rollout is over, and not while it waits for somebody", () => {
  const statuses = [before, at(2, "h2", GOES_ON), at(2, "h2", PAUSED), at(2, "h2", SETTLED)];
  expect(told(statuses.slice(0, 3))).toEqual([STARTED]);
  expect(told(statuses)).toEqual([STARTED, COMPLETED]);
  expect(told(statuses, 2)).toEqual([COMPLETED]);
});

test("a change that was taken back is never completed, and neither does what it goes back to begin anew", () => {
  const statuses = [before, at(2, "h2", GOES_ON), at(2, "h2", GOES_BACK), at(2, "h1", GOES_BACK), at(2, "h1", IS_BACK)];
  expect(told(statuses)).toEqual([STARTED]);
  expect(told(statuses, 2)).toEqual([]);
  // The object is what it was before: nothing is rolled out for it.
  expect(told([...statuses, at(3, "h1", SETTLED)])).toEqual([STARTED]);
});

test("a change that a quota blocks is warned of, and completed once the quota lets it", () => {
  const given = at(2, "h2", STALLED);
  const why = { state: "Degraded", reason: "QuotaExceeded", message: "exceeded quota: q" } as const;
  const blocked = { ...given, clusters: given.clusters?.map((entry) => ({ ...entry, ...why })) ?? [] };
  expect(told([before, blocked, blocked, at(2, "h2", SETTLED)])).toEqual([
    "a: exceeded quota: q",
    STARTED,
    "healthy again on a (QuotaExceeded, exceeded quota: q)",
    COMPLETED,
  ]);
});
