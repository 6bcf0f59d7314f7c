import {
  type ClusterState,
  type ClusterStatusEntry,
  type Condition,
  counted,
  countedReasonsText,
  countReasons,
  impactOf,
  isUnderWay,
  type Message,
  prefixed,
  type Reason,
  withCause,
  withLead,
} from "../../apis/index.ts";
import type { Target, Why } from "../../desiredstate/types.ts";
import type { Statement } from "./conditions.ts";
import { deletionMessage } from "./deletion.ts";
import { type ClusterReport, isTroubled } from "../entries/index.ts";
import { type HeldBack, heldBackBy, isStopped, rolloutStatement } from "./rollout.ts";
import type { Activity, StatusInput } from "../types.ts";

/** Type of a condition that exists only while the object names another controller class than its owner. */
export const HANDOVER = "HandedOver";
/** Type of the condition with the present step of failover; exists only if the placement asks for failover. */
export const FAILING_OVER = "FailingOver";

/** Statements for the object's conditions, from the reports of its clusters (sorted by name). */
export function statementsOf(input: StatusInput, reports: readonly ClusterReport[]): Statement[] {
  const planned = reports.filter((report) => report.planned);
  const scheduled = input.target === undefined ? undefined : { type: "Scheduled", ...input.target.scheduled };
  const before = previousStatement(input.previous?.conditions, "Scheduled");
  if (input.deleting) {
    const message = deletionMessage(reports, input.deletedAt, input.heldBy);
    const last = before ?? scheduled;
    // Advice on how to place the object is useless during its deletion.
    const isPlaced = last?.status !== "False";
    return [
      ...(last === undefined ? [] : [isPlaced ? last : { ...last, reason: "Deleting", message: "" }]),
      { type: "Applied", status: "False", reason: "Deleting", message: "" },
      { type: "Available", status: "False", reason: "Deleting", message },
      { type: "Progressing", status: "True", reason: "Deleting", message },
      freshOf(reports),
      { type: READY, status: "False", reason: "Deleting", message },
      ...resultOf("Validated", input.validated, "Valid"),
    ];
  }
  if (input.failure !== undefined && input.target === undefined) {
    const said = (type: string): Statement[] => {
      const statement = previousStatement(input.previous?.conditions, type);
      return statement === undefined ? [] : [statement];
    };
    return [
      ...said("Scheduled"),
      failedOf(input.failure),
      ...["Available", "Progressing", "Fresh"].flatMap(said),
      { type: READY, status: "False", ...input.failure },
      ...resultOf("Validated", input.validated, "Valid"),
      ...handoverOf(input),
    ];
  }
  const none = input.target === undefined ? "not planned yet" : whyNone(input.target);
  const ofRollout = rolloutStatement(input.rollout);
  const progressing = ofRollout ?? progressingOf(input.target, reports);
  const heldBack = heldBackBy(input.rollout, ofRollout);
  const causes: Statement[] = [
    scheduled ?? before ?? { type: "Scheduled", status: "Unknown", reason: "NotPlanned", message: none },
    input.failure === undefined ? appliedOf(planned, none, heldBack) : failedOf(input.failure),
    availableOf(planned, none, input.previous?.conditions, heldBack),
  ];
  return [
    ...causes,
    progressing,
    freshOf(reports),
    readyOf(planned, causes, progressing, input.target),
    ...failoverOf(input),
    ...resultOf("StatusAggregated", input.sum, "StatusSummedUp"),
    ...resultOf("Validated", input.validated, "Valid"),
    ...handoverOf(input),
  ];
}

/** Type of the summarizing condition that users and tools wait for. */
const READY = "Ready";

/** The first of scheduled, applied, available and settled that does not hold gives the reason. */
function readyOf(
  planned: readonly ClusterReport[],
  causes: readonly Statement[],
  progressing: Statement,
  target: Target | undefined,
): Statement {
  const said = { type: READY, status: "False" as const };
  const cause =
    causes.find(({ status }) => status !== "True") ??
    (progressing.status === "True" || isStopped(progressing) ? progressing : unplacedOf(target));
  // An obstacle says more than a rollout in progress.
  const isBlocked =
    cause === progressing && progressing.reason === ROLLING && planned.some(({ entry }) => isTroubled(entry));
  if (cause !== undefined && !isBlocked) return { ...said, reason: cause.reason, message: cause.message };
  const isReady = ({ entry, available }: ClusterReport): boolean =>
    available === "Yes" && (entry.state === "Available" || entry.state === "Held");
  return tally(READY, "ready", planned, isReady, "no cluster is selected");
}

const ROLLING: Reason = "RollingOut";

/** Set if fewer replicas run than the object asks for, and waiting does not help. */
function unplacedOf(target: Target | undefined): Why | undefined {
  const { unplaced = 0 } = target?.decision ?? {};
  if (unplaced === 0) return undefined;
  const message = {
    what: `${counted(unplaced, "replica")} ${unplaced === 1 ? "has" : "have"} no place`,
    remedy: "raise maxReplicasPerCluster, or let the placement select more clusters",
  };
  return { reason: "ReplicasUnplaced", message };
}

function failoverOf({ target }: StatusInput): Statement[] {
  return target?.failover === undefined ? [] : [{ type: FAILING_OVER, ...target.failover.condition }];
}

/** Statement on a check or an attempt; none if nobody asked for it. */
function resultOf(type: string, result: { refusal: Why | undefined } | undefined, yes: Reason): Statement[] {
  if (result === undefined) return [];
  const { refusal } = result;
  if (refusal === undefined) return [{ type, status: "True", reason: yes, message: "" }];
  return [{ type, status: "False", reason: refusal.reason, message: refusal.message }];
}

function handoverOf({ ownerClass, namedClass }: StatusInput): Statement[] {
  if (ownerClass === namedClass) return [];
  const message = `class ${ownerClass} owns the object until a manager of class ${namedClass} has claimed it`;
  return [{ type: HANDOVER, status: "False", reason: "WaitingForManager", message }];
}

function previousStatement(conditions: readonly Condition[] | undefined, type: string): Statement | undefined {
  const condition = conditions?.find((c) => c.type === type);
  if (condition === undefined) return undefined;
  const { status, reason, message } = condition;
  return { type, status, reason, message };
}

function whyNone(target: Target): Message {
  return target.scheduled.status === "False" ? target.scheduled.message : "no cluster is selected";
}

/** The members may run the previous plan; whether they match the present object is unknown. */
function failedOf({ reason, message }: Why): Statement {
  return { type: "Applied", status: "Unknown", reason, message };
}

/** True if all clusters are as they should be for now. A revision that a rollout withholds from clusters is not applied. */
function appliedOf(planned: readonly ClusterReport[], none: Message, heldBack: HeldBack | undefined): Statement {
  const said = tally("Applied", "applied", planned, (report) => report.applied, none);
  return said.status === "True" && heldBack?.isWithheld === true ? withheld("Applied", heldBack) : said;
}

function withheld(type: string, { why: { reason, message } }: HeldBack): Statement {
  return { type, status: "False", reason, message };
}

/**
 * The object stays available while a change is carried out and the previous form serves, as for a Deployment. But the
 * statement keeps the generation for which it was last known, so that clients waiting for the change keep waiting.
 * While a rollout may still be rolled back, the statement keeps the previous generation even if the change serves on
 * all clusters. Otherwise the previous generation would be lost.
 */
function availableOf(
  planned: readonly ClusterReport[],
  none: Message,
  previous: readonly Condition[] | undefined,
  heldBack: HeldBack | undefined,
): Statement {
  const said = tally("Available", "available", planned, ({ available }) => available === "Yes", none);
  const before = previous?.find(({ type }) => type === "Available");
  const { observedGeneration } = before ?? {};
  const wasAvailable = before?.status === "True";
  const serving = wasAvailable ? servingOf(planned, none, said) : said;
  const isWithheld = heldBack?.isWithheld === true;
  const isServing = wasAvailable && serving.status === "True";
  const isOfBefore = heldBack?.wasGood === true || (isServing && (isWithheld || said.status !== "True"));
  if (isOfBefore && observedGeneration !== undefined) return { ...serving, observedGeneration };
  return isWithheld && said.status === "True" ? withheld("Available", heldBack) : said;
}

/** Like `said`, but clusters that serve in the previous form count as available. */
function servingOf(planned: readonly ClusterReport[], none: Message, said: Statement): Statement {
  const serving = tally("Available", "available", planned, ({ available }) => available !== "No", none);
  return serving.status === "True" ? serving : said;
}

const SEVERITY: Record<ClusterState, number> = {
  Failed: 0,
  Unknown: 1,
  Degraded: 2,
  Pending: 3,
  Progressing: 4,
  Held: 5,
  Removing: 6,
  Available: 7,
};

const ALL = {
  Applied: "AllClustersApplied",
  Available: "AllClustersAvailable",
  Ready: "AllClustersReady",
} satisfies Record<string, Reason>;

/** True if `holds` is true for all planned clusters and at least one is planned: an empty set is no success. */
function tally(
  type: keyof typeof ALL,
  word: string,
  planned: readonly ClusterReport[],
  holds: (report: ClusterReport) => boolean,
  none: Message,
): Statement {
  if (planned.length === 0) return { type, status: "False", reason: "NoClusters", message: none };
  const rest = planned.filter((report) => !holds(report));
  const noun = planned.length === 1 ? "cluster" : "clusters";
  const message = `${planned.length - rest.length} of ${planned.length} ${noun} ${word}`;
  const causes = countReasons(rest.map(({ entry }) => entry.reason ?? entry.state));
  const count = new Map(causes.map(({ reason, clusters }) => [reason, clusters]));
  const countOf = ({ state, reason = state }: ClusterStatusEntry): number => count.get(reason) ?? 0;
  const [worst] = rest.toSorted(
    (a, b) =>
      impactOn(a.entry) - impactOn(b.entry) ||
      countOf(b.entry) - countOf(a.entry) ||
      SEVERITY[a.entry.state] - SEVERITY[b.entry.state] ||
      Number(isTroubled(b.entry)) - Number(isTroubled(a.entry)),
  );
  if (worst === undefined) return { type, status: "True", reason: ALL[type], message };
  const { name, state, reason = state } = worst.entry;
  const detail = prefixed(`${name}: `, detailOf(worst));
  const troubles = causes.filter((cause) => !isUnderWay(cause.reason));
  const isOneCause = troubles.length < 2;
  // The other causes come before the text of the worst cluster, whose entry has that text in full.
  const whole = isOneCause ? detail : prefixed(`${countedReasonsText(troubles.slice(0, MOST_CAUSES))}; `, detail);
  return { type, status: "False", reason, message: withLead(`${message}${isOneCause ? ";" : ":"} `, whole) };
}

const MOST_CAUSES = 3;

/** Held, leaving and available clusters still serve, whatever their reason. */
function impactOn({ state, reason = state }: ClusterStatusEntry): number {
  const impact = impactOf(reason);
  if (state === "Available") return impactOf("Settled" satisfies Reason);
  return state === "Held" || state === "Removing" ? Math.max(impactOf("Suspended" satisfies Reason), impact) : impact;
}

function detailOf({ entry, message }: ClusterReport): Message {
  const { state, reason = state, desiredHash, observedHash } = entry;
  const isBehind = observedHash !== undefined && observedHash !== desiredHash;
  const detail = message ?? entry.message ?? reason;
  return state === "Held" && isBehind ? withCause({ what: "the last change is not carried out" }, detail) : detail;
}

const ACTIVITIES: readonly [Activity, string][] = [
  ["Applying", "applying to"],
  ["RollingOut", "rolling out on"],
  ["Removing", "removing from"],
];

/** Clusters out of contact do not count, because waiting for them could take forever. */
function progressingOf(target: Target | undefined, reports: readonly ClusterReport[]): Statement {
  const type = "Progressing";
  if (target?.suspended === true) {
    return { type, status: "False", reason: "Suspended", message: "suspended by its placement" };
  }
  for (const [reason, words] of ACTIVITIES) {
    const busy = reports.filter((report) => report.activity === reason);
    const names = busy.map(({ entry }) => entry.name);
    if (names.length > 0) return { type, status: "True", reason, message: { what: words, where: names } };
  }
  const planned = reports.filter((report) => report.planned);
  for (const [words, isStuck] of STUCK) {
    const stuck = planned.filter(isStuck).map(({ entry: { name, state, reason = state } }) => `${name} (${reason})`);
    if (stuck.length > 0) return { type, status: "False", reason: "Stalled", message: { what: words, where: stuck } };
  }
  return { type, status: "False", reason: "Settled", message: "" };
}

/** States that last until somebody changes something, although the desired state is not reached. */
const STUCK: readonly [string, (report: ClusterReport) => boolean][] = [
  ["not carried out on", ({ applied }) => !applied],
  ["not healthy on", ({ entry: { state } }) => state === "Failed" || state === "Degraded"],
];

function freshOf(reports: readonly ClusterReport[]): Statement {
  const type = "Fresh";
  if (reports.length === 0) return { type, status: "Unknown", reason: "NoClusters", message: "" };
  const stale = reports.filter((report) => !report.fresh);
  const [first] = stale;
  if (first === undefined) return { type, status: "True", reason: "AllClustersObserved", message: "" };
  const where = stale.map(({ entry: { name, observedAt } }) =>
    observedAt === undefined ? `${name} (never)` : `${name} (since ${observedAt})`,
  );
  const message = { what: "not observed:", where };
  return { type, status: "False", reason: first.entry.reason ?? "ClusterUnreachable", message };
}
