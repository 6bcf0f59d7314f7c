import { type FederatedStatus, fullMessage, type KubeObject, type Reason } from "../../apis/index.ts";
import type { Target } from "../../desiredstate/index.ts";
import type { StatusStore } from "../../hub/index.ts";
import type { EventRecord, EventRecorder } from "../../observability/index.ts";
import { type DelayedWarnings, regardingOf } from "../progress/index.ts";

interface Change {
  previous: FederatedStatus | undefined;
  status: FederatedStatus;
}

export interface TroubleSinks {
  events: Pick<EventRecorder, "record">;
  warnings: Pick<DelayedWarnings, "warn">;
  store: Pick<StatusStore, "read">;
}

/** Reports failures at once, and a wait that may end by itself if the status still shows it a moment later. */
export function reportTrouble(
  { events, warnings, store }: TroubleSinks,
  owner: string,
  object: KubeObject,
  change: Change,
  target: Target | undefined,
): void {
  recordTrouble(events, object, change, target);
  const isStillSo = (reason: string): boolean => waitingFor(reason, store.read(owner)).length > 0;
  const warn = (warning: EventRecord): void =>
    warnings.warn(`${owner} ${warning.reason}`, warning, () => isStillSo(warning.reason));
  recordWaits(warn, object, change);
}

export function recordTrouble(
  events: Pick<EventRecorder, "record">,
  object: KubeObject,
  { previous, status }: Change,
  target: Target | undefined,
): void {
  const regarding = regardingOf(object);
  const before = previous?.clusters;
  const warn = (reason: string, action: string, note: string): void =>
    events.record({ regarding, type: "Warning", reason, action, note });

  for (const { name, state, reason, message = reason } of status.clusters ?? []) {
    if (state !== "Failed" || reason === undefined) continue;
    const known = before?.find((one) => one.name === name);
    if (known?.state === "Failed" && known.reason === reason) continue;
    warn(reason, "Apply", `${name}: ${message}`);
  }
  // A dependency that may not be read on the hub holds all clusters alike.
  const denial = target?.clusters.find(({ frozenFor }) => frozenFor !== undefined)?.frozenFor;
  if (denial === undefined) return;
  const saysSo = (entries: FederatedStatus["clusters"]): boolean =>
    entries?.some(({ state, reason }) => state === "Held" && reason === denial.reason) === true;
  if (saysSo(status.clusters) && !saysSo(before)) warn(denial.reason, "Schedule", fullMessage(denial.message));
}

/** Waits that mostly end by themselves: for a CRD that is sent along, or for the end of a deletion. */
const COMING: readonly Reason[] = ["KindNotServed", "Terminating"];

/**
 * Warns of wanted copies that cannot be created yet, if this is new: one warning for each reason, with all clusters.
 */
export function recordWaits(
  warn: (warning: EventRecord) => void,
  object: KubeObject,
  { previous, status }: Change,
): void {
  const regarding = regardingOf(object);
  for (const reason of COMING) {
    const waiting = waitingFor(reason, status);
    const [first] = waiting;
    if (first === undefined || waitingFor(reason, previous).length > 0) continue;
    const note = `${waiting.map(({ name }) => name).join(", ")}: ${first.message ?? reason}`;
    warn({ regarding, type: "Warning", reason, action: "Apply", note });
  }
}

function waitingFor(awaited: string, status: FederatedStatus | undefined): NonNullable<FederatedStatus["clusters"]> {
  const isOnItsWay = (state: string): boolean => state === "Pending" || state === "Progressing";
  return (status?.clusters ?? []).filter(({ state, reason }) => isOnItsWay(state) && reason === awaited);
}
