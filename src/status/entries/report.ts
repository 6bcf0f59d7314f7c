import {
  asCount,
  type ClusterState,
  type ClusterStatusEntry,
  defined,
  fullMessage,
  type MessageParts,
  type Reason,
  type ReplicaCounts,
  sameValue,
  timestamp,
} from "../../apis/index.ts";
import type { ClusterTarget, Failure, Why } from "../../desiredstate/types.ts";
import { isSameRef } from "../../desiredstate/index.ts";
import { blamed } from "./blame.ts";
import { isFinished } from "./finished.ts";
import { isHeldThere, whyNotRemoved, whyNotReplaced } from "./heldRemoval.ts";
import { lastKnown } from "./lastKnown.ts";
import { listedOverrides, overridesIn } from "./overrides.ts";
import {
  combined,
  failingRow,
  hashesOf,
  HOLDS_DATA,
  isLeftOver,
  isSettled,
  isWanted,
  keptData,
  NONE,
  reportedOn,
  servingOf,
  sumOfHealth,
  worstRow,
} from "./rows.ts";
import { type RunningFacts, type RunningInput, type RunningOn, runningOn, runsOf } from "./running.ts";
import { sinceOf } from "./trouble.ts";
import type { Activity, Availability, ClusterView, RowView } from "../types.ts";

/** The status entry of one cluster, with the facts that the conditions need. */
export interface ClusterReport {
  entry: ClusterStatusEntry;
  /** The parts of the entry's message. Undefined if the message is one text, or only the last entry tells the message. */
  message?: MessageParts;
  planned: boolean;
  /** The member objects are as desired; on a lost cluster, as far as known. */
  applied: boolean;
  available: Availability;
  fresh: boolean;
  /** Work in progress; undefined if nothing changes by itself, or if the change cannot be observed. */
  activity?: Activity;
  /** Undefined if the cluster has no copy, or if the object leaves the cluster. */
  running?: RunningOn;
}

export interface ReportInput {
  view: ClusterView;
  target: ClusterTarget | undefined;
  previous: ClusterStatusEntry | undefined;
  /** The object has many clusters: the entry leaves out conditions and addresses. */
  isBrief: boolean;
  /** Why frozen clusters without their own reason are frozen. */
  frozenFor: Why;
  /** The previous entry is about the present generation of the object. */
  isUnchanged: boolean;
  /** A rollout withholds the desired revision from the cluster, or rolls it back. */
  isHeldBack?: boolean;
  isPlaced: boolean;
  isEmpty?: boolean;
  running?: RunningFacts;
  /** Only for a deleted object: the deletion takes longer than usual. */
  isOverdue?: boolean;
  /** The placement needs to know since when the object is unhealthy. */
  watchesHealth: boolean;
  /** The placement needs to know since when pods are unschedulable. */
  watchesNodes: boolean;
  now: number;
}

/** The report on one cluster; undefined if the cluster is not chosen and has no member object. */
export function reportOf(input: ReportInput): ClusterReport | undefined {
  const { view, target } = input;
  // Finished work stays finished, whether or not the cluster answers.
  if (view.contact.ok || (target !== undefined && isFinished(view.rows)))
    return target === undefined ? leaving(input) : planned(input, target);
  const isKnownOf = view.mayRemain === true || input.previous !== undefined || view.rows.length > 0;
  if (target === undefined && !isKnownOf) return undefined;
  return lost(input);
}

interface Outcome extends Partial<Why> {
  state: ClusterState;
  activity?: Activity;
}

type Hashes = ReturnType<typeof hashesOf>;

/** Since when the object is unhealthy on the cluster, or has no available replica although replicas are wanted. */
function healthClock(
  { watchesHealth, previous, now }: ReportInput,
  { state }: Outcome,
  { desired, available }: ReplicaCounts,
): Pick<ClusterStatusEntry, "unhealthySince"> {
  if (!watchesHealth || state === "Available" || state === "Held" || state === "Unknown") return {};
  const isUnhealthy = state === "Failed" || state === "Degraded" || (desired > 0 && available === 0);
  return isUnhealthy ? { unhealthySince: previous?.unhealthySince ?? timestamp(now) } : {};
}

/** Since when pods are unschedulable. Restarts when replicas have left, so that the others wait the delay again. */
function nodesClock(
  { watchesNodes, previous, now, target }: ReportInput,
  { reason }: Outcome,
  { desired, available }: ReplicaCounts,
): Pick<ClusterStatusEntry, "unschedulableSince"> {
  if (!watchesNodes || reason !== UNSCHEDULABLE || available >= desired) return {};
  const haveLeft = previous !== undefined && (target?.replicas ?? desired) < previous.replicas.desired;
  return { unschedulableSince: (haveLeft ? undefined : previous?.unschedulableSince) ?? timestamp(now) };
}

const UNSCHEDULABLE: Reason = "Unschedulable";

function planned(input: ReportInput, target: ClusterTarget): ClusterReport {
  const { rows } = input.view;
  const isEmpty = input.isEmpty === true && !rows.some(isWanted);
  const outcome = outcomeOf(rows, target, input.frozenFor, isEmpty);
  const hashes = hashesAskedFor(input, target, hashesOf(rows));
  // An object that was written and does not become healthy counts as applied; its health is reported separately.
  const isDone = isSettled(rows) || (isEmpty && !target.frozen && !rows.some(isLeftOver));
  const applied = target.problem === undefined && (isDone || isAsAskedBefore(target, rows, hashes));
  const replicas = countsOf(rows, target, input.isHeldBack === true || hashes.desiredHash !== hashes.observedHash);
  const observedHash = hashes.observedHash ?? seenBefore(input);
  const running = versionOn(input, target, { ...outcome, ...hashes, ...defined({ observedHash }) });
  return {
    entry: observed(input, outcome, {
      replicas,
      ...healthClock(input, outcome, replicas),
      ...nodesClock(input, outcome, replicas),
      ...(input.isBrief ? {} : reportedOn(rows)),
      ...overridesOn(input, target, applied),
      ...hashes,
      ...defined({ observedHash }),
      ...runsOf(running),
    }),
    planned: true,
    applied,
    available: availabilityOf(rows, target, outcome, hashes),
    fresh: outOfSightOf(rows) === undefined,
    ...defined({ running }),
    ...partsOf(outcome),
    ...(outcome.activity === undefined ? {} : { activity: outcome.activity }),
  };
}

function versionOn(
  { running: facts = {}, view, previous }: ReportInput,
  target: ClusterTarget | undefined,
  entry: RunningInput["entry"],
): RunningOn | undefined {
  return target === undefined ? undefined : runningOn({ facts, target, rows: view.rows, previous, entry });
}

/** The last observed hash stays while the copies cannot be observed, since they may still exist. */
function seenBefore({ view, previous }: ReportInput): string | undefined {
  return view.rows.some(({ isUnobserved }) => isUnobserved) ? previous?.observedHash : undefined;
}

/** The last desired hash stays while nobody can say what is desired, unless the object itself changed. */
function hashesAskedFor(
  { previous, isUnchanged, isPlaced }: ReportInput,
  target: ClusterTarget,
  known: Hashes,
): Hashes {
  const isUnknowable = target.frozen && (target.frozenFor !== undefined || !isPlaced);
  const last = previous?.desiredHash;
  return isUnknowable && isUnchanged && last !== undefined ? { ...known, desiredHash: last } : known;
}

/** True if the copies match the last desired state of a frozen cluster. Only policies could ask for another state. */
function isAsAskedBefore(
  target: ClusterTarget,
  rows: readonly RowView[],
  { desiredHash, observedHash }: Hashes,
): boolean {
  if (!target.frozen || target.frozenFor !== undefined || observedHash === undefined) return false;
  return desiredHash === observedHash && rows.filter(isWanted).every((row) => row.observedHash !== undefined);
}

/** The override policies behind the present copies: the previous ones until the desired state is applied. */
function overridesOn(
  { previous }: ReportInput,
  target: ClusterTarget,
  applied: boolean,
): Pick<ClusterStatusEntry, "overrides" | "moreOverrides"> {
  return applied && !target.frozen ? listedOverrides(target.overrides) : overridesIn(previous);
}

/** Only an applied state counts. During a change, the serving form is available unless a failure is known. */
function availabilityOf(
  rows: readonly RowView[],
  target: ClusterTarget,
  { state }: Outcome,
  { desiredHash, observedHash }: Hashes,
): Availability {
  if (state === "Available") return "Yes";
  const serving = servingOf(rows);
  if (serving === undefined || target.problem !== undefined) return "No";
  // A frozen object keeps serving. The object is available as long as the desired form serves.
  if (state === "Held") return desiredHash !== observedHash ? "No" : serving === "Now" ? "Yes" : "Before";
  if (failingRow(rows) !== undefined) return "No";
  return serving === "Now" && rows.filter(isWanted).every((row) => row.inSync) ? "Yes" : "Before";
}

const COPY_FOUND: Reason = "CopyFound";

const FOUND: Why = {
  reason: COPY_FOUND,
  message: "a copy is there that no record on the hub names; it stays as it is until a Placement decides",
};

function outcomeOf(rows: readonly RowView[], target: ClusterTarget, frozenFor: Why, isEmpty: boolean): Outcome {
  if (target.problem !== undefined) return { state: "Failed", ...textOf(target.problem) };
  if (target.frozen) return { state: "Held", ...(target.frozenFor ?? (target.found === true ? FOUND : frozenFor)) };

  const failure = failureOf(rows, target);
  if (failure?.final === true) return { state: "Failed", ...textOf(failure) };
  const outOfSight = outOfSightOf(rows);
  if (outOfSight !== undefined) return { state: "Unknown", ...textOf(outOfSight) };

  const wanted = rows.filter(isWanted);
  const why = failure ?? whyNotReplaced(rows) ?? target.warning;
  if (!isEmpty && !wanted.some((row) => row.observedHash !== undefined)) {
    return { state: "Pending", reason: "Applying", ...textOf(why), activity: "Applying" };
  }
  const isAwaited = (row: RowView): boolean => !row.inSync && row.kept === undefined;
  const kept = wanted.find((row) => row.kept !== undefined)?.kept;
  if (why === undefined && kept !== undefined && !wanted.some(isAwaited)) return { state: "Held", ...textOf(kept) };
  if (!wanted.every((row) => row.inSync)) {
    return { state: "Progressing", reason: "Applying", ...textOf(why), activity: "Applying" };
  }
  const waits = rows.find((row) => isLeftOver(row) && row.stays?.reason === AWAITS_AGREEMENT)?.stays;
  if (waits !== undefined) return { state: "Held", ...textOf(waits) };
  const leftOver = rows.filter(isLeftOver);
  if (leftOver.length > 0) {
    const { message } = leftOver.some(isHeldThere) ? whyNotRemoved(leftOver) : {};
    return {
      state: "Progressing",
      reason: "Removing",
      ...defined({ message }),
      ...textOf(why),
      activity: "Removing",
    };
  }

  if (isEmpty) return { state: "Available", message: "the bundle has no manifests", ...textOf(target.warning) };
  const health = worstRow(rows)?.health;
  // Unknown health does not count as healthy.
  if (health === undefined) return { state: "Unknown", reason: "NotReported", message: "its health is not known yet" };
  // Pods may run with the member's own copy of a dependency, so a missing one changes no state.
  if (health.state === "Available")
    return {
      state: "Available",
      ...textOf(target.warning ?? keptData(rows) ?? (isFinished(rows) ? FINISHED : undefined)),
    };
  const activity = health.state === "Progressing" ? { activity: "RollingOut" as const } : {};
  return { state: health.state, ...textOf(health), ...textOf(warningBeside(health.state, target)), ...activity };
}

const FINISHED: Why = {
  reason: "Finished" satisfies Reason,
  message: "it has come to its end, and is not run again until its spec asks for other work",
};

function failureOf(
  rows: readonly RowView[],
  target: Pick<ClusterTarget, "overrides" | "objects">,
): Failure | undefined {
  const row = failingRow(rows);
  return row === undefined ? undefined : blamed(row, effectOn(row, target));
}

/** Effect of overrides on the row's object. A dependency has its own overrides. */
function effectOn(
  { role, ref }: RowView,
  { overrides, objects }: Pick<ClusterTarget, "overrides" | "objects">,
): ClusterTarget["overrides"] {
  return role === "dependency" ? objects.find((object) => isSameRef(object.ref, ref))?.overrides : overrides;
}

const AWAITS_AGREEMENT: Reason = "CustomObjectsExist";
/** Copies with this reason are removed later without any action. */
const MOVING: Reason = "AwaitingReplacement";

function leaving(input: ReportInput): ClusterReport | undefined {
  const { view, previous } = input;
  const rows = view.rows.filter((row) => row.observedHash !== undefined);
  if (rows.length === 0 && view.mayRemain !== true) return undefined;
  const failure = rows.find((row) => row.failure !== undefined)?.failure;
  const outOfSight = outOfSightOf(rows);
  const stays = whyLeftBehind(rows) ?? view.stays;
  // If no copy is seen but copies may exist, the last numbers are the best knowledge.
  const isUnobserved = rows.length === 0;
  const counts = { ...(isUnobserved ? (previous?.replicas ?? NONE) : sumOfHealth(rows)), desired: 0 };
  const observedHash = isUnobserved ? previous?.observedHash : combined(rows, "observedHash");
  // A wait for a person is no activity.
  const isHeld = stays !== undefined && stays.reason !== MOVING;
  // Most deletions end before anybody could read the obstacle, so only a late deletion reports one.
  const holds = (input.isOverdue ?? rows.some(isHeldThere)) ? whyNotRemoved(rows) : stays;
  const outcome: Outcome = {
    state: isHeld ? "Held" : "Removing",
    ...textOf(isHeld ? stays : (failure ?? outOfSight ?? holds)),
  };
  const entry = observed(input, outcome, { replicas: counts, ...defined({ observedHash }) });
  const report = {
    ...{ entry, planned: false, applied: false, available: "No" as const, fresh: outOfSight === undefined },
    ...partsOf(outcome),
  };
  return isHeld ? report : { ...report, activity: "Removing" };
}

/** Data that stays for good is reported last: while another copy is being removed, the cluster is not settled. */
function whyLeftBehind(rows: readonly RowView[]): Why | undefined {
  const reasons = rows.flatMap(({ stays }) => stays ?? []);
  const first = reasons.find(({ reason }) => reason === MOVING) ?? reasons.find(({ reason }) => reason !== HOLDS_DATA);
  const isGoing = rows.some(({ stays, failure }) => stays === undefined && failure === undefined);
  return first ?? (isGoing ? undefined : reasons[0]);
}

/** A cluster out of contact keeps its last known facts, with their time. */
function lost(input: ReportInput): ClusterReport {
  const { view, target, previous } = input;
  const { contact, rows } = view;
  const known = hashesOf(rows);
  const observedHash = known.observedHash ?? previous?.observedHash;
  const hashes: Hashes = {
    ...defined({
      desiredHash: target === undefined ? undefined : (known.desiredHash ?? previous?.desiredHash),
      observedHash,
    }),
  };
  const { desiredHash } = target === undefined ? hashes : hashesAskedFor(input, target, hashes);
  const isObserved = rows.some((row) => isWanted(row) && row.observedHash !== undefined);
  const asked = target?.frozenFor === undefined ? desiredHash : hashes.desiredHash;
  const isAsSeenLast = observedHash !== undefined && observedHash === asked;
  const applied =
    target !== undefined &&
    target.problem === undefined &&
    (isObserved ? isSettled(rows) || (target.frozen && isAsSeenLast) : isAsSeenLast);
  const seen = rows.some((row) => row.health?.replicas !== undefined) ? sumOfHealth(rows) : previous?.replicas;
  const running = versionOn(input, target, { state: "Unknown", ...hashes, ...defined({ desiredHash }) });
  const facts: Facts = {
    replicas: {
      ...(seen ?? NONE),
      ...(input.isHeldBack === true || (target !== undefined && observedHash !== desiredHash) ? { updated: 0 } : {}),
      desired: desiredOf(target, seen),
    },
    ...(input.isBrief ? {} : isObserved ? reportedOn(rows) : reportedIn(previous)),
    ...(target === undefined ? overridesIn(previous) : overridesOn(input, target, applied)),
    ...defined({ desiredHash, observedHash }),
    ...runsOf(running),
  };
  const report = {
    planned: target !== undefined,
    applied,
    available: "No" as const,
    fresh: false,
    ...defined({ running }),
  };

  // Before the first contact after a restart, the previous entry stays, because it is probably still true.
  const untried = contact.lastContact === undefined && contact.reason === undefined;
  if (untried && previous !== undefined) {
    const kept = withoutFacts(previous);
    const entry = { ...kept, ...defined({ region: view.region ?? target?.region ?? kept.region }), ...facts };
    return { ...report, entry, ...lastKnown(entry, target !== undefined, applied) };
  }

  const last = contact.lastContact === undefined ? undefined : timestamp(contact.lastContact);
  const [observedAt] = [last, previous?.observedAt]
    .flatMap((time) => time ?? [])
    .toSorted((a, b) => Date.parse(b) - Date.parse(a));
  const state = observedAt === undefined && target !== undefined ? "Pending" : "Unknown";
  const reason = contact.reason ?? (untried ? "Connecting" : "ClusterUnreachable");
  const outcome: Outcome = { state, ...textOf({ reason, ...defined({ message: contact.message }) }) };
  const since = sinceOf(previous, outcome, observedAt ?? timestamp(input.now));
  return { ...report, entry: { ...entryOf(input, outcome, facts), ...since, ...defined({ observedAt }) } };
}

/** The fields of a previous entry that are not computed again. */
function withoutFacts(entry: ClusterStatusEntry): Omit<ClusterStatusEntry, keyof Facts> {
  const { desiredHash: _hash, overrides: _overrides, moreOverrides: _more, ...rest } = entry;
  const { conditions: _conditions, addresses: _addresses, runs: _runs, ...kept } = rest;
  return kept;
}

function reportedIn(entry: ClusterStatusEntry | undefined): ReturnType<typeof reportedOn> {
  return { ...defined({ conditions: entry?.conditions }), ...defined({ addresses: entry?.addresses }) };
}

type Facts = Pick<
  ClusterStatusEntry,
  | "replicas"
  | "conditions"
  | "addresses"
  | "overrides"
  | "moreOverrides"
  | "desiredHash"
  | "observedHash"
  | "runs"
  | "unhealthySince"
  | "unschedulableSince"
>;

function entryOf({ view, target }: ReportInput, outcome: Outcome, facts: Facts): ClusterStatusEntry {
  return {
    name: view.name,
    ...defined({ region: view.region ?? target?.region }),
    state: outcome.state,
    ...defined({
      reason: outcome.reason,
      message: outcome.message === undefined ? undefined : fullMessage(outcome.message) || undefined,
    }),
    ...facts,
  };
}

/** While nothing else in the entry changes, its time stays too, so that nothing is written. */
function observed(input: ReportInput, outcome: Outcome, facts: Facts): ClusterStatusEntry {
  const { observedAt, ...before } = input.previous ?? {};
  const seenAt = timestamp(Math.min(input.now, input.view.lastContact ?? input.now));
  const entry = { ...entryOf(input, outcome, facts), ...sinceOf(input.previous, outcome, seenAt) };
  return { ...entry, observedAt: observedAt !== undefined && sameValue(before, entry) ? observedAt : seenAt };
}

/** Why there is no further news of copies that were seen. */
function outOfSightOf(rows: readonly RowView[]): Why | undefined {
  return rows.find((row) => row.outOfSight !== undefined)?.outOfSight;
}

/** A warning about fields that are not sent does not explain the state that the copy itself reports. */
function warningBeside(state: ClusterState, { warning }: ClusterTarget): Why | undefined {
  return warning?.reason === "VersionLacksFields" && state !== "Unknown" ? undefined : warning;
}

function partsOf({ message }: Outcome): Pick<ClusterReport, "message"> {
  return typeof message === "object" ? { message } : {};
}

function textOf(why: Partial<Why> | undefined): Partial<Why> {
  return defined({ reason: why?.reason, message: why?.message });
}

/** `isOld`: the copies have another revision, so no replica counts as updated, whatever the controller says. */
function countsOf(rows: readonly RowView[], target: ClusterTarget, isOld: boolean): ReplicaCounts {
  const seen = sumOfHealth(rows);
  return { ...seen, ...(isOld ? { updated: 0 } : {}), desired: desiredOf(target, seen) };
}

/** The planned replicas, limited to valid counts; the reported number if each cluster decides (a DaemonSet). */
function desiredOf(target: ClusterTarget | undefined, seen: ReplicaCounts | undefined): number {
  if (target === undefined) return 0;
  return asCount(target.replicas ?? seen?.desired ?? 0);
}
