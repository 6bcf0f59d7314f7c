import { type Condition, type FederatedStatus, type KubeObject, type Reason, refOf } from "../apis/index.ts";
import type { EventRecorder } from "../observability/index.ts";
import { deletionWait, isTroubled } from "../status/index.ts";

/** What was told of one object, and what is still to be told: the end of what has begun. */
export interface ObjectProgress {
  /** A change is on its way to the clusters. Undefined: nobody has looked yet since this process began. */
  rollingOut: boolean | undefined;
  /** Clusters in trouble, with the reason. */
  readonly troubled: Map<string, string>;
}

export function newProgress(): ObjectProgress {
  return { rollingOut: undefined, troubled: new Map() };
}

/** A deletion that takes longer than this waits for somebody. */
const DELETION_PATIENCE_MS = 30_000;

/**
 * Milliseconds until a deletion takes longer than deletions do; 0 for what is not being deleted, or has been for long. `possibleSince`: when it could
 * begin, epoch milliseconds, where that was later than it was asked for.
 */
export function patienceLeft(
  { metadata: { deletionTimestamp } }: Pick<KubeObject, "metadata">,
  now: number,
  possibleSince = 0,
): number {
  if (deletionTimestamp === undefined) return 0;
  return Math.max(0, Math.max(Date.parse(deletionTimestamp), possibleSince) + DELETION_PATIENCE_MS - now);
}

/**
 * Events on a hub object about how it fares, from the status that stands there and the next one: a rollout that begins and ends, trouble of what runs,
 * recovery, and a deletion that waits. Each is told once; a restart forgets none that was begun.
 */
export function recordProgress(
  events: Pick<EventRecorder, "record">,
  object: KubeObject,
  { previous, status }: { previous: FederatedStatus | undefined; status: FederatedStatus },
  progress: ObjectProgress,
): void {
  const { uid } = object.metadata;
  const regarding = { ...refOf(object), ...(uid === undefined ? {} : { uid }) };
  const record = (type: "Normal" | "Warning", reason: string, action: string, note: string): void =>
    events.record({ regarding, type, reason, action, note });
  recordTroubles(record, previous, status, progress);
  const { deletionTimestamp: since } = object.metadata;
  const wait = deletionWait(status, since);
  if (wait !== undefined && wait !== deletionWait(previous, since)) record("Warning", "DeletionWaits", "Delete", wait);
  if (object.metadata.deletionTimestamp === undefined) recordRollout(record, previous, status, progress);
}

type RecordOne = (type: "Normal" | "Warning", reason: string, action: string, note: string) => void;

function recordTroubles(
  record: RecordOne,
  previous: FederatedStatus | undefined,
  { clusters = [] }: FederatedStatus,
  { troubled }: ObjectProgress,
): void {
  const recovered: string[] = [];
  for (const before of previous?.clusters ?? [])
    if (isTroubled(before) && !troubled.has(before.name)) troubled.set(before.name, before.reason ?? before.state);
  for (const entry of clusters) {
    const { name, state, reason = state, message = reason } = entry;
    const before = troubled.get(name);
    if (isTroubled(entry)) {
      troubled.set(name, reason);
      // What has failed is told by whoever reports failures.
      if (state !== "Failed" && entry.reason !== undefined && before !== reason)
        record("Warning", reason, "Run", `${name}: ${message}`);
    } else if (state === "Available" && before !== undefined) {
      troubled.delete(name);
      recovered.push(`${name} (${before})`);
    }
  }
  const names = new Set(clusters.map(({ name }) => name));
  for (const name of troubled.keys()) if (!names.has(name)) troubled.delete(name);
  if (recovered.length > 0) record("Normal", "Recovered", "Run", `healthy again on ${recovered.join(", ")}`);
}

function recordRollout(
  record: RecordOne,
  previous: FederatedStatus | undefined,
  status: FederatedStatus,
  progress: ObjectProgress,
): void {
  progress.rollingOut ??= previous?.observedGeneration === undefined || isRollingOut(previous.conditions);
  const changed = changedClusters(previous, status);
  const generation = status.observedGeneration ?? 0;
  if (changed.length > 0) {
    if (previous?.observedGeneration !== generation || !progress.rollingOut)
      record("Normal", "RolloutStarted", "RollOut", `generation ${generation} goes to ${changed.join(", ")}`);
    progress.rollingOut = true;
  }
  const isOver = isReady(status.conditions);
  // What was taken back has ended too, and is told by whoever takes it back.
  if (!progress.rollingOut || !(isOver || progressingOf(status.conditions)?.reason === "RolledBack")) return;
  progress.rollingOut = false;
  if (!isOver) return;
  const { availableClusters = "" } = status;
  record(
    "Normal",
    "RolloutCompleted",
    "RollOut",
    `generation ${generation} is available on ${availableClusters} clusters`,
  );
}

/** Clusters that have the object and now get another desired state of it. What is held back begins when it is let go. */
function changedClusters(previous: FederatedStatus | undefined, { clusters = [] }: FederatedStatus): string[] {
  const before = new Map(previous?.clusters?.map((entry) => [entry.name, entry]));
  return clusters.flatMap((entry) => {
    const was = before.get(entry.name);
    if (was?.desiredHash === undefined || entry.desiredHash === undefined || entry.state === "Held") return [];
    const isLetGo = was.state === "Held" && was.observedHash !== undefined && was.observedHash !== entry.desiredHash;
    return isLetGo || was.desiredHash !== entry.desiredHash ? [entry.name] : [];
  });
}

function progressingOf(conditions: readonly Condition[] | undefined): Condition | undefined {
  return conditions?.find(({ type }) => type === "Progressing");
}

/** Why Progressing is as it is while what has begun has not ended. */
const UNDER_WAY: ReadonlySet<string> = new Set([
  "Applying",
  "RollingOut",
  "RolloutPaused",
  "RollingBack",
] satisfies Reason[]);

function isRollingOut(conditions: readonly Condition[] | undefined): boolean {
  return UNDER_WAY.has(progressingOf(conditions)?.reason ?? "");
}

/** Available alone may still be so with what was asked for before. */
function isReady(conditions: readonly Condition[] | undefined): boolean {
  return conditions?.find(({ type }) => type === "Ready")?.status === "True";
}
