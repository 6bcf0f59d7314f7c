import {
  asCount,
  type ClusterState,
  type ClusterStatusEntry,
  type Reason,
  type ReplicaCounts,
  sameValue,
  shortMessage,
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
  pick,
  reportedOn,
  servingOf,
  sumOfHealth,
  worstRow,
} from "./rows.ts";
import { type RunningFacts, type RunningInput, type RunningOn, runningOn, runsOf } from "./running.ts";
import { laterOf } from "./time.ts";
import { sinceOf } from "./trouble.ts";
import type { Activity, Availability, ClusterView, RowView } from "../types.ts";

/** The entry of one cluster in the status, and the facts about the cluster that the conditions need. */
export interface ClusterReport {
  entry: ClusterStatusEntry;
  /** What the message of the entry says, in fewer words. */
  shorter?: readonly string[];
  /** The cluster is chosen for the object. */
  planned: boolean;
  /** The member objects are as wanted; on a lost cluster, as far as is known. */
  applied: boolean;
  available: Availability;
  /** The entry is current. */
  fresh: boolean;
  /** What Meridian or the cluster is doing; undefined when nothing will change by itself, or nobody can see whether it does. */
  activity?: Activity;
  /** Undefined where nothing of the object is there, and of a cluster that it leaves. */
  running?: RunningOn;
}

export interface ReportInput {
  view: ClusterView;
  /** Undefined when the cluster is not chosen for the object, or no longer. */
  target: ClusterTarget | undefined;
  previous: ClusterStatusEntry | undefined;
  /** There are many clusters: the entry leaves out what their controllers say of the object. */
  isBrief: boolean;
  /** Why clusters are frozen, when they are and have no reason of their own. */
  frozenFor: Why;
  /** The previous entry is about the present generation of the object. */
  isUnchanged: boolean;
  /** A rollout keeps what is wanted from the cluster, or takes it back. */
  isHeldBack?: boolean;
  /** A policy places the object. */
  isPlaced: boolean;
  /** A bundle without manifests: there is nothing to wait for but what is on its way out. */
  isEmpty?: boolean;
  /** What tells versions of the object apart. */
  running?: RunningFacts;
  /** Of an object that is being deleted: that has taken longer than deletions take. */
  isOverdue?: boolean;
  /** The placement asks since when the object is unhealthy. */
  watchesHealth: boolean;
  /** The placement asks since when pods find no node. */
  watchesNodes: boolean;
  /** Epoch milliseconds. */
  now: number;
}

/** The report on one cluster; undefined when the cluster is not chosen and has no member object. */
export function reportOf(input: ReportInput): ClusterReport | undefined {
  const { view, target } = input;
  // What has come to its end stays so, whether or not the cluster answers.
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

/** Since when the object is unhealthy there: not as it should be by its own account, or with nothing available of what is asked for. */
function healthClock(
  { watchesHealth, previous, now }: ReportInput,
  { state }: Outcome,
  { desired, available }: ReplicaCounts,
): Pick<ClusterStatusEntry, "unhealthySince"> {
  if (!watchesHealth || state === "Available" || state === "Held" || state === "Unknown") return {};
  const isUnhealthy = state === "Failed" || state === "Degraded" || (desired > 0 && available === 0);
  return isUnhealthy ? { unhealthySince: previous?.unhealthySince ?? timestamp(now) } : {};
}

/** Since when pods find no node there; from the start again when replicas have left, so that these are all that move until the delay is over. */
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

/** A cluster in contact that is chosen for the object. */
function planned(input: ReportInput, target: ClusterTarget): ClusterReport {
  const { rows } = input.view;
  const isEmpty = input.isEmpty === true && !rows.some(isWanted);
  const outcome = outcomeOf(rows, target, input.frozenFor, isEmpty);
  const hashes = hashesAskedFor(input, target, hashesOf(rows));
  // What was written and does not come up was applied all the same: its health says the rest.
  const isDone = isSettled(rows) || (isEmpty && !target.frozen && !rows.some(isLeftOver));
  const applied = target.problem === undefined && (isDone || isAsAskedBefore(target, rows, hashes));
  const replicas = countsOf(rows, target, input.isHeldBack === true || hashes.desiredHash !== hashes.observedHash);
  const observedHash = hashes.observedHash ?? seenBefore(input);
  const running = versionOn(input, target, { ...outcome, ...hashes, ...pick("observedHash", observedHash) });
  return {
    entry: observed(input, outcome, {
      replicas,
      ...healthClock(input, outcome, replicas),
      ...nodesClock(input, outcome, replicas),
      ...(input.isBrief ? {} : reportedOn(rows)),
      ...overridesOn(input, target, applied),
      ...hashes,
      ...pick("observedHash", observedHash),
      ...runsOf(running),
    }),
    planned: true,
    applied,
    available: availabilityOf(rows, target, outcome, hashes),
    fresh: outOfSightOf(rows) === undefined,
    ...pick("running", running),
    ...pick("shorter", outcome.shorter),
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

/** What was seen stays said where nobody may look any more: until it is seen to be gone it may be there. */
function seenBefore({ view, previous }: ReportInput): string | undefined {
  return view.rows.some(({ isUnseen }) => isUnseen) ? previous?.observedHash : undefined;
}

/**
 * The hashes of the entry. Where nothing is written and nobody can say what the object is to be (no policy places it, a Secret may not be read),
 * what was last asked for is still asked for, unless the object itself has changed since.
 */
function hashesAskedFor(
  { previous, isUnchanged, isPlaced }: ReportInput,
  target: ClusterTarget,
  known: Hashes,
): Hashes {
  const isUnknowable = target.frozen && (target.frozenFor !== undefined || !isPlaced);
  const last = previous?.desiredHash;
  return isUnknowable && isUnchanged && last !== undefined ? { ...known, desiredHash: last } : known;
}

/** What is there is what was last asked for, and only policies could ask for something else. */
function isAsAskedBefore(
  target: ClusterTarget,
  rows: readonly RowView[],
  { desiredHash, observedHash }: Hashes,
): boolean {
  if (!target.frozen || target.frozenFor !== undefined || observedHash === undefined) return false;
  return desiredHash === observedHash && rows.filter(isWanted).every((row) => row.observedHash !== undefined);
}

/** The policies that what is there was made with. Until that is what is asked for now, those of before. */
function overridesOn(
  { previous }: ReportInput,
  target: ClusterTarget,
  applied: boolean,
): Pick<ClusterStatusEntry, "overrides" | "moreOverrides"> {
  return applied && !target.frozen ? listedOverrides(target.overrides) : overridesIn(previous);
}

/** Only what was carried out counts; while that goes on, what serves is available as long as nobody has said otherwise. */
function availabilityOf(
  rows: readonly RowView[],
  target: ClusterTarget,
  { state }: Outcome,
  { desiredHash, observedHash }: Hashes,
): Availability {
  if (state === "Available") return "Yes";
  const serving = servingOf(rows);
  if (serving === undefined || target.problem !== undefined) return "No";
  // An object that is held keeps serving. It is available as long as what serves is what is asked for.
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
      ...pick("message", message),
      ...textOf(why),
      activity: "Removing",
    };
  }

  if (isEmpty) return { state: "Available", message: "the bundle has no manifests", ...textOf(target.warning) };
  const health = worstRow(rows)?.health;
  // An unknown health is not healthy.
  if (health === undefined) return { state: "Unknown", reason: "NotReported", message: "its health is not known yet" };
  // The pods may run on the member's own copy of a dependency; the entry says all the same that the dependency is missing on the hub.
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

/** The failure to report, with the patch to blame for it where one is. */
function failureOf(
  rows: readonly RowView[],
  target: Pick<ClusterTarget, "overrides" | "objects">,
): Failure | undefined {
  const row = failingRow(rows);
  return row === undefined ? undefined : blamed(row, effectOn(row, target));
}

/** Of a dependency, what overrides come to that select the dependency itself. */
function effectOn(
  { role, ref }: RowView,
  { overrides, objects }: Pick<ClusterTarget, "overrides" | "objects">,
): ClusterTarget["overrides"] {
  return role === "dependency" ? objects.find((object) => isSameRef(object.ref, ref))?.overrides : overrides;
}

/** All that there is to say of what keeps the object from being as it should be, where the entry had to cut it. */
export function detailOf({ rows }: Pick<ClusterView, "rows">, target: ClusterTarget): string | undefined {
  if (target.problem !== undefined) return target.problem.detail;
  return (failureOf(rows, target) ?? whyNotReplaced(rows))?.detail;
}

/** What stays for this reason goes when a person agrees. */
const AWAITS_AGREEMENT: Reason = "CustomObjectsExist";
/** A copy that stays for this reason goes by itself. */
const MOVING: Reason = "AwaitingReplacement";

/** A cluster in contact that is no longer chosen for the object. */
function leaving(input: ReportInput): ClusterReport | undefined {
  const { view, previous } = input;
  const rows = view.rows.filter((row) => row.observedHash !== undefined);
  if (rows.length === 0 && view.mayRemain !== true) return undefined;
  const failure = rows.find((row) => row.failure !== undefined)?.failure;
  const outOfSight = outOfSightOf(rows);
  const stays = whyLeftBehind(rows) ?? view.stays;
  // Where nothing is seen and something may be, the last numbers are all that is known.
  const isUnseen = rows.length === 0;
  const counts = { ...(isUnseen ? (previous?.replicas ?? NONE) : sumOfHealth(rows)), desired: 0 };
  const observedHash = isUnseen ? previous?.observedHash : combined(rows, "observedHash");
  // What waits for a person does not move by itself.
  const isHeld = stays !== undefined && stays.reason !== MOVING;
  // Of a deletion, said only when it is late: most are over before anybody could read why they are not.
  const holds = (input.isOverdue ?? rows.some(isHeldThere)) ? whyNotRemoved(rows) : stays;
  const outcome: Outcome = {
    state: isHeld ? "Held" : "Removing",
    ...textOf(isHeld ? stays : (failure ?? outOfSight ?? holds)),
  };
  const entry = observed(input, outcome, { replicas: counts, ...pick("observedHash", observedHash) });
  const report = {
    ...{ entry, planned: false, applied: false, available: "No" as const, fresh: outOfSight === undefined },
    ...pick("shorter", outcome.shorter),
  };
  return isHeld ? report : { ...report, activity: "Removing" };
}

/**
 * Why copies are still on a cluster that the object has left. What stays there for good with its data is said last: while another copy is on
 * its way, the cluster is not settled.
 */
function whyLeftBehind(rows: readonly RowView[]): Why | undefined {
  const reasons = rows.flatMap(({ stays }) => stays ?? []);
  const first = reasons.find(({ reason }) => reason === MOVING) ?? reasons.find(({ reason }) => reason !== HOLDS_DATA);
  const isGoing = rows.some(({ stays, failure }) => stays === undefined && failure === undefined);
  return first ?? (isGoing ? undefined : reasons[0]);
}

/** A cluster without contact: the facts that were last known stay, with the time at which they were known. */
function lost(input: ReportInput): ClusterReport {
  const { view, target, previous } = input;
  const { contact, rows } = view;
  const known = hashesOf(rows);
  const observedHash = known.observedHash ?? previous?.observedHash;
  const hashes: Hashes = {
    ...pick("desiredHash", target === undefined ? undefined : (known.desiredHash ?? previous?.desiredHash)),
    ...pick("observedHash", observedHash),
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
  const running = versionOn(input, target, { state: "Unknown", ...hashes, ...pick("desiredHash", desiredHash) });
  const facts: Facts = {
    replicas: {
      ...(seen ?? NONE),
      ...(input.isHeldBack === true || (target !== undefined && observedHash !== desiredHash) ? { updated: 0 } : {}),
      desired: desiredOf(target, seen),
    },
    ...(input.isBrief ? {} : isObserved ? reportedOn(rows) : reportedIn(previous)),
    ...(target === undefined ? overridesIn(previous) : overridesOn(input, target, applied)),
    ...pick("desiredHash", desiredHash),
    ...pick("observedHash", observedHash),
    ...runsOf(running),
  };
  const report = {
    planned: target !== undefined,
    applied,
    available: "No" as const,
    fresh: false,
    ...pick("running", running),
  };

  // Before the first contact after a restart the entry of before stays: it was true then, and may well be still.
  const untried = contact.lastContact === undefined && contact.reason === undefined;
  if (untried && previous !== undefined) {
    const kept = withoutFacts(previous);
    const entry = { ...kept, ...pick("region", view.region ?? target?.region ?? kept.region), ...facts };
    return { ...report, entry, ...lastKnown(entry, target !== undefined, applied) };
  }

  const last = contact.lastContact === undefined ? undefined : timestamp(contact.lastContact);
  const observedAt = laterOf(last, previous?.observedAt);
  const state = observedAt === undefined && target !== undefined ? "Pending" : "Unknown";
  const reason = contact.reason ?? (untried ? "Connecting" : "ClusterUnreachable");
  const outcome: Outcome = { state, ...textOf({ reason, ...pick("message", contact.message) }) };
  const since = sinceOf(previous, outcome, observedAt ?? timestamp(input.now));
  return { ...report, entry: { ...entryOf(input, outcome, facts), ...since, ...pick("observedAt", observedAt) } };
}

/** What an entry of before says beside what is known anew. */
function withoutFacts(entry: ClusterStatusEntry): Omit<ClusterStatusEntry, keyof Facts> {
  const { desiredHash: _hash, overrides: _overrides, moreOverrides: _more, ...rest } = entry;
  const { conditions: _conditions, addresses: _addresses, runs: _runs, ...kept } = rest;
  return kept;
}

function reportedIn(entry: ClusterStatusEntry | undefined): ReturnType<typeof reportedOn> {
  return { ...pick("conditions", entry?.conditions), ...pick("addresses", entry?.addresses) };
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
    ...pick("region", view.region ?? target?.region),
    state: outcome.state,
    ...pick("reason", outcome.reason),
    ...pick("message", outcome.message === undefined ? undefined : shortMessage(outcome.message) || undefined),
    ...facts,
  };
}

/** The entry of a cluster in contact. While nothing else in the entry changes, its time stays too, so that nothing is written. */
function observed(input: ReportInput, outcome: Outcome, facts: Facts): ClusterStatusEntry {
  const { observedAt, ...before } = input.previous ?? {};
  const seenAt = timestamp(Math.min(input.now, input.view.lastContact ?? input.now));
  const entry = { ...entryOf(input, outcome, facts), ...sinceOf(input.previous, outcome, seenAt) };
  return { ...entry, observedAt: observedAt !== undefined && sameValue(before, entry) ? observedAt : seenAt };
}

/** Why nothing new is heard of copies that were seen. */
function outOfSightOf(rows: readonly RowView[]): Why | undefined {
  return rows.find((row) => row.outOfSight !== undefined)?.outOfSight;
}

/** Fields that are not sent are no reason for what the copy itself reports. */
function warningBeside(state: ClusterState, { warning }: ClusterTarget): Why | undefined {
  return warning?.reason === "VersionLacksFields" && state !== "Unknown" ? undefined : warning;
}

function textOf(why: Partial<Why> | undefined): Partial<Why> {
  return { ...pick("reason", why?.reason), ...pick("message", why?.message), ...pick("shorter", why?.shorter) };
}

/** `isOld`: what is there is another version, of which no copy counts as updated, whatever its controller says. */
function countsOf(rows: readonly RowView[], target: ClusterTarget, isOld: boolean): ReplicaCounts {
  const seen = sumOfHealth(rows);
  return { ...seen, ...(isOld ? { updated: 0 } : {}), desired: desiredOf(target, seen) };
}

/** The planned number, as far as a status may say it; for a kind whose number each cluster decides (a DaemonSet), the number that the cluster reports. */
function desiredOf(target: ClusterTarget | undefined, seen: ReplicaCounts | undefined): number {
  if (target === undefined) return 0;
  return asCount(target.replicas ?? seen?.desired ?? 0);
}
