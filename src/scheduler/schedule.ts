import { matchesClusterSelector, type AffinityGroup, type ClusterSelector } from "../apis/index.ts";
import { divideWithin } from "./divide.ts";
import { affinity } from "./filters/affinity.ts";
import { clusterLifecycle } from "./filters/clusterLifecycle.ts";
import type { Filter, FilterContext } from "./filters/filter.ts";
import { taintToleration } from "./filters/taintToleration.ts";
import { compareText, sortedByName } from "./order.ts";
import type { ClusterSnapshot, Decision, PlacementRules, Subject, Verdict } from "./types.ts";

/** Asked in this order; the first that refuses gives the reason. */
const FILTERS: readonly Filter[] = [affinity, clusterLifecycle, taintToleration];

/**
 * Which clusters run the object, how many replicas each gets, and why each cluster was chosen or not.
 *
 * Affinity groups are ordered: the first in which at least one cluster fits is used; a placement without groups takes
 * every cluster. Mode Duplicated runs the object as it is on each; mode Divided divides its replicas by static weight,
 * and a cluster that gets none is left out, unless the object asks for none in all.
 *
 * Same values in, same decision out, in whatever order the clusters come. Time (`now`, epoch milliseconds) only counts
 * for tolerations that end; `recheckAt` says when the next one does.
 */
export function schedule(
  subject: Subject,
  placement: PlacementRules,
  clusters: readonly ClusterSnapshot[],
  now: number,
): Decision {
  const sorted = sortedByName(clusters);
  const tolerations = placement.tolerations ?? [];
  const round = firstGroupThatFits(placement.clusterAffinities, (group) =>
    filter({ subject, tolerations, group, now }, sorted),
  );

  const notes = notEnforced(placement);
  const chosen = share(subject, placement, round, notes);
  const verdicts = [
    ...sorted.map((cluster): Verdict => chosen.verdicts.get(cluster.name) ?? round.verdict(cluster.name)),
    ...unknownClusters(placement, sorted),
  ].toSorted((a, b) => compareText(a.cluster, b.cluster));

  return {
    ...(round.group === undefined ? {} : { group: round.group.name }),
    clusters: chosen.clusters,
    verdicts,
    ...(round.until === Number.POSITIVE_INFINITY ? {} : { recheckAt: round.until }),
    ...(notes.length === 0 ? {} : { notes }),
  };
}

/** What became of the clusters when one affinity group was tried. */
interface Round {
  /** The group that was used; undefined when there are none, or none fits. */
  group: AffinityGroup | undefined;
  fitting: ClusterSnapshot[];
  verdict(cluster: string): Verdict;
  /** When the first of the fitting clusters will fit no longer, epoch milliseconds or infinity. */
  until: number;
}

function filter(context: FilterContext, clusters: readonly ClusterSnapshot[]): Round {
  const fitting: ClusterSnapshot[] = [];
  const verdicts = new Map<string, Verdict>();
  let until = Number.POSITIVE_INFINITY;
  for (const cluster of clusters) {
    const { verdict, until: end } = judge(context, cluster);
    verdicts.set(cluster.name, verdict);
    if (!verdict.fits) continue;
    fitting.push(cluster);
    until = Math.min(until, end);
  }
  return { group: context.group, fitting, verdict: (name) => verdicts.get(name) ?? unknown(name), until };
}

function judge(context: FilterContext, cluster: ClusterSnapshot): { verdict: Verdict; until: number } {
  let until = Number.POSITIVE_INFINITY;
  for (const one of FILTERS) {
    const result = one.check(context, cluster);
    if (!result.fits) {
      const { reason, message } = result;
      return { verdict: { cluster: cluster.name, fits: false, reason, message }, until };
    }
    if (result.until !== undefined) until = Math.min(until, result.until);
  }
  const message = context.group === undefined ? "every cluster is allowed" : `in group ${context.group.name}`;
  return { verdict: { cluster: cluster.name, fits: true, reason: "Selected", message }, until };
}

/**
 * The round of the first group with a fitting cluster. When there is none, a round without clusters, in which each
 * cluster is answered by the group that came closest to taking it: one whose selector took it, else the first.
 */
function firstGroupThatFits(
  groups: readonly AffinityGroup[] | undefined,
  attempt: (group?: AffinityGroup) => Round,
): Round {
  if (groups === undefined || groups.length === 0) return attempt(undefined);
  const rounds: Round[] = [];
  for (const group of groups) {
    const round = attempt(group);
    if (round.fitting.length > 0) return round;
    rounds.push(round);
  }
  return {
    group: undefined,
    fitting: [],
    until: Number.POSITIVE_INFINITY,
    verdict(cluster) {
      const verdicts = rounds.map((round) => round.verdict(cluster));
      return verdicts.find((v) => !AFFINITY_REASONS.has(v.reason)) ?? verdicts[0] ?? unknown(cluster);
    },
  };
}

const AFFINITY_REASONS: ReadonlySet<string> = new Set(["NotInAffinity", "LabelKeyMissing", "Excluded"]);

/** The chosen clusters with their replicas, and the verdicts that division decides. Adds what it could not do to `notes`. */
function share(
  subject: Subject,
  placement: PlacementRules,
  { fitting }: Round,
  notes: string[],
): { clusters: Decision["clusters"]; verdicts: Map<string, Verdict> } {
  const { mode, minReplicasPerCluster: min, maxReplicasPerCluster: max } = placement.replicaScheduling;
  const total = subject.replicas;
  const verdicts = new Map<string, Verdict>();
  if (mode === "Duplicated" || total === undefined)
    return { clusters: fitting.map(({ name }) => ({ name })), verdicts };

  const weights = weightsOf(placement, fitting, subject);
  const division = divideWithin(total, weights, { min, max });
  if (division.unplaced > 0 && fitting.length > 0) {
    notes.push(`maxReplicasPerCluster leaves ${division.unplaced} of ${total} replicas without a place`);
  }
  if (division.belowMinimum.length > 0 || (total > 0 && total < (min ?? 0))) {
    notes.push(`${total} replicas are too few for minReplicasPerCluster on each cluster`);
  }

  const clusters: { name: string; replicas: number }[] = [];
  for (const { name } of fitting) {
    const replicas = division.replicas[name] ?? 0;
    if (replicas > 0 || total === 0) {
      clusters.push({ name, replicas });
      const unplaced =
        division.unplaced > 0 && replicas === max ? `, its most; ${division.unplaced} have no place` : "";
      const message = `gets ${replicas} of ${total} replicas${unplaced}`;
      verdicts.set(name, { cluster: name, fits: true, reason: "Selected", message });
    } else {
      const message = whyNone(total, weights[name] ?? 0, division.belowMinimum.includes(name));
      verdicts.set(name, { cluster: name, fits: false, reason: "NoReplicas", message });
    }
  }
  return { clusters, verdicts };
}

function whyNone(total: number, weight: number, belowMinimum: boolean): string {
  if (belowMinimum) return `${total} replicas are too few for minReplicasPerCluster on each cluster`;
  return weight === 0 ? "no weight is given for it" : `${total} replicas divided by weight leave none for it`;
}

/** The first entry whose clusters include this one gives its weight; none, 0; no entries at all, 1 each. */
function weightsOf(placement: PlacementRules, clusters: ClusterSnapshot[], subject: Subject): Record<string, number> {
  const { weights, strategy } = placement.replicaScheduling;
  // The strategies that look at capacity are not there yet; notEnforced says so, and shares are even.
  const entries = isDynamic(strategy) ? undefined : weights;
  const weightOf = (cluster: ClusterSnapshot): number => {
    if (entries === undefined || entries.length === 0) return 1;
    return entries.find((e) => matchesClusterSelector(e.targetClusters, cluster, subject.labels))?.weight ?? 0;
  };
  return Object.fromEntries(clusters.map((cluster) => [cluster.name, weightOf(cluster)]));
}

function isDynamic(strategy: PlacementRules["replicaScheduling"]["strategy"]): boolean {
  return strategy === "Available" || strategy === "Aggregated";
}

/** What the API takes and this version does not act on: said aloud instead of ignored. */
function notEnforced({ replicaScheduling, spreadConstraints }: PlacementRules): string[] {
  const notes: string[] = [];
  if (replicaScheduling.mode === "Divided" && isDynamic(replicaScheduling.strategy)) {
    notes.push(`strategy ${replicaScheduling.strategy} is not enforced yet: replicas are divided evenly`);
  }
  if (spreadConstraints !== undefined && spreadConstraints.length > 0) {
    notes.push("spreadConstraints are not enforced yet");
  }
  return notes;
}

/** A verdict for each name that the policy gives and no cluster has: most likely a slip of the pen. */
function unknownClusters(placement: PlacementRules, clusters: readonly ClusterSnapshot[]): Verdict[] {
  const known = new Set(clusters.map((cluster) => cluster.name));
  const selectors: ClusterSelector[] = [
    ...(placement.clusterAffinities ?? []),
    ...(placement.replicaScheduling.weights ?? []).map((entry) => entry.targetClusters),
  ];
  const names = new Set(selectors.flatMap((s) => [...(s.clusterNames ?? []), ...(s.exclude ?? [])]));
  return [...names].filter((name) => !known.has(name)).map(unknown);
}

function unknown(cluster: string): Verdict {
  return {
    cluster,
    fits: false,
    reason: "UnknownCluster",
    message: "the placement names it, and no such cluster is known",
  };
}
