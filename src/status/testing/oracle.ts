import {
  asCount,
  type ClusterState,
  type ClusterStatusEntry,
  hashOf,
  impactOf,
  type ReplicaCounts,
} from "../../apis/index.ts";
import type { ClusterTarget } from "../../desiredstate/types.ts";
import type { Activity, Availability, ClusterView, RowView, StatusInput } from "../types.ts";

/** The rules of a status, told once more: slow, plain, and written from the promises. Without rollouts and overrides. */

/** What is to be said of one cluster. */
export interface Told {
  state: ClusterState;
  reason: string | undefined;
  replicas: ReplicaCounts;
  planned: boolean;
  applied: boolean;
  available: Availability;
  fresh: boolean;
  activity: Activity | undefined;
}

const NONE: ReplicaCounts = { desired: 0, updated: 0, ready: 0, available: 0 };
const SEVERITY = ["Available", "Progressing", "Unknown", "Degraded", "Failed"] as const;
const COLLECTED = ["foregroundDeletion", "orphan"];

const isWanted = ({ desiredHash }: RowView): boolean => desiredHash !== undefined;
const isSeen = ({ observedHash }: RowView): boolean => observedHash !== undefined;
const isHeld = ({ finalizers = [] }: RowView): boolean => finalizers.some((one) => !COLLECTED.includes(one));

function hashIn(rows: readonly RowView[], field: "desiredHash" | "observedHash"): string | undefined {
  const hashes = rows.filter((row) => isWanted(row) && row.role === "rendered").map((row) => row[field] ?? "");
  return hashes.every((hash) => hash === "") ? undefined : hashOf(hashes.toSorted());
}

function countsIn(rows: readonly RowView[]): ReplicaCounts {
  const sum = { ...NONE };
  for (const { role, health } of rows)
    for (const field of ["desired", "updated", "ready", "available"] as const)
      if (role === "rendered") sum[field] = asCount(sum[field] + asCount(health?.replicas?.[field] ?? 0));
  return sum;
}

/** What the status has to say of the cluster; undefined if nothing. */
export function toldOf(input: StatusInput, name: string): Told | undefined {
  const target = input.deleting ? undefined : input.target?.clusters.find((one) => one.name === name);
  const view = input.clusters.find((one) => one.name === name) ?? { name, contact: { ok: false }, rows: [] };
  const previous = input.previous?.clusters?.find((one) => one.name === name);
  const isUnchanged = input.previous?.observedGeneration === input.generation;
  if (target === undefined) return view.contact.ok ? leaving(input, view, previous) : left(view, previous);
  const seen = { desired: hashIn(view.rows, "desiredHash"), observed: hashIn(view.rows, "observedHash") };
  const isUnknowable = target.frozen && (target.frozenFor !== undefined || input.target?.placement === undefined);
  const asked = isUnknowable && isUnchanged ? (previous?.desiredHash ?? seen.desired) : seen.desired;
  const hashes = { ...seen, asked };
  return view.contact.ok ? present(input, view, target, hashes) : lost(view, target, previous, hashes);
}

interface Hashes {
  desired: string | undefined;
  asked: string | undefined;
  observed: string | undefined;
}

/** All that is wanted is there, and nothing else of the object. */
function isSettled(rows: readonly RowView[]): boolean {
  return (
    rows.some(isWanted) &&
    rows.every((row) => (isWanted(row) ? row.inSync : !isSeen(row) || row.stays?.reason === "HoldsData"))
  );
}

function present(input: StatusInput, { rows }: ClusterView, target: ClusterTarget, hashes: Hashes): Told {
  const { problem, frozen, frozenFor, found, warning } = target;
  const wanted = rows.filter(isWanted);
  const rendered = wanted.filter(({ role }) => role === "rendered");
  const behind = wanted.filter(({ inSync }) => !inSync);
  const leftOver = rows.filter((row) => !isWanted(row) && isSeen(row) && row.stays?.reason !== "HoldsData");
  const failures = rows.flatMap((row) =>
    row.failure === undefined || (isWanted(row) && row.inSync) ? [] : [row.failure],
  );
  const failure = failures.find(({ final }) => final) ?? failures[0];
  const outOfSight = rows.find((row) => row.outOfSight !== undefined)?.outOfSight;
  const why = failure?.reason ?? (behind.some(isHeld) ? "Terminating" : warning?.reason);
  const worst = rendered
    .flatMap(({ health }) => health ?? [])
    .toSorted((a, b) => SEVERITY.indexOf(b.state) - SEVERITY.indexOf(a.state))[0];
  const isHealthKnown = rendered.length > 0 && rendered.every(({ health }) => health !== undefined);
  const kept = wanted.find((row) => row.kept !== undefined)?.kept;
  const isKept = why === undefined && kept !== undefined && behind.every((row) => row.kept !== undefined);
  const data = rows.find(({ stays }) => stays?.reason === "HoldsData")?.stays?.reason;
  const ofObject = input.target?.suspended === true ? "Suspended" : input.target?.scheduled.reason;
  const ofHealth = warning?.reason === "VersionLacksFields" && worst?.state !== "Unknown" ? undefined : warning?.reason;
  const needsAgreement = leftOver.some(({ stays }) => stays?.reason === "CustomObjectsExist");
  const cases: [holds: boolean, state: ClusterState, reason: string | undefined, activity?: Activity | false][] = [
    [problem !== undefined, "Failed", problem?.reason],
    [frozen, "Held", frozenFor?.reason ?? (found === true ? "CopyFound" : ofObject)],
    [failure?.final === true, "Failed", failure?.reason],
    [outOfSight !== undefined, "Unknown", outOfSight?.reason],
    [!wanted.some(isSeen), "Pending", why ?? "Applying", "Applying"],
    [isKept, "Held", kept?.reason],
    [behind.length > 0, "Progressing", why ?? "Applying", "Applying"],
    [needsAgreement, "Held", "CustomObjectsExist"],
    [leftOver.length > 0, "Progressing", why ?? "Removing", "Removing"],
    [!isHealthKnown, "Unknown", "NotReported"],
    [worst?.state === "Available", "Available", warning?.reason ?? data],
    [true, worst?.state ?? "Unknown", ofHealth ?? worst?.reason, worst?.state === "Progressing" && "RollingOut"],
  ];
  const [, state, reason, activity] = cases.find(([holds]) => holds) ?? [true, "Unknown" as const, undefined];
  const isAsAsked = hashes.observed !== undefined && hashes.observed === hashes.asked;
  const isAsBefore = frozen && frozenFor === undefined && isAsAsked && wanted.every(isSeen);
  const serves = rendered.map(({ health }) => (health?.state === "Available" ? "Now" : health?.serves));
  const isServing = rendered.length > 0 && serves.every((one) => one !== undefined);
  const isServingNow = serves.every((one) => one === "Now");
  const seen = countsIn(rows);
  return {
    state,
    reason,
    replicas: {
      ...seen,
      ...(hashes.asked === hashes.observed ? {} : { updated: 0 }),
      desired: asCount(target.replicas ?? seen.desired),
    },
    planned: true,
    applied: problem === undefined && (isSettled(rows) || isAsBefore),
    available: availability(),
    fresh: outOfSight === undefined,
    activity: activity === false ? undefined : activity,
  };

  function availability(): Availability {
    if (state === "Available") return "Yes";
    if (!isServing || problem !== undefined) return "No";
    if (state === "Held") return hashes.asked !== hashes.observed ? "No" : isServingNow ? "Yes" : "Before";
    if (failure !== undefined) return "No";
    return isServingNow && behind.length === 0 ? "Yes" : "Before";
  }
}

/** On a cluster that answers, and that is not chosen. */
function leaving(
  { deleting, isOverdue }: StatusInput,
  { rows, ...view }: ClusterView,
  previous: ClusterStatusEntry | undefined,
): Told | undefined {
  const seen = rows.filter(isSeen);
  if (seen.length === 0 && view.mayRemain !== true) return undefined;
  const reasons = seen.flatMap(({ stays }) => stays?.reason ?? []);
  const isGoing = seen.some(({ stays, failure }) => stays === undefined && failure === undefined);
  const stays =
    reasons.find((reason) => reason === "AwaitingReplacement") ??
    reasons.find((reason) => reason !== "HoldsData") ??
    (isGoing ? undefined : reasons[0]) ??
    view.stays?.reason;
  const held = stays === undefined || stays === "AwaitingReplacement" ? undefined : stays;
  const outOfSight = seen.find((row) => row.outOfSight !== undefined)?.outOfSight?.reason;
  const failure = seen.find((row) => row.failure !== undefined)?.failure?.reason;
  // Most deletions end before anybody could read what they wait for.
  const isLate = deleting ? isOverdue?.(view.name) === true : seen.some(isHeld);
  const isTerminating = seen.some(({ finalizers }) => finalizers !== undefined);
  const obstacle = isTerminating ? "Terminating" : seen.length > 0 ? "Removing" : "Confirming";
  const counts = seen.length === 0 ? (previous?.replicas ?? NONE) : countsIn(seen);
  return {
    state: held === undefined ? "Removing" : "Held",
    reason: held ?? failure ?? outOfSight ?? (isLate ? obstacle : stays),
    replicas: { ...counts, desired: 0 },
    ...{ planned: false, applied: false, available: "No", fresh: outOfSight === undefined },
    activity: held === undefined ? "Removing" : undefined,
  };
}

/** On a cluster that does not answer, and that is not chosen. */
function left(view: ClusterView, previous: ClusterStatusEntry | undefined): Told | undefined {
  if (view.mayRemain !== true && view.rows.length === 0 && previous === undefined) return undefined;
  const gone = { name: view.name, frozen: false, objects: [], replicas: 0 };
  const hashes = { desired: undefined, asked: undefined, observed: undefined };
  const counts = view.rows.some(({ health }) => health?.replicas !== undefined)
    ? countsIn(view.rows)
    : (previous?.replicas ?? NONE);
  const replicas = { ...counts, desired: 0 };
  return { ...lost(view, gone, previous, hashes), state: "Unknown", replicas, planned: false, applied: false };
}

/** On a cluster that does not answer, and that was tried. */
function lost(
  { rows, contact }: ClusterView,
  { replicas, problem, frozen, frozenFor }: ClusterTarget,
  previous: ClusterStatusEntry | undefined,
  { desired, asked, observed }: Hashes,
): Told {
  const known = {
    desired: desired ?? previous?.desiredHash,
    asked: asked ?? previous?.desiredHash,
    observed: observed ?? previous?.observedHash,
  };
  const isAsAsked =
    known.observed !== undefined && known.observed === (frozenFor === undefined ? known.asked : known.desired);
  const isObserved = rows.some((row) => isWanted(row) && isSeen(row));
  const counts = rows.some(({ health }) => health?.replicas !== undefined) ? countsIn(rows) : previous?.replicas;
  const isMet = (contact.lastContact ?? previous?.observedAt) !== undefined;
  const isUntried = contact.lastContact === undefined && contact.reason === undefined;
  const isApplied = isObserved ? isSettled(rows) || (frozen && isAsAsked) : isAsAsked;
  return {
    state: isMet ? "Unknown" : "Pending",
    reason: contact.reason ?? (isUntried ? "Connecting" : "ClusterUnreachable"),
    replicas: {
      ...(counts ?? NONE),
      ...(known.asked === known.observed ? {} : { updated: 0 }),
      desired: asCount(replicas ?? counts?.desired ?? 0),
    },
    planned: true,
    applied: problem === undefined && isApplied,
    ...{ available: "No", fresh: false, activity: undefined },
  };
}

/** `status reason` of each condition, by what is told of the clusters. `causes`: reasons of which one is given. */
export function conditionsOf(
  input: StatusInput,
  told: readonly Told[],
): Record<string, { status: string; causes: string[] }> {
  const { target } = input;
  if (input.deleting) {
    const said = (status: string) => ({ status, causes: ["Deleting"] });
    const no = said("False");
    return { Applied: no, Available: no, Ready: no, Progressing: said("True"), Fresh: fresh(told) };
  }
  const planned = told.filter((one) => one.planned);
  const isBefore = input.previous?.conditions?.some(({ type, status }) => type === "Available" && status === "True");
  const serves = ({ available }: Told): boolean => available === "Yes" || (isBefore === true && available === "Before");
  const isServing = planned.length > 0 && planned.every(serves);
  const applied = tally("AllClustersApplied", planned, (one) => one.applied);
  const available = tally("AllClustersAvailable", planned, isServing ? serves : (one) => one.available === "Yes");
  const progressing = progress(input, told);
  const isScheduled = target?.scheduled.status === "True";
  const isWell = ({ available: is, state }: Told): boolean =>
    is === "Yes" && (state === "Available" || state === "Held");
  const isReady =
    isScheduled &&
    applied.status === "True" &&
    available.status === "True" &&
    progressing.status === "False" &&
    planned.every(isWell);
  const first = [applied, available].find(({ status }) => status !== "True");
  const blocked = [...progressing.causes, ...tally("", planned, isWell).causes];
  const unready = isScheduled ? (first?.causes ?? blocked) : [target?.scheduled.reason ?? ""];
  return {
    Applied: applied,
    Available: available,
    Progressing: progressing,
    Fresh: fresh(told),
    Ready: isReady ? { status: "True", causes: ["AllClustersReady"] } : { status: "False", causes: unready },
  };
}

/** The reason of a cluster that hurts users most; a cluster that serves hurts less than its reason says. */
function tally(yes: string, planned: readonly Told[], holds: (one: Told) => boolean) {
  if (planned.length === 0) return { status: "False", causes: ["NoClusters"] };
  const rest = planned.filter((one) => !holds(one));
  if (rest.length === 0) return { status: "True", causes: [yes] };
  const impact = ({ state, reason = state }: Told): number => {
    if (state === "Available") return impactOf("Settled");
    return state === "Held" ? Math.max(impactOf("Suspended"), impactOf(reason)) : impactOf(reason);
  };
  const most = Math.min(...rest.map(impact));
  return {
    status: "False",
    causes: rest.filter((one) => impact(one) === most).map(({ state, reason = state }) => reason),
  };
}

function progress({ target }: StatusInput, told: readonly Told[]) {
  if (target?.suspended === true) return { status: "False", causes: ["Suspended"] };
  const busy = (["Applying", "RollingOut", "Removing"] as const).find((one) =>
    told.some(({ activity }) => activity === one),
  );
  if (busy !== undefined) return { status: "True", causes: [busy] };
  const isStuck = told.some(
    ({ planned, applied, state }) => planned && (!applied || state === "Failed" || state === "Degraded"),
  );
  return { status: "False", causes: [isStuck ? "Stalled" : "Settled"] };
}

function fresh(told: readonly Told[]) {
  if (told.length === 0) return { status: "Unknown", causes: ["NoClusters"] };
  const [stale] = told.filter((one) => !one.fresh);
  if (stale === undefined) return { status: "True", causes: ["AllClustersObserved"] };
  return { status: "False", causes: [stale.reason ?? "ClusterUnreachable"] };
}
