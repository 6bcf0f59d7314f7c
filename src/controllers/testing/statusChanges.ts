import type { ClusterStatusEntry, Condition, FederatedStatus, KubeObject } from "../../apis/index.ts";
import { type EventRecord, RecoveryRecorder } from "../../observability/index.ts";
import { newProgress, type ProgressSinks, recordProgress } from "../status/progressEvents.ts";

/** Statuses of one object on one or two clusters, and the Events that are recorded from one status to the next. */

export const NONE = { desired: 0, updated: 0, ready: 0, available: 0 };
export const DELETED_AT = "2026-11-22T10:00:00Z";
/** Time at which a status is computed. */
const LATER = "2026-11-22T10:05:00Z";

export const entry = (name: string, more: Partial<ClusterStatusEntry> = {}): ClusterStatusEntry => ({
  name,
  state: "Available",
  replicas: NONE,
  desiredHash: "h1",
  ...more,
});

export function condition(type: string, status: "True" | "False", reason = "", message = ""): Condition {
  return { type, status, reason, message, lastTransitionTime: DELETED_AT };
}

export function done(generation: number, clusters: ClusterStatusEntry[]): FederatedStatus {
  const conditions = [
    condition("Applied", "True"),
    condition("Available", "True"),
    condition("Progressing", "False", "Settled"),
    condition("Ready", "True"),
  ];
  return { observedGeneration: generation, clusters, conditions, availableClusters: "1/1" };
}

export function underWay(generation: number, clusters: ClusterStatusEntry[]): FederatedStatus {
  const conditions = [
    condition("Applied", "True"),
    condition("Available", "False"),
    condition("Progressing", "True", "RollingOut"),
  ];
  return { observedGeneration: generation, clusters, conditions };
}

export const app = (deleted = false): KubeObject => ({
  apiVersion: "paas.cmft.com/v1",
  kind: "DemoApplication",
  metadata: { name: "shop", namespace: "default", ...(deleted ? { deletionTimestamp: DELETED_AT } : {}) },
});

/** Records each end of a trouble at once. */
export function recordingInto(recorded: EventRecord[]): ProgressSinks {
  const events = { record: (event: EventRecord) => void recorded.push(event) };
  return {
    events,
    recoveries: {
      ended: (troubles) => new RecoveryRecorder({ events, after: () => new DisposableStack() }).ended(troubles),
    },
  };
}

/** Events for the statuses, one after the other. Each status has its predecessor as the previous status. */
export function recordedOf(statuses: (FederatedStatus | undefined)[], object: KubeObject): EventRecord[] {
  const recorded: EventRecord[] = [];
  const sinks = recordingInto(recorded);
  const progress = newProgress();
  for (const [i, status] of statuses.entries()) {
    const change = { previous: statuses[i - 1], now: Date.parse(LATER) };
    if (i > 0 && status !== undefined) recordProgress(sinks, object, { ...change, status }, progress);
  }
  return recorded;
}

export const eventsOf = (statuses: (FederatedStatus | undefined)[], deleted = false): string[] =>
  recordedOf(statuses, app(deleted)).map(({ type, reason, note }) => `${type} ${reason}: ${note}`);
