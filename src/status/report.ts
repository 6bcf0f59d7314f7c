import type { ClusterState, ClusterStatusEntry, ReplicaCounts } from "../apis/index.ts";
import type { ClusterTarget } from "../desiredstate/types.ts";
import { jsonEqual } from "../override/index.ts";
import { shortMessage } from "./message.ts";
import {
  combined,
  failureOf,
  hashesOf,
  isLingering,
  isSettled,
  isWanted,
  NONE,
  pick,
  sumOfHealth,
  worstHealth,
} from "./rows.ts";
import { laterOf, timeText } from "./time.ts";
import type { ClusterView, RowView } from "./types.ts";

/** What one cluster means for the object: its entry, and what the conditions need to know beside it. */
export interface ClusterReport {
  entry: ClusterStatusEntry;
  /** The object is meant to run there. */
  planned: boolean;
  /** What is written there is what is wanted; for a lost cluster, as far as is known. */
  applied: boolean;
  available: boolean;
  /** The entry tells the present. */
  fresh: boolean;
  /** What Meridian or the cluster is busy with; undefined when nothing will change by itself, or nobody can see it. */
  activity?: Activity;
}

export type Activity = "Applying" | "RollingOut" | "Removing";

export interface Reason {
  reason: string;
  message?: string;
}

export interface ReportInput {
  view: ClusterView;
  /** Undefined when the object is not, or no longer, meant for this cluster. */
  plan: ClusterTarget | undefined;
  previous: ClusterStatusEntry | undefined;
  /** Why clusters are held, when they are. */
  held: Reason;
  /** Epoch milliseconds. */
  now: number;
}

/** The report on one cluster; undefined when the object is not meant for it and nothing of it is there. */
export function reportOf(input: ReportInput): ClusterReport | undefined {
  const { view, plan } = input;
  if (view.contact.ok) return plan === undefined ? leaving(input) : planned(input, plan);
  if (plan === undefined && input.previous === undefined && view.rows.length === 0) return undefined;
  return lost(input);
}

interface Outcome extends Partial<Reason> {
  state: ClusterState;
  activity?: Activity;
}

/** A cluster in contact where the object is to run. */
function planned(input: ReportInput, plan: ClusterTarget): ClusterReport {
  const { rows } = input.view;
  const outcome = outcomeOf(rows, plan, input.held);
  const healthy = worstHealth(rows)?.state === "Available";
  return {
    entry: observed(input, outcome, { replicas: countsOf(rows, plan), ...hashesOf(rows) }),
    planned: true,
    applied: outcome.state !== "Failed" && isSettled(rows),
    // Suspending an object takes nothing away from those who use it.
    available: outcome.state === "Available" || (outcome.state === "Held" && healthy),
    fresh: true,
    ...(outcome.activity === undefined ? {} : { activity: outcome.activity }),
  };
}

function outcomeOf(rows: readonly RowView[], plan: ClusterTarget, held: Reason): Outcome {
  if (plan.problem !== undefined) return { state: "Failed", ...plan.problem };
  if (plan.frozen) return { state: "Held", ...(plan.frozenFor ?? held) };

  const failure = failureOf(rows);
  if (failure?.final === true) return { state: "Failed", reason: failure.reason, message: failure.message };

  const wanted = rows.filter(isWanted);
  const why = failure ?? plan.warning;
  if (!wanted.some((row) => row.observedHash !== undefined)) {
    return { state: "Pending", reason: "Applying", ...textOf(why), activity: "Applying" };
  }
  if (!wanted.every((row) => row.inSync)) {
    return { state: "Progressing", reason: "Applying", ...textOf(why), activity: "Applying" };
  }
  if (rows.some(isLingering)) return { state: "Progressing", reason: "Removing", ...textOf(why), activity: "Removing" };

  const health = worstHealth(rows);
  // What nobody has reported on is not healthy.
  if (health === undefined) return { state: "Unknown", reason: "NotReported", message: "its health is not known yet" };
  // It may run on what is there still, or on what somebody put there; that something is missing on the hub is told all the same.
  if (health.state === "Available") return { state: "Available", ...textOf(plan.warning) };
  const activity = health.state === "Progressing" ? { activity: "RollingOut" as const } : {};
  return { state: health.state, ...textOf(health), ...textOf(plan.warning), ...activity };
}

/** A cluster in contact where the object is no longer to run. */
function leaving(input: ReportInput): ClusterReport | undefined {
  const rows = input.view.rows.filter((row) => row.observedHash !== undefined);
  if (rows.length === 0) return undefined;
  const failure = rows.find((row) => row.failure !== undefined)?.failure;
  const counts = { ...sumOfHealth(rows), desired: 0 };
  const outcome: Outcome = { state: "Removing", ...textOf(failure) };
  const entry = observed(input, outcome, { replicas: counts, ...pick("observedHash", combined(rows, "observedHash")) });
  return { entry, planned: false, applied: false, available: false, fresh: true, activity: "Removing" };
}

/** A cluster without contact: what was last known stays, with the time at which it was known. */
function lost(input: ReportInput): ClusterReport {
  const { view, plan, previous } = input;
  const { contact, rows } = view;
  const known = hashesOf(rows);
  const observedHash = known.observedHash ?? previous?.observedHash;
  const seen = rows.some((row) => row.health?.replicas !== undefined) ? sumOfHealth(rows) : previous?.replicas;
  const facts: Facts = {
    replicas: { ...(seen ?? NONE), desired: desiredOf(plan, seen) },
    ...pick("desiredHash", plan === undefined ? undefined : (known.desiredHash ?? previous?.desiredHash)),
    ...pick("observedHash", observedHash),
  };
  const isObserved = rows.some((row) => isWanted(row) && row.observedHash !== undefined);
  const applied =
    plan !== undefined &&
    plan.problem === undefined &&
    (isObserved ? isSettled(rows) : observedHash !== undefined && observedHash === facts.desiredHash);
  const report = { planned: plan !== undefined, applied, available: false, fresh: false };

  // Not tried yet, as after a restart: the entry was true until then, and may well be still.
  const untried = contact.lastContact === undefined && contact.reason === undefined;
  if (untried && previous !== undefined) {
    const { desiredHash: _old, ...kept } = previous;
    const entry = { ...kept, ...pick("region", view.region ?? plan?.region ?? kept.region), ...facts };
    return { ...report, entry, ...lastKnown(entry, plan !== undefined) };
  }

  const last = contact.lastContact === undefined ? undefined : timeText(contact.lastContact);
  const observedAt = laterOf(last, previous?.observedAt);
  const state = observedAt === undefined && plan !== undefined ? "Pending" : "Unknown";
  const reason = contact.reason ?? (untried ? "Connecting" : "ClusterUnreachable");
  const outcome: Outcome = { state, ...textOf({ reason, ...pick("message", contact.message) }) };
  return { ...report, entry: { ...entryOf(input, outcome, facts), ...pick("observedAt", observedAt) } };
}

/** What an entry of before means for the conditions, so that a restart moves none of them. */
function lastKnown(
  entry: ClusterStatusEntry,
  isPlanned: boolean,
): Pick<ClusterReport, "available" | "fresh" | "activity"> {
  const activity = !isPlanned
    ? "Removing"
    : entry.state === "Progressing" || entry.state === "Pending"
      ? activityOf(entry)
      : undefined;
  const fresh = entry.state !== "Unknown" && entry.observedAt !== undefined;
  // A held entry does not say how healthy its cluster was, but its numbers do.
  const heldWell = entry.state === "Held" && entry.replicas.available >= entry.replicas.desired;
  return {
    available: isPlanned && (entry.state === "Available" || heldWell),
    fresh,
    ...(activity === undefined || !fresh ? {} : { activity }),
  };
}

function activityOf(entry: ClusterStatusEntry): Activity {
  if (entry.reason === "Removing") return "Removing";
  return entry.desiredHash === entry.observedHash ? "RollingOut" : "Applying";
}

type Facts = Pick<ClusterStatusEntry, "replicas" | "desiredHash" | "observedHash">;

function entryOf({ view, plan }: ReportInput, outcome: Outcome, facts: Facts): ClusterStatusEntry {
  return {
    name: view.name,
    ...pick("region", view.region ?? plan?.region),
    state: outcome.state,
    ...pick("reason", outcome.reason),
    ...pick("message", outcome.message === undefined ? undefined : shortMessage(outcome.message) || undefined),
    ...facts,
  };
}

/** The entry of a cluster in contact. While nothing in it changes, the time does not either: it costs no write. */
function observed(input: ReportInput, outcome: Outcome, facts: Facts): ClusterStatusEntry {
  const entry = entryOf(input, outcome, facts);
  const { observedAt, ...before } = input.previous ?? {};
  return {
    ...entry,
    observedAt: observedAt !== undefined && jsonEqual(before, entry) ? observedAt : timeText(input.now),
  };
}

function textOf(why: { reason?: string; message?: string } | undefined): Partial<Reason> {
  return { ...pick("reason", why?.reason), ...pick("message", why?.message) };
}

function countsOf(rows: readonly RowView[], plan: ClusterTarget): ReplicaCounts {
  const seen = sumOfHealth(rows);
  return { ...seen, desired: desiredOf(plan, seen) };
}

/** The plan's number; for a kind whose number each cluster decides (a DaemonSet), what the cluster says. */
function desiredOf(plan: ClusterTarget | undefined, seen: ReplicaCounts | undefined): number {
  if (plan === undefined) return 0;
  return plan.replicas ?? seen?.desired ?? 0;
}
