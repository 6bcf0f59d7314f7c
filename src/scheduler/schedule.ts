import { type ClusterSelector, defined } from "../apis/index.ts";
import { goesByHeadroom, shareByHeadroom } from "./divide/shareByHeadroom.ts";
import { type ReplicaShare, shareReplicas } from "./divide/shareReplicas.ts";
import { type Filtered, filterClusters } from "./filter/filterClusters.ts";
import { fleetOf } from "./fleet.ts";
import { compareText, indexOfName, sortedByName } from "./order.ts";
import { type Score, staticWeight } from "./score/staticWeight.ts";
import { firstFittingGroup, type Selection } from "./select/firstFittingGroup.ts";
import { pick, picksClusters } from "./select/pick.ts";
import type { ClusterSnapshot, Decision, PlacementRules, HeadroomAsked, Step, Subject, Verdict } from "./types.ts";

/**
 * Affinity groups are ordered, and the first with fitting clusters is used; none means every cluster. Spread
 * constraints and `clusterCount` pick the best of them. Divided mode divides the replicas by weight or room; a cluster
 * that gets none is left out, unless the object asks for 0.
 *
 * A list sorted by name saves the sorting. Time (`now`, epoch milliseconds) only matters for tolerations that end and
 * for the return to an earlier group; `recheckAt` is the next such moment.
 */
export function schedule(
  subject: Subject,
  placement: PlacementRules,
  clusters: readonly ClusterSnapshot[],
  now: number,
): Decision {
  const sorted = sortedByName(clusters);
  const fleet = fleetOf(sorted);
  const { clusterAffinities, clusterPreferences, tolerations = [] } = placement;
  const picks = takesSome(subject, placement);
  const isPicked = clusterPreferences !== undefined || picksClusters(placement);
  const selection = firstFittingGroup(sorted, clusterAffinities, { subject, placement, now }, (group) => ({
    filtered: filterClusters({ subject, tolerations, group, picks, fleet, now }, sorted),
    pick: isPicked ? (fitting) => pick(subject, placement, fitting) : undefined,
  }));
  const notes = [...selection.notes];
  const chosen = divided(subject, placement, selection, notes) ?? { clusters: namesOf(selection.selected) };
  const { group, until, returning } = selection;
  return {
    ...(group === undefined ? {} : { group: group.name }),
    clusters: chosen.clusters,
    verdicts: withUnknownClusters(verdictsOf(sorted, selection, chosen), placement, sorted),
    ...(until === Number.POSITIVE_INFINITY ? {} : { recheckAt: until }),
    ...(notes.length === 0 ? {} : { notes }),
    ...defined({ returning }),
    ...(chosen.unplaced === undefined || chosen.unplaced === 0 ? {} : { unplaced: chosen.unplaced }),
    ...(chosen.isByHeadroom === true ? { room: headroomAsked(sorted, selection, chosen) } : {}),
  };
}

/** Clusters whose room counted: all that no filter refuses, picked or not. */
function headroomAsked(
  clusters: readonly ClusterSnapshot[],
  selection: Selection,
  { awaited, unhoused = 0, added = NONE, uncounted }: Chosen,
): HeadroomAsked {
  const { filtered, picks } = selection;
  const asked = clusters.filter((_, i) => filtered[i]?.refusal === undefined).map(({ name }) => name);
  const isRefused = picks?.some((step) => step?.reason === "NoRoom") === true;
  return {
    clusters: asked,
    awaited: awaited === true || isRefused,
    unhoused,
    added,
    ...(uncounted === true ? { uncounted } : {}),
  };
}

const NONE: ReadonlyMap<string, number> = new Map();

/** The clusters that run the object now matter. */
export function choosesAmong(placement: PlacementRules): boolean {
  return takesSome({ replicas: 1 }, placement);
}

/** The object has alternatives to a cluster that fails. */
function takesSome({ replicas }: Pick<Subject, "replicas">, placement: PlacementRules): boolean {
  const { clusterAffinities = [], replicaScheduling } = placement;
  const isDivided = replicaScheduling.mode === "Divided" && replicas !== undefined;
  return isDivided || clusterAffinities.length > 1 || picksClusters(placement);
}

interface Chosen {
  clusters: Decision["clusters"];
  /** Scores of each selected cluster; undefined if nothing is divided. */
  scores?: readonly Score[];
  shares?: readonly ReplicaShare[];
  isByHeadroom?: true;
  /** The division waits for a measurement. */
  awaited?: boolean;
  unplaced?: number;
  unhoused?: number;
  added?: ReadonlyMap<string, number>;
  uncounted?: boolean;
}

const namesOf = (clusters: readonly ClusterSnapshot[]): Decision["clusters"] => clusters.map(({ name }) => ({ name }));

/** Undefined if nothing is divided. */
function divided(
  subject: Subject,
  placement: PlacementRules,
  { selected }: Selection,
  notes: string[],
): Chosen | undefined {
  const { replicaScheduling } = placement;
  const total = subject.replicas;
  if (replicaScheduling.mode === "Duplicated" || total === undefined) return undefined;
  const terms = leastOnEach(total, placement, selected.length);
  if (goesByHeadroom(replicaScheduling)) {
    const everyone = picksClusters(placement);
    const { scores, shares, ...more } = shareByHeadroom(total, selected, subject, terms, everyone, notes);
    return { clusters: sharesOf(selected, shares), scores, shares, isByHeadroom: true, ...more };
  }
  const scores = selected.map(staticWeight(replicaScheduling, subject));
  const ties = { holds: subject.current, object: subject.key };
  const { shares, unplaced } = shareReplicas(total, selected, scores, terms, ties, notes);
  return { clusters: sharesOf(selected, shares), scores, shares, unplaced };
}

function sharesOf(selected: readonly ClusterSnapshot[], shares: readonly ReplicaShare[]): Decision["clusters"] {
  const clusters: Decision["clusters"] = [];
  for (const [i, { name }] of selected.entries()) {
    const share = shares[i];
    if (share?.step.fits === true) clusters.push({ name, replicas: share.replicas });
  }
  return clusters;
}

/** Clusters picked for a spread or a count get a replica each, or the spread would not be reached. */
function leastOnEach(total: number, placement: PlacementRules, clusters: number): PlacementRules["replicaScheduling"] {
  const { replicaScheduling } = placement;
  if (!picksClusters(placement) || (replicaScheduling.minReplicasPerCluster ?? 0) > 0 || total < clusters)
    return replicaScheduling;
  return { ...replicaScheduling, minReplicasPerCluster: 1 };
}

/** One verdict for each cluster: its first refusal, or else its last step. */
function verdictsOf(clusters: readonly ClusterSnapshot[], selection: Selection, chosen: Chosen): Verdict[] {
  const { filtered, scores, picks, stepsByCluster } = selection;
  const chains = new Map<Filtered, Chain>();
  const verdicts: Verdict[] = [];
  let selected = 0;
  for (const [i, { name }] of clusters.entries()) {
    const one = filtered[i];
    if (one === undefined) continue;
    let steps = one.steps;
    let refusal = one.refusal;
    if (refusal === undefined) {
      const picked = picks?.[i];
      const isTaken = picked?.fits !== false;
      const share = isTaken ? chosen.shares?.[selected]?.step : undefined;
      const score = isTaken ? chosen.scores?.[selected]?.step : undefined;
      if (isTaken) selected += 1;
      let chain = chains.get(one);
      if (chain === undefined) chains.set(one, (chain = { steps, next: new Map() }));
      const step = stepsByCluster?.[i] ?? selection.step;
      for (const next of [scores?.[i], score, step, picked, share]) if (next !== undefined) chain = after(chain, next);
      steps = chain.steps;
      refusal = isTaken ? undefined : picked;
    }
    const word = refusal ?? steps.at(-1);
    if (word === undefined) continue;
    const { fits, reason, message, remedy } = word;
    const verdict: Verdict = { cluster: name, fits, reason, message, steps };
    if (remedy !== undefined) verdict.remedy = remedy;
    verdicts.push(verdict);
  }
  return verdicts;
}

/** Steps that several clusters share, and their continuations. */
interface Chain {
  steps: readonly Step[];
  next: Map<Step, Chain>;
}

function after(before: Chain, step: Step): Chain {
  let chain = before.next.get(step);
  if (chain === undefined) before.next.set(step, (chain = { steps: [...before.steps, step], next: new Map() }));
  return chain;
}

/** Adds a verdict for each name in the placement that no cluster has: most likely a typing error. */
function withUnknownClusters(
  verdicts: Verdict[],
  placement: PlacementRules,
  clusters: readonly ClusterSnapshot[],
): Verdict[] {
  const selectors: ClusterSelector[] = [
    ...(placement.clusterAffinities ?? []),
    ...(placement.clusterPreferences ?? []).map((entry) => entry.targetClusters),
    ...(placement.replicaScheduling.weights ?? []).map((entry) => entry.targetClusters),
  ];
  const unknown = new Set<string>();
  for (const { clusterNames = [], exclude = [] } of selectors) {
    for (const name of [...clusterNames, ...exclude]) if (indexOfName(clusters, name) < 0) unknown.add(name);
  }
  if (unknown.size === 0) return verdicts;
  return [...verdicts, ...[...unknown].map(unknownCluster)].sort((a, b) => compareText(a.cluster, b.cluster));
}

function unknownCluster(cluster: string): Verdict {
  const message = "the placement names it, and no such cluster is known";
  return { cluster, fits: false, reason: "UnknownCluster", message, steps: [] };
}
