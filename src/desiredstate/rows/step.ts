import { defined, type ObjectRef, refKey } from "../../apis/index.ts";
import { compareText } from "../../scheduler/index.ts";
import { serversToKeep } from "./moves.ts";
import { decideRemovals } from "./removals.ts";
import { replaceDependencies } from "./replacement.ts";
import { isSameRef } from "./rows.ts";
import type {
  ApplyRow,
  ClusterTarget,
  DesiredObject,
  HoldRow,
  Observation,
  RemovalFacts,
  Role,
  RolloutState,
  Row,
  StepInput,
  StepResult,
  Target,
  Why,
} from "../types.ts";

interface Share {
  objects: readonly DesiredObject[];
  rows: readonly Row[];
  /** Set if no copy on the cluster may be removed: the reason. */
  retains: Why | undefined;
}

/**
 * The next step towards the target: objects to write on each cluster, objects to leave unchanged, and copies to remove.
 * Each existing copy that nothing wants gets one row, which removes the copy or says why it stays. The same values give
 * the same rows, in any order of the observations.
 */
export function step({ target, lastGood, rollout, observations, removal }: StepInput): StepResult {
  const shares = target === undefined ? new Map<string, Share>() : sharesOf(target, lastGood, rollout, removal);
  const retained: HoldRow[] = [];
  const unwanted: Observation[] = [];
  const replaced: Observation[] = [];
  for (const observation of observations) {
    const { cluster, ref, present } = observation;
    if (present === undefined) continue;
    const share = shares.get(cluster);
    if (share !== undefined && holds(share, ref)) {
      if (isOfOtherWork(share, observation)) replaced.push(observation);
      continue;
    }
    const why =
      share === undefined ? undefined : (share.retains ?? whyMissing(ref, target) ?? whyMissing(ref, lastGood));
    if (why !== undefined) {
      const role = roleOf(ref, target);
      const hash = present.hash === undefined ? {} : { hash: present.hash };
      retained.push({ verb: "Hold", cluster, ref, owner: removal.owner, role, ...hash, why, wanted: true });
    } else if (present.owner === undefined || isSameRef(present.owner, removal.owner)) unwanted.push(observation);
  }

  const wanted = replaceDependencies(
    [...shares.values()].flatMap(({ rows }) => rows),
    observations,
    removal,
  );
  const keep =
    target === undefined || target.breakBeforeMake === true || unwanted.length === 0
      ? NONE
      : serversOf(target, shares, observations, removal);
  const removals = [
    ...decideRemovals(unwanted, removal, keep),
    ...decideRemovals(replaced, { ...removal, cause: DONE_BEFORE }),
  ];
  const others = [...retained, ...removals].map((row) => ({ row, key: refKey(row.ref) }));
  others.sort((a, b) => compareText(a.key, b.key));
  const gone = new Set(replaced.map(({ cluster, ref }) => `${cluster}/${refKey(ref)}`));
  const left = gone.size === 0 ? wanted : wanted.filter(({ cluster, ref }) => !gone.has(`${cluster}/${refKey(ref)}`));
  const rows = [...left, ...others.map(({ row }) => row)].sort((a, b) => compareText(a.cluster, b.cluster));
  return { rows, ...defined({ recheckAt: target?.recheckAt }) };
}

const NONE: ReadonlyMap<string, Why> = new Map();

function serversOf(
  target: Target,
  shares: ReadonlyMap<string, Share>,
  observations: readonly Observation[],
  removal: RemovalFacts,
): ReadonlyMap<string, Why> {
  const wanted = new Map(Array.from(shares, ([name, { objects }]) => [name, objects]));
  return serversToKeep({ wanted, target, observations, removal });
}

function shareOf(cluster: ClusterTarget, target: Target): Share {
  const { objects, frozen, frozenFor, problem } = cluster;
  const refusal = frozenFor ?? problem;
  if (!frozen) {
    const rows = objects.map((object) =>
      object.held === undefined
        ? applyRow(cluster.name, object, target)
        : heldRow(cluster.name, object, target.owner, object.held),
    );
    // While the desired state is unknown, nothing is removed.
    return { objects, rows, retains: problem && whyOf(problem) };
  }
  const why = whyOf(refusal ?? target.scheduled);
  // Even a refused namespace should become as strict as its labels say; a suspension holds the labels as well.
  const isStricter = refusal !== undefined && !target.suspended;
  const namespaceLabels = isStricter ? (target.namespaceLabels ?? {}) : undefined;
  const rows = objects.map(({ ref, role, hash, reporting, run, done }): HoldRow => ({
    ...{ verb: "Hold", cluster: cluster.name, ref, owner: target.owner, role, hash, why, wanted: true },
    ...(role === "rendered" && target.placement === undefined ? { unplaced: true } : {}),
    ...defined({ reporting, run, done, namespaceLabels }),
  }));
  return { objects, rows, retains: why };
}

/** With more objects, keys are used for the lookup: a bundle may hold thousands. */
const FEW = 16;
const keysOf = new WeakMap<readonly DesiredObject[], ReadonlySet<string>>();

function holds({ objects }: Share, ref: ObjectRef): boolean {
  if (objects.length <= FEW) return objects.some((object) => isSameRef(object.ref, ref));
  let keys = keysOf.get(objects);
  if (keys === undefined) keysOf.set(objects, (keys = new Set(objects.map((object) => refKey(object.ref)))));
  return keys.has(refKey(ref));
}

const DONE_BEFORE: Why = {
  reason: "DoneBefore",
  message: "the work that is asked for again has come to its end there; what runs in its stead goes",
};

/** True if the copy does other work than the desired work, which has already finished here: a rollout was rolled back. */
function isOfOtherWork({ objects }: Share, { ref, present }: Observation): boolean {
  if (present?.run === undefined) return false;
  const wanted = objects.find(({ done, ref: of }) => done !== undefined && isSameRef(of, ref));
  return wanted?.run !== undefined && wanted.run !== present.run;
}

/** Desired state by cluster: from the target, or from the last good revision for a cluster that waits for its turn. */
function sharesOf(
  target: Target,
  lastGood: Target | undefined,
  rollout: RolloutState | undefined,
  removal: RemovalFacts,
): Map<string, Share> {
  const shares = new Map(target.clusters.map((cluster) => [cluster.name, shareOf(cluster, target)]));
  const { waiting = NOBODY, returning = NOBODY, kept = NOBODY } = rollout ?? {};
  if (waiting.size + returning.size + kept.size === 0) return shares;
  const frozen = new Set(target.clusters.flatMap(({ name, frozen: isFrozen }) => (isFrozen ? [name] : [])));
  // A recreated object has no last good revision. While nothing is written anywhere, waiting clusters get nothing.
  const isWritten = lastGood?.owner.uid === target.owner.uid && !target.suspended && target.scheduled.status === "True";
  const before = new Map(
    isWritten ? lastGood.clusters.map((cluster) => [cluster.name, shareOf(cluster, lastGood)]) : [],
  );
  for (const name of [...waiting, ...returning, ...kept]) {
    // A frozen cluster keeps its copies, whoever's turn it is.
    if (frozen.has(name) || (!shares.has(name) && isGoing(name, target)) || isLeaving(name, removal)) continue;
    const { objects, rows, retains } = kept.has(name) ? NOTHING : (before.get(name) ?? NOTHING);
    // While the last good revision is unknown, nothing is removed.
    if (!returning.has(name) || !isWritten) shares.set(name, { objects, rows, retains: retains ?? WAITS });
    // Dependencies of the last good revision that are gone from the hub stay, since pods still read them.
    else if (before.has(name)) shares.set(name, { objects, rows, retains });
    else shares.delete(name);
  }
  return shares;
}

const NOBODY: ReadonlySet<string> = new Set();
const WAITS: Why = { reason: "RolloutWaiting", message: "its turn in the rollout has not come yet" };
const NOTHING: Share = { objects: [], rows: [], retains: undefined };

/** A cluster that is being deleted waits for nothing. */
function isLeaving(name: string, { clusters }: RemovalFacts): boolean {
  return clusters.get(name)?.leaving !== undefined;
}

/** The same by the verdicts: nothing is written to a cluster that is being deleted or does not exist. */
function isGoing(name: string, { decision }: Target): boolean {
  const verdict = decision.verdicts.find(({ cluster }) => cluster === name);
  return verdict?.steps.some(({ reason }) => reason === "ClusterDeleting") ?? true;
}

function applyRow(cluster: string, desired: DesiredObject, target: Target): ApplyRow {
  const { overrides: _overrides, held: _held, ...sent } = desired;
  const { owner, hubVersion, conflictResolution, namespaceLabels } = target;
  return { verb: "Apply", cluster, owner, conflictResolution, ...sent, ...defined({ hubVersion, namespaceLabels }) };
}

function heldRow(cluster: string, { ref, role }: DesiredObject, owner: Target["owner"], why: Why): HoldRow {
  return { verb: "Hold", cluster, ref, owner, role, why, wanted: true };
}

function whyMissing(ref: ObjectRef, target: Target | undefined): Why | undefined {
  if (target === undefined || target.missing.size === 0 || !target.missing.has(refKey(ref))) return undefined;
  const message = `${ref.kind} ${ref.name} is not on the hub, and the object still refers to it`;
  return { reason: "DependencyMissing", message };
}

/** The role on another cluster. What the target renders nowhere counts as a dependency, so its health does not count. */
function roleOf(ref: ObjectRef, target: Target | undefined): Role {
  for (const { objects } of target?.clusters ?? []) {
    const same = objects.find((object) => isSameRef(object.ref, ref));
    if (same !== undefined) return same.role;
  }
  return "dependency";
}

/** The reason alone: a row is a message, and says nothing of policies. */
function whyOf({ reason, message }: Why): Why {
  return { reason, message };
}
