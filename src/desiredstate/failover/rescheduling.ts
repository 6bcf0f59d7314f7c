import { durationMs, type FederatedStatus, type Placement, shareOf } from "../../apis/index.ts";
import { type ClusterSnapshot, type Decision, goesByRoom, type Subject } from "../../scheduler/index.ts";

/** How long pods may find no node, as long as Kubernetes leaves them on a node that is lost. */
const AFTER = "5m";
const AT_ONCE = "25%";

type Rules = NonNullable<Placement["spec"]["replicaScheduling"]["rescheduling"]>;

/** What the placement says of replicas whose pods find no node; undefined where they stay. */
export function reschedulingOf({ spec }: Placement): Rules | undefined {
  return goesByRoom(spec.replicaScheduling) ? spec.replicaScheduling.rescheduling : undefined;
}

/**
 * As `decide`, and replicas whose pods have found no node for the delay of the rules leave their cluster: no more at once than the rules allow, only
 * those that find room on another cluster, and never one that runs. They do not come back by themselves: nothing that runs moves for room.
 *
 * The clock of a cluster is in the object's status, and begins anew when replicas have left, so that a new manager goes on where the one before was.
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
  // What does not fit elsewhere stays: each time so much less is tried.
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

/** Takes that many replicas away, from the first clusters on. What each of these clusters may keep. */
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
  /** Of which pods find no node. */
  replicas: number;
  /** Epoch milliseconds at which they may leave. */
  at: number;
}

/** In the order of the names of the clusters. */
function stuckOn({ after = AFTER }: Rules, subject: Subject, previous: FederatedStatus | undefined): Stuck[] {
  const stuck = (previous?.clusters ?? []).flatMap(({ name, unschedulableSince, replicas }): Stuck[] => {
    if (unschedulableSince === undefined) return [];
    const held = heldOn(subject, name);
    const missing = held - replicas.available;
    // Where some have left already, and the status does not say so yet, the clock begins anew when it does.
    if (missing <= 0 || held < replicas.desired) return [];
    return [{ cluster: name, replicas: missing, at: Date.parse(unschedulableSince) + durationMs(after) }];
  });
  return stuck.sort((a, b) => (a.cluster < b.cluster ? -1 : 1));
}

function withRecheck(decision: Decision, at: number): Decision {
  const recheckAt = Math.min(decision.recheckAt ?? Infinity, at);
  return recheckAt === Infinity ? decision : { ...decision, recheckAt };
}

/** Says how many have left. */
function telling(decision: Decision, subject: Subject, leaving: ReadonlyMap<string, number>): Decision {
  if (decision.room === undefined) return decision;
  const left = new Map([...leaving].map(([cluster, most]) => [cluster, heldOn(subject, cluster) - most]));
  return { ...decision, room: { ...decision.room, left } };
}

/** Room on another cluster would change the decision. */
function awaiting(decision: Decision, awaits: boolean): Decision {
  return awaits && decision.room !== undefined ? { ...decision, room: { ...decision.room, awaited: true } } : decision;
}
