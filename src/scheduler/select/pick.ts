import { counted, shortMessage } from "../../apis/index.ts";
import { goesByHeadroom, headroomOf } from "../divide/shareByHeadroom.ts";
import { preferences } from "../score/preferences.ts";
import { staticWeight } from "../score/staticWeight.ts";
import type { Answer, ClusterSnapshot, PlacementRules, Step, Subject } from "../types.ts";
import { bestWithin } from "./best.ts";
import { type Candidate, NO_GROUP } from "./classes.ts";
import { type GroupConstraint, groupOf, groupsText, remedyOf, type SpreadTerms, spreadTerms } from "./topology.ts";

/** In the order of the fitting clusters. */
export interface Picked {
  taken: readonly boolean[];
  scores: readonly (Step | undefined)[];
  /** Empty if nothing is picked. */
  steps: readonly (Step | undefined)[];
  notes: readonly string[];
}

/** The placement limits or spreads the clusters that it takes. */
export function picksClusters({ clusterCount, spreadConstraints = [] }: PlacementRules): boolean {
  return clusterCount !== undefined || spreadConstraints.length > 0;
}

/** Makes values that are not negative, so that their sums compare picks. Lower scores count as -1,500. */
const SCORE_OFFSET = 1_500;

/**
 * As many as spread constraints and `clusterCount` allow. Of equally many, those preferred; then those that run the
 * object, so that nothing moves without a reason; then those that spread evenly; then by name.
 */
export function pick(subject: Subject, placement: PlacementRules, clusters: readonly ClusterSnapshot[]): Picked {
  const prefers = preferences(placement, subject);
  const preferred = clusters.map(prefers);
  const scores = preferred.map(({ step }) => step);
  if (!picksClusters(placement)) return { taken: clusters.map(() => true), scores, steps: [], notes: [] };

  const terms = spreadTerms(placement);
  const numbers = terms.groups.map(() => new Map<string, number>());
  const hasWeight = goesByHeadroom(placement.replicaScheduling)
    ? roomy(subject, placement, clusters)
    : weighed(subject, placement, clusters);
  const missing = new Map<string, Step>();
  const steps: (Step | undefined)[] = [];
  const candidates: Candidate[] = [];
  for (const [index, cluster] of clusters.entries()) {
    const answer = hasWeight(cluster) ?? ungrouped(cluster, terms, missing);
    if (answer !== undefined) {
      steps[index] = answer;
      continue;
    }
    const groups = terms.groups.map(({ topologyKey }, k) => numberOf(groupOf(cluster, topologyKey), numbers[k]));
    const score = (preferred[index]?.score ?? 0) + SCORE_OFFSET;
    const value = Math.min(4_900, Math.max(0, score)) * 2 + (subject.current.has(cluster.name) ? 1 : 0);
    candidates.push({ index, name: cluster.name, value, groups });
  }
  const spread = spreadOver(candidates, terms, atMost(subject, placement));
  const taken = clusters.map(() => false);
  for (const { index } of spread.picked) taken[index] = true;
  const ofTaken = stepOfTaken(terms, spread);
  const refusals = new Map<string, Step>();
  for (const one of candidates) {
    if (taken[one.index] === true) steps[one.index] = ofTaken;
    else {
      const key = spread.failure === undefined ? one.groups.join() : "";
      let step = refusals.get(key);
      if (step === undefined) refusals.set(key, (step = spread.failure ?? refusalOf(one, terms, spread)));
      steps[one.index] = step;
    }
  }
  return { taken, scores, steps, notes: spread.notes };
}

const SELECT = { stage: "select", name: "SpreadConstraints" } as const;
const COUNT = { stage: "select", name: "ClusterCount" } as const;

/** Refuses clusters with weight 0: they get no replicas, so nothing can spread there. */
function weighed(
  subject: Subject,
  { replicaScheduling }: PlacementRules,
  clusters: readonly ClusterSnapshot[],
): (cluster: ClusterSnapshot) => Step | undefined {
  if (replicaScheduling.mode !== "Divided" || subject.replicas === undefined) return () => undefined;
  const weightOf = staticWeight(replicaScheduling, subject);
  if (clusters.every((cluster) => weightOf(cluster).weight === 0)) return () => undefined;
  const none: Step = {
    ...SELECT,
    fits: false,
    reason: "NoReplicas",
    message: "no weight is given for it",
    remedy: "give it a weight in replicaScheduling.weights",
  };
  return (cluster) => (weightOf(cluster).weight === 0 ? none : undefined);
}

/** Refuses clusters without room for the smallest share, unless the object runs there. */
function roomy(
  subject: Subject,
  { replicaScheduling }: PlacementRules,
  clusters: readonly ClusterSnapshot[],
): (cluster: ClusterSnapshot) => Step | undefined {
  const least = Math.max(1, replicaScheduling.minReplicasPerCluster ?? 1);
  const hasNone = (cluster: ClusterSnapshot): boolean => {
    const room = headroomOf(subject, cluster);
    return room !== undefined && "fits" in room && room.fits < least && !subject.current.has(cluster.name);
  };
  // If no cluster has room, room decides nothing.
  if (subject.replicas === undefined || clusters.every(hasNone)) return () => undefined;
  const none: Step = {
    stage: "select",
    name: "Room",
    fits: false,
    reason: "NoRoom",
    message: least === 1 ? "it has no room for a replica" : `it has no room for ${least} replicas`,
    remedy: "add nodes there, or let the pods ask for less",
  };
  return (cluster) => (hasNone(cluster) ? none : undefined);
}

/** Refuses a cluster that is in no group of a hard constraint, since the constraint cannot count it. */
function ungrouped(cluster: ClusterSnapshot, { groups }: SpreadTerms, missing: Map<string, Step>): Step | undefined {
  const one = groups.find(({ isSoft, topologyKey }) => !isSoft && groupOf(cluster, topologyKey) === undefined);
  if (one === undefined) return undefined;
  const { topologyKey } = one;
  let step = missing.get(topologyKey);
  if (step === undefined) {
    const message = shortMessage(`it has no ${topologyKey}, over which spreadConstraints spread`);
    step = { ...SELECT, fits: false, reason: "TopologyKeyMissing", message, remedy: remedyOf(topologyKey) };
    missing.set(topologyKey, step);
  }
  return step;
}

function numberOf(group: string | undefined, numbers: Map<string, number> | undefined): number {
  if (group === undefined || numbers === undefined) return NO_GROUP;
  let number = numbers.get(group);
  if (number === undefined) numbers.set(group, (number = numbers.size));
  return number;
}

/** Most clusters that divided replicas reach, with the minimum on each. */
function atMost({ replicas }: Subject, { replicaScheduling }: PlacementRules): number {
  const { mode, minReplicasPerCluster = 1 } = replicaScheduling;
  if (mode !== "Divided" || replicas === undefined || replicas <= 0) return Number.POSITIVE_INFINITY;
  return Math.max(1, Math.floor(replicas / Math.max(1, minReplicasPerCluster)));
}

interface Spread {
  picked: readonly Candidate[];
  /** Why no pick is possible. */
  failure?: Step;
  notes: string[];
}

function spreadOver(candidates: readonly Candidate[], terms: SpreadTerms, atMostClusters: number): Spread {
  const count = Math.min(terms.count, terms.maxClusters, atMostClusters);
  const { groups } = terms;
  const maxima = groups.map(({ max }) => max);
  // More groups than the replicas reach: they spread as far as they reach.
  const isSoft = (k: number): boolean => groups[k]?.isSoft === true || (groups[k]?.min ?? 0) > atMostClusters;
  const fewest = terms.isMinSoft ? 0 : Math.min(terms.minClusters, atMostClusters);
  const attempt = (minima: readonly number[]): readonly Candidate[] | undefined => {
    const picked = bestWithin(candidates, { count, minima, maxima });
    return picked === undefined || picked.length < fewest ? undefined : picked;
  };
  const wanted = groups.map(({ min }, k) => (isSoft(k) ? Math.min(min, count) : min));
  let picked = attempt(wanted);
  if (picked === undefined && groups.some((_, k) => isSoft(k))) {
    const minima = wanted.map((min, k) => (isSoft(k) ? 0 : min));
    picked = attempt(minima);
    // Soft constraints in order, each met as far as possible.
    for (const [k, min] of wanted.entries()) {
      if (picked === undefined || !isSoft(k)) continue;
      const present = new Set(candidates.map((one) => one.groups[k] ?? NO_GROUP));
      present.delete(NO_GROUP);
      for (let tried = Math.min(min, present.size); tried > 0; tried--) {
        minima[k] = tried;
        const better = attempt(minima);
        if (better === undefined) continue;
        picked = better;
        break;
      }
      if (picked !== undefined && attempt(minima) === undefined) minima[k] = 0;
    }
  }
  if (picked === undefined || picked.length === 0)
    return { picked: [], failure: failureOf(candidates, terms), notes: [] };
  return { picked, notes: notesOf(picked, terms, count) };
}

function groupsAmong(candidates: readonly Candidate[], k: number): number {
  const groups = new Set(candidates.map((one) => one.groups[k] ?? NO_GROUP));
  groups.delete(NO_GROUP);
  return groups.size;
}

function notesOf(
  picked: readonly Candidate[],
  { groups, minClusters, count: asked }: SpreadTerms,
  count: number,
): string[] {
  const notes = groups.flatMap(({ min, topologyKey }, k) => {
    const reached = groupsAmong(picked, k);
    return reached < min ? [`spreadConstraints: ${reached} of ${groupsText(min, topologyKey)}`] : [];
  });
  if (picked.length < minClusters)
    notes.push(`spreadConstraints: ${picked.length} of ${counted(minClusters, "cluster")}`);
  if (asked !== Number.POSITIVE_INFINITY && picked.length < Math.min(asked, count))
    notes.push(`clusterCount ${asked}: only ${counted(picked.length, "cluster")} can be taken`);
  return notes;
}

/** Names the constraint that cannot be met, and what would have to change. */
function failureOf(candidates: readonly Candidate[], terms: SpreadTerms): Step {
  const refuse = (message: string, remedy: string): Step => ({
    ...SELECT,
    fits: false,
    reason: "SpreadNotMet",
    message: shortMessage(message),
    remedy,
  });
  for (const [k, { isSoft, min, topologyKey }] of terms.groups.entries()) {
    const present = groupsAmong(candidates, k);
    if (isSoft || present >= min) continue;
    const noun = groupsText(2, topologyKey).slice(2);
    return refuse(
      `${groupsText(min, topologyKey)} ${min === 1 ? "is" : "are"} asked for, and clusters of ${present} fit`,
      `let clusters of ${min - present} more ${min - present === 1 ? groupsText(1, topologyKey).slice(2) : noun} fit, lower minGroups of ${topologyKey}, or set whenUnsatisfiable: ScheduleAnyway`,
    );
  }
  const { minClusters } = terms;
  if (!terms.isMinSoft && candidates.length < minClusters) {
    return refuse(
      `${counted(minClusters, "cluster")} are asked for, and ${candidates.length} ${candidates.length === 1 ? "fits" : "fit"}`,
      `let ${minClusters - candidates.length} more fit, lower minGroups of cluster, or set whenUnsatisfiable: ScheduleAnyway`,
    );
  }
  return refuse(
    "no choice of clusters meets all spreadConstraints at once",
    "raise maxGroups or clusterCount, lower minGroups, or set whenUnsatisfiable: ScheduleAnyway",
  );
}

function stepOfTaken({ groups, minClusters, maxClusters, count }: SpreadTerms, { picked }: Spread): Step {
  const among = groups.map(({ topologyKey }, k) => groupsText(groupsAmong(picked, k), topologyKey));
  const message =
    among.length === 0
      ? takenText(picked.length)
      : shortMessage(`one of ${counted(picked.length, "cluster")} in ${among.join(", ")}`);
  const isSpread = among.length > 0 || minClusters > 0 || maxClusters !== Number.POSITIVE_INFINITY;
  const step = isSpread || count === Number.POSITIVE_INFINITY ? SELECT : COUNT;
  return { ...step, fits: true, reason: "Selected", message };
}

function takenText(clusters: number): string {
  return clusters === 1 ? "the one cluster that is taken" : `one of the ${counted(clusters, "cluster")} that are taken`;
}

/** Why a cluster was left out in favour of others. */
function refusalOf(one: Candidate, terms: SpreadTerms, { picked }: Spread): Step {
  for (const [k, constraint] of terms.groups.entries()) {
    const group = one.groups[k] ?? NO_GROUP;
    if (constraint.max === Number.POSITIVE_INFINITY) continue;
    if (
      group === NO_GROUP ||
      groupsAmong(picked, k) < constraint.max ||
      picked.some(({ groups }) => groups[k] === group)
    )
      continue;
    return { ...SELECT, ...beyondMaxGroups(constraint) };
  }
  if (picked.length >= terms.count) {
    const message = `${counted(picked.length, "other cluster")} ${picked.length === 1 ? "goes" : "go"} before it; clusterCount is ${terms.count}`;
    return {
      ...COUNT,
      fits: false,
      reason: "BeyondClusterCount",
      message,
      remedy: "raise clusterCount, or prefer it in clusterPreferences",
    };
  }
  if (picked.length >= terms.maxClusters) {
    const cluster = { topologyKey: "cluster", min: 0, max: terms.maxClusters, isSoft: false };
    return { ...SELECT, ...beyondMaxGroups(cluster) };
  }
  return {
    ...SELECT,
    fits: false,
    reason: "NoReplicas",
    message: `the replicas reach ${counted(picked.length, "cluster")}, and it is not among them`,
    remedy: "ask for more replicas, or lower minReplicasPerCluster",
  };
}

function beyondMaxGroups({ topologyKey, max }: GroupConstraint): Answer {
  const others = groupsText(max, topologyKey);
  return {
    fits: false,
    reason: "BeyondMaxGroups",
    message: shortMessage(
      `${others} ${max === 1 ? "goes" : "go"} before it, and maxGroups of ${topologyKey} is ${max}`,
    ),
    remedy: `raise maxGroups of ${topologyKey}, or prefer it in clusterPreferences`,
  };
}
