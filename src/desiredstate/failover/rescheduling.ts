import { durationMs, type FederatedStatus, type Placement, shareOf } from "../../apis/index.ts";
import { type ClusterSnapshot, type Decision, goesByHeadroom, type Subject } from "../../scheduler/index.ts";

/** How long pods may stay unschedulable; Kubernetes keeps pods as long on a lost node. */
const AFTER = "5m";
const AT_ONCE = "25%";

type Rules = NonNullable<Placement["spec"]["replicaScheduling"]["rescheduling"]>;

/** The placement's rescheduling rules; undefined if unschedulable replicas stay. */
export function reschedulingOf({ spec }: Placement): Rules | undefined {
  return goesByHeadroom(spec.replicaScheduling) ? spec.replicaScheduling.rescheduling : undefined;
}

/**
 * Calls `decide`, and moves replicas whose pods have been unschedulable for the delay of the rules. At most the allowed
 * share moves at once, only replicas that fit on another cluster move, and running replicas never move. Moved replicas
 * do not return by themselves, because running replicas never move for capacity.
 *
 * A cluster's clock is in the object's status and restarts after replicas have left, so a new leader continues where
 * the previous one stopped.
 */
export function withRescheduling(
  subject: Subject,
  placement: Placement,
  clusters: readonly ClusterSnapshot[],
  previous: FederatedStatus | undefined,
  now: number,
  decide: (subject: Subject) => Decision,
): Decision {
  const rules = reschedulingOf(placement);
  const stuck = rules === undefined ? [] : stuckOn(rules, subject, previous);
  if (rules === undefined || stuck.length === 0) return decide(subject);
  const total = subject.replicas ?? 0;
  const budget = Math.max(1, shareOf(rules.maxReplicas ?? AT_ONCE, total, Math.floor));
  const due = stuck.filter(({ cluster, at }) => at <= now && clusters.some(({ name }) => name === cluster));
  const next = Math.min(...stuck.flatMap(({ at }) => (at > now ? [at] : [])));
  const stay = (awaits: boolean): Decision => withRecheck(awaiting(decide(subject), awaits), next);
  if (due.length === 0) return stay(false);

  let moving = Math.min(
    budget,
    due.reduce((sum, { replicas }) => sum + replicas, 0),
  );
  // Replicas that do not fit elsewhere stay: each attempt moves fewer.
  while (moving > 0) {
    const leaving = keptWhere(subject, due, moving);
    if (leaving.size === 0) return stay(false);
    const decision = decide({ ...subject, leaving });
    if (decision.clusters.length === 0) break;
    const unhoused = decision.room?.unhoused ?? moving;
    if (unhoused === 0) return withRecheck(telling(decision, subject, leaving), next);
    moving -= unhoused;
  }
  return stay(true);
}

/** Takes `moving` replicas away, from the first clusters on. Returns how many replicas each of these clusters may keep. */
function keptWhere(subject: Subject, due: readonly Stuck[], moving: number): Map<string, number> {
  const leaving = new Map<string, number>();
  let left = moving;
  for (const { cluster, replicas } of due) {
    const there = heldOn(subject, cluster);
    const moved = Math.min(left, replicas, there);
    if (moved > 0) leaving.set(cluster, there - moved);
    left -= moved;
  }
  return leaving;
}

const heldOn = ({ held, current }: Subject, cluster: string): number => held?.get(cluster) ?? current.get(cluster) ?? 0;

interface Stuck {
  cluster: string;
  replicas: number;
  at: number;
}

function stuckOn({ after = AFTER }: Rules, subject: Subject, previous: FederatedStatus | undefined): Stuck[] {
  const stuck = (previous?.clusters ?? []).flatMap(({ name, unschedulableSince, replicas }): Stuck[] => {
    if (unschedulableSince === undefined) return [];
    const held = heldOn(subject, name);
    const missing = held - replicas.available;
    // Some replicas have already left and the status does not show this yet: the clock restarts when it does.
    if (missing <= 0 || held < replicas.desired) return [];
    return [{ cluster: name, replicas: missing, at: Date.parse(unschedulableSince) + durationMs(after) }];
  });
  return stuck.sort((a, b) => (a.cluster < b.cluster ? -1 : 1));
}

function withRecheck(decision: Decision, at: number): Decision {
  const recheckAt = Math.min(decision.recheckAt ?? Infinity, at);
  return recheckAt === Infinity ? decision : { ...decision, recheckAt };
}

function telling(decision: Decision, subject: Subject, leaving: ReadonlyMap<string, number>): Decision {
  if (decision.room === undefined) return decision;
  const left = new Map([...leaving].map(([cluster, most]) => [cluster, heldOn(subject, cluster) - most]));
  return { ...decision, room: { ...decision.room, left } };
}

function awaiting(decision: Decision, awaits: boolean): Decision {
  return awaits && decision.room !== undefined ? { ...decision, room: { ...decision.room, awaited: true } } : decision;
}
