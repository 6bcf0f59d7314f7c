import { type FederatedStatus, type Message, type Placement, timestamp } from "../../apis/index.ts";
import { type ClusterSnapshot, type Decision, schedule, type Subject } from "../../scheduler/index.ts";
import { withRescheduling } from "./rescheduling.ts";
import { judgeFailover } from "./judge.ts";
import type { Contacts, Departure, FailoverPlan, FailoverRules } from "./types.ts";

export interface Failover {
  departures: readonly Departure[];
  condition: { status: "True" | "False" | "Unknown"; reason: string; message: Message };
  /** A clock has run down, and the result waits until this process has tried to reach the cluster itself. */
  awaitsContact?: true;
  /** When the object leaves a lost cluster, in epoch milliseconds: now, or at its turn. */
  turn?: number;
  watchesHealth: boolean;
}

/** Calls `schedule` for a placement with failover: an object leaves a cluster only if another cluster takes over. */
export function scheduleWithFailover(
  subject: Subject,
  placement: Placement,
  rules: FailoverRules,
  clusters: readonly ClusterSnapshot[],
  {
    previous,
    contacts,
    turnAt,
  }: { previous: FederatedStatus | undefined; contacts?: Contacts | undefined; turnAt?: number | undefined },
  now: number,
): { decision: Decision; failover: Failover } {
  const { spec } = placement;
  const before: readonly Departure[] = previous?.departures ?? [];
  const left = new Set(before.map(({ cluster }) => cluster));
  const current = new Map([...subject.current].filter(([name]) => !left.has(name)));
  const unhealthySince = clocksIn(previous);
  // A cluster on which all work has finished needs no failover.
  const unfinished = new Map([...current].filter(([name]) => subject.finished?.has(name) !== true));
  const facts = { rules, clusters, current: unfinished, departures: before, unhealthySince, contacts, turnAt };
  const plan = judgeFailover(facts, now);
  const here = { ...subject, current, evicted: plan.barred };
  const decide = (who: Subject): Decision => schedule(who, spec, clusters, now);
  let decision = withRescheduling(here, placement, clusters, previous, now, decide);
  let departures = plan.departures;
  let isNowhere = false;
  if (plan.due.length > 0) {
    const gone = new Map(plan.due.map(({ cluster, reason, at }) => [cluster, { reason, message: `left at ${at}` }]));
    const elsewhere = schedule({ ...here, evicted: new Map([...plan.barred, ...gone]) }, spec, clusters, now);
    if (gains(decision, elsewhere)) {
      decision = elsewhere;
      departures = [...departures, ...plan.due].sort((a, b) => (a.cluster < b.cluster ? -1 : 1));
    } else {
      isNowhere = true;
      // The other clusters lack capacity, or are being measured: more capacity changes the answer.
      if (decision.room !== undefined && elsewhere.room?.awaited === true)
        decision = { ...decision, room: { ...decision.room, awaited: true } };
    }
  }
  const recheckAt = Math.min(decision.recheckAt ?? Infinity, plan.recheckAt);
  return {
    decision: recheckAt === Infinity ? decision : { ...decision, recheckAt },
    failover: {
      departures,
      condition: conditionOf(plan, departures, isNowhere),
      ...turnIn(plan, isNowhere, now),
      ...(plan.untried.length === 0 ? {} : { awaitsContact: true as const }),
      watchesHealth: rules.unhealthyAfter !== undefined,
    },
  };
}

function turnIn({ due, leaving }: FailoverPlan, isNowhere: boolean, now: number): Pick<Failover, "turn"> {
  const waits = leaving.find(({ waitsForTurn }) => waitsForTurn === true);
  if (waits !== undefined) return { turn: waits.at };
  return !isNowhere && due.some(({ reason }) => reason === "ClusterLost") ? { turn: now } : {};
}

function clocksIn(previous: FederatedStatus | undefined): Map<string, number> {
  const clocks = new Map<string, number>();
  for (const { name, unhealthySince } of previous?.clusters ?? [])
    if (unhealthySince !== undefined) clocks.set(name, Date.parse(unhealthySince));
  return clocks;
}

/** True if a cluster gains the object or replicas. Without a gain, leaving would only lose replicas. */
function gains(before: Decision, after: Decision): boolean {
  const had = new Map(before.clusters.map(({ name, replicas }) => [name, replicas]));
  return after.clusters.some(({ name, replicas }) => !had.has(name) || (replicas ?? 0) > (had.get(name) ?? 0));
}

/** The present step and the time of the next one. Times are absolute, so that the condition changes only with a step. */
function conditionOf(
  { held, leaving, due, returning, incurable }: FailoverPlan,
  departures: readonly Departure[],
  isNowhere: boolean,
): Failover["condition"] {
  if (held !== undefined) {
    const what = `${held.lost.length} of ${held.of} clusters are lost at once, so nothing moves:`;
    const message = { what, where: held.lost };
    return { status: "Unknown", reason: "FailoverHeld", message };
  }
  if (isNowhere) {
    const where = due.map(({ cluster }) => cluster);
    const message = { what: "no other cluster takes what is on", where, remedy: "add one that the Placement selects" };
    return { status: "False", reason: "NowhereToGo", message };
  }
  if (incurable.length > 0) {
    const why = "another cluster would not help";
    const message = { what: "unhealthy on", where: incurable, why, remedy: "look at the object itself" };
    return { status: "False", reason: "UnhealthyEverywhere", message };
  }
  const [next] = leaving.toSorted((a, b) => a.at - b.at);
  if (next !== undefined) {
    const what = next.reason === "ClusterLost" ? "lost" : "unhealthy";
    const others = next.waitsForTurn === true ? ", others before it" : "";
    const message = `${next.cluster} ${what} since ${timestamp(next.since)}; the object leaves it at ${timestamp(next.at)}${others}`;
    return { status: "True", reason: next.reason, message };
  }
  const [first] = departures;
  if (first === undefined) return { status: "False", reason: "Settled", message: "" };
  const back = returning.find(({ cluster }) => cluster === first.cluster);
  const more = departures.length === 1 ? "" : `, and ${departures.length - 1} more`;
  const message =
    back === undefined
      ? `left ${first.cluster} at ${first.at} (${first.reason})${more}`
      : `left ${first.cluster} at ${first.at}; it may return at ${timestamp(back.at)}${more}`;
  return {
    status: "True",
    reason: back === undefined ? "FailedOver" : "AwaitingReturn",
    message,
  };
}
