import {
  isGranted,
  namespaceNotGranted,
  type ObjectRef,
  parseApiVersion,
  type Reason,
  refKey,
} from "../../apis/index.ts";
import { isDefinition, memberKindOf, phaseOf } from "../../interpreter/index.ts";
import { holdsData, makesClaims } from "./data.ts";
import { isSameRef } from "./rows.ts";
import { whyUnreadable } from "./readability.ts";
import type { DeleteRow, Observation, RemovalFacts, RemovalRow, Why } from "../types.ts";

type Present = NonNullable<Observation["present"]>;

/**
 * Decides which unwanted copies may be removed now, and why the others stay. Returns one row per existing copy. A row
 * that removes names the observed UID, and exists only if every fact allows the removal.
 *
 * On a leaving cluster that keeps its objects, all copies are released, whatever else is known, since a release deletes
 * nothing. An object that holds data stays until its owner is deleted, and is deleted only if a person placed that
 * object itself. `serving`: clusters whose copies are the last ones to serve, and what they wait for.
 */
export function decideRemovals(
  unwanted: readonly Observation[],
  facts: RemovalFacts,
  serving: ReadonlyMap<string, Why> = new Map(),
): RemovalRow[] {
  const general = obstacleOnTheHub(facts);
  const rows: RemovalRow[] = [];
  for (const { cluster, ref, present } of unwanted) {
    if (present === undefined) continue;
    const phase = facts.inPhases === true ? { phase: phaseOf(ref) } : {};
    const copy = { cluster, ref, owner: facts.owner, role: "rendered" as const, ...phase };
    const leaving = leavingFrom(cluster, facts);
    if (leaving !== undefined && !present.deleting) {
      rows.push({ ...copy, verb: "Release", uid: present.uid, why: leaving });
      continue;
    }
    const obstacle =
      (present.deleting ? TERMINATING : undefined) ??
      (facts.foundOnJoin.has(`${cluster}/${refKey(ref)}`) ? FOUND_ON_JOIN : undefined) ??
      general ??
      obstacleOnTheCluster(cluster, ref, facts) ??
      obstacleOfOwnership(present, facts) ??
      (present.proven ? undefined : OWNERSHIP_UNPROVEN) ??
      (facts.neededByOthers.has(`${cluster}/${refKey(ref)}`) ? NEEDED_BY_OTHERS : undefined) ??
      (holdsData(ref) && isStillWanted(cluster, facts) ? keepsData(ref) : undefined) ??
      (facts.awaitsEnd === true ? whyAwaited(ref, present, facts) : undefined) ??
      serving.get(cluster);
    if (obstacle !== undefined) rows.push({ ...copy, verb: "Hold", wanted: false, why: obstacle });
    else rows.push({ ...copy, ...verbFor(cluster, ref, present, facts), uid: present.uid, why: facts.cause });
  }
  return rows;
}

/** True if the object continues, elsewhere or without this copy: the object may come back to its data. */
function isStillWanted(cluster: string, { cause, clusters }: RemovalFacts): boolean {
  return cause.reason === NOT_SELECTED && clusters.get(cluster)?.leaving !== "Drain";
}

function verbFor(
  cluster: string,
  ref: ObjectRef,
  { policy }: Present,
  facts: RemovalFacts,
): { verb: "Release" } | Pick<DeleteRow, "verb" | "agreed" | "keepsClaims"> {
  if (holdsData(ref) && (policy === "Orphan" || facts.clusters.get(cluster)?.leaving === "Drain"))
    return { verb: "Release" };
  if ((facts.policy ?? policy) === "Orphan") return { verb: "Release" };
  return { verb: "Delete", ...agreementOn(ref, facts), ...claimsOn(cluster, ref, facts) };
}

/** Claims that a StatefulSet created are treated like a claim that was placed. */
function claimsOn(cluster: string, ref: ObjectRef, facts: RemovalFacts): Pick<DeleteRow, "keepsClaims"> {
  const stay = isStillWanted(cluster, facts) || facts.clusters.get(cluster)?.leaving === "Drain";
  return stay && makesClaims(ref) ? { keepsClaims: true } : {};
}

/** A CRD may be removed together with its objects only if a person agreed. */
function agreementOn(ref: ObjectRef, { agreed }: RemovalFacts): Pick<DeleteRow, "agreed"> {
  if (agreed === undefined || !isDefinition(ref)) return {};
  const names = agreed.split(",").map((name) => name.trim());
  return names.includes(ref.name) || names.includes("*") ? { agreed: true } : {};
}

/** Cause of a removal while the object itself continues. */
const NOT_SELECTED: Reason = "NotSelected";

const TERMINATING: Why = { reason: "Terminating", message: "it is being deleted; its finalizers may take their time" };
const HUB_NOT_SYNCED: Why = {
  reason: "HubNotSynced",
  message: "not everything on the hub is known yet; nothing is removed before",
};
const PLANNING_INCOMPLETE: Why = {
  reason: "PlanningIncomplete",
  message: "not every object that could want it has been planned since the start",
};
const DELETIONS_HELD: Why = {
  reason: "DeletionsHeld",
  message: "more than half of the objects vanished from the hub at once; held until a second read agrees",
};
const OWNERSHIP_UNPROVEN: Why = {
  reason: "OwnershipUnproven",
  message: "it has Meridian's marks, and its managedFields do not show that Meridian set them",
};
const NEEDED_BY_OTHERS: Why = { reason: "NeededByOthers", message: "another object on the hub needs it there" };

const FOUND_ON_JOIN: Why = {
  reason: "FoundOnJoin",
  message: "it was on the cluster before the cluster was joined, and has not been taken up since",
};

function keepsData({ kind, name }: ObjectRef): Why {
  // The name comes last: it may be long.
  const message = `it stays with its data until somebody deletes it on the cluster: ${kind} ${name}`;
  return { reason: "HoldsData", message };
}

const STILL_RUNNING: Reason = "StillRunning";

/**
 * Why a copy stays although a TTL deleted the hub object: a TTL applies to finished work only. A copy to be released is
 * not awaited, since it continues to run.
 */
function whyAwaited(ref: ObjectRef, present: Present, facts: RemovalFacts): Why | undefined {
  if (present.ended !== undefined || (facts.policy ?? present.policy) === "Orphan") return undefined;
  const { group } = parseApiVersion(ref.apiVersion);
  if (memberKindOf(group, ref.kind).end === undefined) return undefined;
  const message = "it is removed when it has finished; to remove it now, take ttlSecondsAfterFinished off the object";
  return { reason: STILL_RUNNING, message };
}

/** Why the copies on a cluster are released: the MemberCluster is being deleted and keeps its objects. */
function leavingFrom(name: string, { clusters }: RemovalFacts): Why | undefined {
  if (clusters.get(name)?.leaving !== "Keep") return undefined;
  return { reason: "ClusterLeaving", message: `MemberCluster ${name} goes, and keeps what runs there` };
}

function obstacleOnTheHub({ hub, held }: RemovalFacts): Why | undefined {
  if (!hub.synced) return HUB_NOT_SYNCED;
  if (!hub.planned) return PLANNING_INCOMPLETE;
  return hub.deletionsHeld ? DELETIONS_HELD : held;
}

function obstacleOnTheCluster(name: string, ref: ObjectRef, { clusters }: RemovalFacts): Why | undefined {
  const cluster = clusters.get(name);
  if (cluster === undefined) return { reason: "ClusterUnknown", message: `there is no MemberCluster ${name}` };
  const { namespaces } = cluster;
  if (namespaces !== undefined && !isGranted(namespaces, ref.namespace))
    return namespaceNotGranted(name, namespaces, ref.namespace);
  if (!cluster.synced)
    return {
      reason: "ClusterNotSynced",
      message: `not everything on cluster ${name} is known at present`,
    };
  const unreadable = whyUnreadable(cluster.unreadable, ref);
  if (unreadable !== undefined) return { reason: "ClusterNotSynced", message: unreadable };
  return cluster.held;
}

function obstacleOfOwnership({ owner: named }: Present, { ownership, owner }: RemovalFacts): Why | undefined {
  if (named !== undefined && !isSameRef(named, owner))
    return { reason: "OtherOwner", message: `it belongs to ${named.kind} ${named.name}` };
  switch (ownership) {
    case "Ours":
      return undefined;
    case "OtherClass":
      return {
        reason: "OtherOwner",
        message: `the manager of another class owns ${owner.kind} ${owner.name}`,
      };
    case "Unconfirmed":
      return {
        reason: "OwnerUnconfirmed",
        message: `the hub has not confirmed yet that ${owner.kind} ${owner.name} is gone`,
      };
  }
}
