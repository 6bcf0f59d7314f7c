import { type ObjectRef, refKey, shortMessage } from "../apis/index.ts";
import { decideRemovals } from "./removals.ts";
import { isSameRef } from "./rows.ts";
import type {
  ApplyRow,
  ClusterTarget,
  DesiredObject,
  HoldRow,
  Observation,
  Role,
  Row,
  StepInput,
  StepResult,
  Target,
  Why,
} from "./types.ts";

/** What is wanted on one cluster now. */
interface Share {
  objects: readonly DesiredObject[];
  rows: readonly Row[];
  /** Set when nothing that is there may go, and why. */
  retains: Why | undefined;
}

/**
 * The next step towards the target: what to make so on each cluster, what to leave as it is, and what may go. Every copy of the object
 * that is there and that nothing wants gets one row that removes it, or says why it stays. The same values give the same rows, in whatever
 * order the observations come.
 */
export function step({ target, lastGood, rollout, observations, removal }: StepInput, _now: number): StepResult {
  const shares = new Map<string, Share>();
  for (const cluster of target?.clusters ?? [])
    if (target !== undefined) shares.set(cluster.name, shareOf(cluster, target));
  if (target !== undefined && rollout !== undefined) {
    const before = lastGood?.owner.uid === target.owner.uid ? lastGood : undefined;
    for (const name of rollout.waiting) {
      // A cluster that is being removed waits for nothing; one that is frozen is left as it is, whoever's turn it is.
      if (removal.clusters.get(name)?.leaving !== undefined) continue;
      if (target.clusters.find((cluster) => cluster.name === name)?.frozen === true) continue;
      shares.set(name, waitingShare(name, target, before));
    }
  }

  const retained: HoldRow[] = [];
  const unwanted: Observation[] = [];
  for (const observation of observations) {
    const { cluster, ref, present } = observation;
    if (present === undefined) continue;
    const share = shares.get(cluster);
    if (share?.objects.some((object) => isSameRef(object.ref, ref)) === true) continue;
    const why = share === undefined ? undefined : (share.retains ?? whyMissing(ref, target));
    if (why !== undefined) {
      const role = roleOf(ref, target);
      const hash = present.hash === undefined ? {} : { hash: present.hash };
      retained.push({ verb: "Hold", cluster, ref, owner: removal.owner, role, ...hash, why, wanted: true });
    } else if (present.owner === undefined || isSameRef(present.owner, removal.owner)) unwanted.push(observation);
  }

  const wanted = [...shares.values()].flatMap(({ rows }) => rows);
  const others = [...retained, ...decideRemovals(unwanted, removal)].map((row) => ({ row, key: refKey(row.ref) }));
  others.sort((a, b) => compare(a.key, b.key));
  const rows = [...wanted, ...others.map(({ row }) => row)].sort((a, b) => compare(a.cluster, b.cluster));
  return {
    rows,
    ...(rollout === undefined ? {} : { rollout }),
    ...(target?.recheckAt === undefined ? {} : { recheckAt: target.recheckAt }),
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function shareOf(cluster: ClusterTarget, target: Target): Share {
  const { objects, frozen, frozenFor, problem } = cluster;
  if (!frozen) {
    const rows = objects.map((object) => applyRow(cluster.name, object, target));
    // Where nobody can say what is to be there, nothing is to go either.
    return { objects, rows, retains: problem };
  }
  const { reason, message } = target.scheduled;
  const why = frozenFor ?? problem ?? { reason, message };
  const rows = objects.map(({ ref, role, hash }): HoldRow => {
    return { verb: "Hold", cluster: cluster.name, ref, owner: target.owner, role, hash, why, wanted: true };
  });
  return { objects, rows, retains: why };
}

const WAITS: Why = { reason: "RolloutWaiting", message: "its turn in the rollout has not come yet" };

/** A cluster whose turn has not come keeps what it had, and nothing of that goes. */
function waitingShare(name: string, target: Target, lastGood: Target | undefined): Share {
  const before = lastGood?.clusters.find((cluster) => cluster.name === name);
  // While nothing is written anywhere, it is not written here either.
  const isFrozen = target.suspended || target.scheduled.status === "False";
  if (lastGood === undefined || before === undefined || isFrozen) return { objects: [], rows: [], retains: WAITS };
  const share = shareOf(before, lastGood);
  return { ...share, retains: share.retains ?? WAITS };
}

function applyRow(cluster: string, { ref, role, object, hash, unretained }: DesiredObject, target: Target): ApplyRow {
  const { owner, conflictResolution } = target;
  const row: ApplyRow = { verb: "Apply", cluster, ref, owner, role, object, hash, conflictResolution };
  if (unretained !== undefined) row.unretained = unretained;
  return row;
}

function whyMissing(ref: ObjectRef, target: Target | undefined): Why | undefined {
  if (target === undefined || target.missing.size === 0 || !target.missing.has(refKey(ref))) return undefined;
  const message = shortMessage(`${ref.kind} ${ref.name} is not on the hub, and the object still refers to it`);
  return { reason: "DependencyMissing", message };
}

/** What the object is elsewhere; what the target renders nowhere counts as a dependency, so that its health says nothing. */
function roleOf(ref: ObjectRef, target: Target | undefined): Role {
  for (const { objects } of target?.clusters ?? []) {
    const same = objects.find((object) => isSameRef(object.ref, ref));
    if (same !== undefined) return same.role;
  }
  return "dependency";
}
