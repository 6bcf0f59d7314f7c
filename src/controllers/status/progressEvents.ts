import { type Condition, type FederatedStatus, type KubeObject, type Reason, timestamp } from "../../apis/index.ts";
import type { EventRecorder, Recoveries } from "../../observability/index.ts";
import { deletionWait } from "../../status/index.ts";
import { regardingOf } from "../progress/index.ts";
import type { ObjectProgress } from "../states/index.ts";
import { followTroubles } from "./objectTroubles.ts";

export interface ProgressSinks {
  events: Pick<EventRecorder, "record">;
  recoveries: Recoveries;
}

export function newProgress(): ObjectProgress {
  return { rollingOut: undefined, isQuiet: false, troubles: new Map(), waited: [] };
}

/** A deletion that takes longer than this is overdue. */
const DELETION_PATIENCE_MS = 30_000;

/** Milliseconds until a deletion is overdue, or 0. `possibleSince`: epoch milliseconds from which it was possible. */
export function patienceLeft(
  { metadata: { deletionTimestamp } }: Pick<KubeObject, "metadata">,
  now: number,
  possibleSince = 0,
): number {
  if (deletionTimestamp === undefined) return 0;
  return Math.max(0, Math.max(Date.parse(deletionTimestamp), possibleSince) + DELETION_PATIENCE_MS - now);
}

/**
 * Records Events for what changes between the present and the next status: rollouts, troubles of running copies,
 * recovery, and a deletion that waits. After a restart, the end of a begun state is still found.
 */
export function recordProgress(
  { events, recoveries }: ProgressSinks,
  object: KubeObject,
  { previous, status, now }: { previous: FederatedStatus | undefined; status: FederatedStatus; now: number },
  progress: ObjectProgress,
): void {
  const regarding = regardingOf(object);
  const record: RecordOne = (type, reason, action, note, debug) =>
    events.record({ regarding, type, reason, action, note, ...(debug === true ? { debug } : {}) });
  const deleted = object.metadata.deletionTimestamp !== undefined;
  const { begun, ended } = followTroubles(progress.troubles, { previous, status, deleted, now });
  if (begun.length > 0) progress.isQuiet = false;
  for (const { name, state, reason = state, message = reason } of begun)
    // Failures have their own Events (recordTrouble).
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

/** Records the end of an overdue deletion. `waited`: the reasons for which it waited, by the statuses. */
export function recordDeletionEnd(
  recoveries: Recoveries,
  object: KubeObject,
  waited: readonly string[],
  now: number,
): void {
  const { deletionTimestamp: since } = object.metadata;
  if (since === undefined || waited.length === 0 || patienceLeft(object, now) > 0) return;
  const message = waited.join("; then: ");
  const reason: Reason = "DeletionWaits";
  recoveries.ended([{ object: regardingOf(object), reason, since, until: timestamp(now), message, ending: "Deleted" }]);
}

const MOST_WAITS = 4;

type RecordOne = (type: "Normal" | "Warning", reason: string, action: string, note: string, debug?: boolean) => void;

function recordRollout(
  record: RecordOne,
  previous: FederatedStatus | undefined,
  status: FederatedStatus,
  progress: ObjectProgress,
): void {
  if (progress.rollingOut === undefined) progress.isQuiet = previous?.observedGeneration === undefined;
  progress.rollingOut ??= previous?.observedGeneration === undefined || isRollingOut(previous.conditions);
  const changed = changedClusters(previous, status);
  const generation = status.observedGeneration ?? 0;
  if (changed.length > 0) {
    if (previous?.observedGeneration !== generation || !progress.rollingOut)
      record("Normal", "RolloutStarted", "RollOut", `generation ${generation} goes to ${changed.join(", ")}`);
    progress.rollingOut = true;
  }
  const isOver = isReady(status.conditions);
  // A rollback ends the rollout as well, and has its own Events.
  if (!progress.rollingOut || !(isOver || progressingOf(status.conditions)?.reason === "RolledBack")) return;
  progress.rollingOut = false;
  const { isQuiet } = progress;
  progress.isQuiet = false;
  if (!isOver) return;
  const { availableClusters = "" } = status;
  const note = `generation ${generation} is available on ${availableClusters} clusters`;
  record("Normal", "RolloutCompleted", "RollOut", note, isQuiet);
}

/** Clusters that now get another desired state. For a held cluster, the change begins when the hold ends. */
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

const UNDER_WAY: ReadonlySet<string> = new Set([
  "Applying",
  "RollingOut",
  "RolloutPaused",
  "RollingBack",
] satisfies Reason[]);

function isRollingOut(conditions: readonly Condition[] | undefined): boolean {
  return UNDER_WAY.has(progressingOf(conditions)?.reason ?? "");
}

/** True if Ready is True. Available may be True with the previous desired state. */
function isReady(conditions: readonly Condition[] | undefined): boolean {
  return conditions?.find(({ type }) => type === "Ready")?.status === "True";
}
