import {
  type Condition,
  defined,
  type FederatedStatus,
  type KubeObject,
  type Reason,
  refOf,
  timestamp,
} from "../../apis/index.ts";
import type { EventRecorder, Recoveries } from "../../observability/index.ts";
import { deletionWait } from "../../status/index.ts";
import { followTroubles, type OpenTroubles } from "./objectTroubles.ts";

export interface ProgressSinks {
  events: Pick<EventRecorder, "record">;
  recoveries: Recoveries;
}

/** What was told of one object, and what is still to be told: the end of what has begun. */
export interface ObjectProgress {
  /** A change is on its way to the clusters. Undefined: nobody has looked yet since this process began. */
  rollingOut: boolean | undefined;
  readonly troubles: OpenTroubles;
  /** What the deletion of the object has waited for: when that is over, no status says it any more. */
  waited: readonly string[];
}

export function newProgress(): ObjectProgress {
  return { rollingOut: undefined, troubles: new Map(), waited: [] };
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
  { events, recoveries }: ProgressSinks,
  object: KubeObject,
  { previous, status, now }: { previous: FederatedStatus | undefined; status: FederatedStatus; now: number },
  progress: ObjectProgress,
): void {
  const { uid } = object.metadata;
  const regarding = { ...refOf(object), ...defined({ uid }) };
  const record = (type: "Normal" | "Warning", reason: string, action: string, note: string): void =>
    events.record({ regarding, type, reason, action, note });
  const deleted = object.metadata.deletionTimestamp !== undefined;
  const { begun, ended } = followTroubles(progress.troubles, { previous, status, deleted, now });
  for (const { name, state, reason = state, message = reason } of begun)
    // What has failed is told by whoever reports failures.
    if (state !== "Failed") record("Warning", reason, "Run", `${name}: ${message}`);
  recoveries.ended(ended.map((end) => ({ object: regarding, ...end })));
  const { deletionTimestamp: since } = object.metadata;
  const wait = deletionWait(status, since);
  const waited = deletionWait(status) ?? deletionWait(previous);
  if (waited !== undefined && !progress.waited.includes(waited))
    progress.waited = [...progress.waited, waited].slice(-MOST_WAITS);
  if (wait !== undefined && wait !== deletionWait(previous, since)) record("Warning", "DeletionWaits", "Delete", wait);
  if (!deleted) recordRollout(record, previous, status, progress);
}

/** The end of a deletion that took longer than deletions do. `waited`: what for, by the statuses that have said so. */
export function recordDeletionEnd(
  recoveries: Recoveries,
  object: KubeObject,
  waited: readonly string[],
  now: number,
): void {
  const { uid, deletionTimestamp: since } = object.metadata;
  if (since === undefined || waited.length === 0 || patienceLeft(object, now) > 0) return;
  const regarding = { ...refOf(object), ...(uid === undefined ? {} : { uid }) };
  const message = waited.join("; then: ");
  const reason: Reason = "DeletionWaits";
  recoveries.ended([{ object: regarding, reason, since, until: timestamp(now), message, ending: "Deleted" }]);
}

/** An Event has no room for more. */
const MOST_WAITS = 4;

type RecordOne = (type: "Normal" | "Warning", reason: string, action: string, note: string) => void;

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
