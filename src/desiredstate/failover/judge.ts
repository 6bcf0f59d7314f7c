import { durationMs, timestamp } from "../../apis/index.ts";
import type { ClusterSnapshot, Eviction } from "../../scheduler/types.ts";
import type { Departure, DepartureReason, FailoverInput, FailoverPlan, FailoverRules } from "./types.ts";

/** How long a cluster may be lost before the object leaves; Kubernetes waits as long for a lost node. */
const GRACE_PERIOD = "5m";
const RETURN_AFTER = "5m";
/** If a greater share of the clusters is lost at once, probably the hub itself is cut off. */
const MAX_UNHEALTHY = "34%";

/** Decides which clusters an object leaves and may not return to. All clocks come from the hub, so a new leader continues. */
export function judgeFailover(input: FailoverInput, now: number): FailoverPlan {
  const { rules, clusters, current, departures, unhealthySince, contacts, turnAt = now } = input;
  const stay = clusters.filter(({ deleting }) => !deleting);
  const lost = stay.filter((cluster) => lostSince(cluster) !== undefined).map(({ name }) => name);
  const isTooMany = (count: number): boolean => count * 100 > stay.length * percentOf(rules);
  const isHeld = lost.length > 0 && isTooMany(lost.length);
  const heldUntil = endOfHold(stay, isTooMany);
  const left = new Map(departures.map((departure) => [departure.cluster, departure]));
  const due: Departure[] = [];
  const kept: Departure[] = [];
  const barred = new Map<string, Eviction>();
  const leaving: FailoverPlan["leaving"][number][] = [];
  const untried: string[] = [];
  const returning: FailoverPlan["returning"][number][] = [];
  const { ill, isOwnFault } = healthOf(input, stay);
  const incurable: string[] = [];
  let recheckAt = Number.POSITIVE_INFINITY;

  for (const cluster of stay) {
    const { name } = cluster;
    const departure = left.get(name);
    if (departure !== undefined) {
      const isUncured = departure.reason === "ObjectUnhealthy" && ill.length > 0;
      const at = isUncured ? Number.POSITIVE_INFINITY : returnsAt(cluster, departure, rules);
      // Nobody recorded a new loss while no manager ran, so this process must have reached the cluster.
      const isUntried = at <= now && contacts?.isReached(name) === false;
      if (at <= now && !isUntried) continue;
      kept.push(departure);
      barred.set(name, evictionOf(departure, at));
      if (isUntried) untried.push(name);
      else if (at !== Number.POSITIVE_INFINITY) returning.push({ cluster: name, at });
      if (at > now) recheckAt = Math.min(recheckAt, at);
    } else if (current.has(name)) {
      const clock = clockOf(cluster, rules, unhealthySince.get(name), heldUntil);
      if (clock === undefined || (isHeld && clock.reason === "ClusterLost")) continue;
      if (isOwnFault && clock.reason === "ObjectUnhealthy") {
        if (clock.at <= now) incurable.push(name);
        else recheckAt = Math.min(recheckAt, clock.at);
        continue;
      }
      // Nobody recorded the return while no manager ran, so this process must have tried the cluster in vain.
      const isUntried = clock.reason === "ClusterLost" && contacts?.isLost(name) === false;
      const isDue = clock.at <= now && !isUntried;
      if (isDue && clock.reason === "ClusterLost" && turnAt > now) {
        leaving.push({ cluster: name, ...clock, at: turnAt, waitsForTurn: true });
        recheckAt = Math.min(recheckAt, turnAt);
      } else if (isDue) due.push({ cluster: name, reason: clock.reason, at: timestamp(now) });
      else {
        leaving.push({ cluster: name, ...clock });
        if (clock.at > now) recheckAt = Math.min(recheckAt, clock.at);
        else untried.push(name);
      }
    }
  }
  const held = isHeld && lost.some((name) => current.has(name) && !left.has(name));
  return {
    due,
    barred,
    departures: kept,
    leaving,
    untried,
    returning,
    incurable,
    ...(held ? { held: { lost, of: stay.length } } : {}),
    recheckAt,
  };
}

/** The object is at fault if it is unhealthy on all of several clusters, or again after it moved: it would wander. */
function healthOf(
  { rules, current, departures, unhealthySince }: FailoverInput,
  clusters: readonly ClusterSnapshot[],
): { ill: readonly string[]; isOwnFault: boolean } {
  if (rules.unhealthyAfter === undefined) return { ill: [], isOwnFault: false };
  const running = clusters.filter((cluster) => current.has(cluster.name) && lostSince(cluster) === undefined);
  const ill = running.flatMap(({ name }) => (unhealthySince.has(name) ? [name] : []));
  const isEverywhere = ill.length > 1 && ill.length === running.length;
  const hasMoved = departures.some(({ reason }) => reason === "ObjectUnhealthy");
  return { ill, isOwnFault: ill.length > 0 && (hasMoved || isEverywhere) };
}

function percentOf({ maxUnhealthyClusters = MAX_UNHEALTHY }: FailoverRules): number {
  return Number.parseInt(maxUnhealthyClusters, 10);
}

/** Epoch milliseconds; undefined for a cluster that is ready or has no Ready condition yet. */
function lostSince({ ready }: ClusterSnapshot): number | undefined {
  return ready === undefined || ready.status === "True" ? undefined : ready.since;
}

/** `since` of a cluster that `meridian plan --without` treats as lost. No real cluster was lost with it. */
const ALWAYS = 0;
const NEVER = Number.NEGATIVE_INFINITY;

/**
 * The last moment at which too many clusters were lost at once, in epoch milliseconds. A hub that was cut off gets its
 * clusters back one after the other. A cluster that is still lost must stay lost for a whole grace period before
 * objects leave it.
 *
 * Only the present conditions of the clusters tell the past. Before a cluster returned, at most these were lost: that
 * cluster, the clusters that returned later, and the clusters lost now. The answer may be too late, but never too
 * early.
 */
function endOfHold(clusters: readonly ClusterSnapshot[], isTooMany: (count: number) => boolean): number {
  const lost = clusters.filter((cluster) => (lostSince(cluster) ?? ALWAYS) !== ALWAYS).length;
  if (lost === 0) return NEVER;
  const returns = clusters.flatMap(({ ready }) => (ready?.status === "True" ? ready.since : [])).sort((a, b) => b - a);
  return returns.find((_, i) => isTooMany(lost + i + 1)) ?? NEVER;
}

interface Clock {
  reason: DepartureReason;
  since: number;
  at: number;
}

function clockOf(
  cluster: ClusterSnapshot,
  rules: FailoverRules,
  unhealthySince: number | undefined,
  heldUntil: number,
): Clock | undefined {
  const since = lostSince(cluster);
  if (since !== undefined)
    return {
      reason: "ClusterLost",
      since,
      at: Math.max(since, heldUntil) + durationMs(rules.gracePeriod ?? GRACE_PERIOD),
    };
  if (rules.unhealthyAfter === undefined || unhealthySince === undefined) return undefined;
  return { reason: "ObjectUnhealthy", since: unhealthySince, at: unhealthySince + durationMs(rules.unhealthyAfter) };
}

/** Time at which the object may return, in epoch milliseconds; infinity while the cluster is lost. */
function returnsAt(cluster: ClusterSnapshot, { reason, at }: Departure, rules: FailoverRules): number {
  if (lostSince(cluster) !== undefined) return Number.POSITIVE_INFINITY;
  const since = Date.parse(at);
  const from = reason === "ClusterLost" ? Math.max(since, cluster.ready?.since ?? since) : since;
  return from + durationMs(rules.returnAfter ?? RETURN_AFTER);
}

function evictionOf({ cluster, reason, at }: Departure, returns: number): Eviction {
  const why = reason === "ClusterLost" ? "the cluster was lost" : "the object was unhealthy there";
  if (returns === Number.POSITIVE_INFINITY)
    return {
      reason: "FailedOver",
      message: `left at ${at}: ${why}`,
      remedy: `bring ${cluster} back; the object may return once the cluster has been ready for failover.returnAfter`,
    };
  const message = `left at ${at}: ${why}; it may return at ${timestamp(returns)}`;
  return { reason: "AwaitingReturn", message, remedy: "wait, or shorten failover.returnAfter" };
}
