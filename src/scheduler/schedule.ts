import type { ClusterSelector } from "../apis/index.ts";
import { shareReplicas } from "./divide/shareReplicas.ts";
import { type Filtered, filterClusters } from "./filter/filterClusters.ts";
import { compareText, indexOfName, sortedByName } from "./order.ts";
import { isDynamic, staticWeight } from "./score/staticWeight.ts";
import { firstFittingGroup, type Selection } from "./select/firstFittingGroup.ts";
import type { ClusterSnapshot, Decision, PlacementRules, Step, Subject, Verdict } from "./types.ts";

/**
 * Which clusters run the object, how many replicas each gets, and why each cluster was chosen or not.
 *
 * Affinity groups are ordered: the first in which at least one cluster fits is used; a placement without groups takes
 * every cluster. Mode Duplicated runs the object as it is on each; mode Divided scores the selected clusters by static weight and divides
 * the replicas by that, and a cluster that gets none is left out, unless the object asks for none in all.
 *
 * Same values in, same decision out, in whatever order the clusters come; sorting is saved where they come sorted by name. Time
 * (`now`, epoch milliseconds) only counts for tolerations that end; `recheckAt` says when the next one does.
 */
export function schedule(
  subject: Subject,
  placement: PlacementRules,
  clusters: readonly ClusterSnapshot[],
  now: number,
): Decision {
  const sorted = sortedByName(clusters);
  const { clusterAffinities, tolerations = [] } = placement;
  const selection = firstFittingGroup(sorted, clusterAffinities, (group) =>
    filterClusters({ subject, tolerations, group, now }, sorted),
  );
  const notes = notEnforced(placement);
  const chosen = divided(subject, placement, selection, notes) ?? duplicated(selection);
  const { group, until } = selection;
  return {
    ...(group === undefined ? {} : { group: group.name }),
    clusters: chosen.clusters,
    verdicts: withUnknownClusters(verdictsOf(sorted, selection, chosen), placement, sorted),
    ...(until === Number.POSITIVE_INFINITY ? {} : { recheckAt: until }),
    ...(notes.length === 0 ? {} : { notes }),
  };
}

interface Chosen {
  clusters: Decision["clusters"];
  /** What follows upon the filters, for each selected cluster in their order. */
  stepsAfter: (index: number, filtered: Filtered) => readonly Step[];
}

/** Every selected cluster runs the object as it is. */
function duplicated({ selected, step }: Selection): Chosen {
  const shared = new Map<Filtered, readonly Step[]>();
  return {
    clusters: selected.map(({ name }) => ({ name })),
    stepsAfter(_index, filtered) {
      let steps = shared.get(filtered);
      if (steps === undefined) shared.set(filtered, (steps = [...filtered.steps, step]));
      return steps;
    },
  };
}

/** The selected clusters share the replicas; undefined when there are none to share. */
function divided(
  subject: Subject,
  placement: PlacementRules,
  selection: Selection,
  notes: string[],
): Chosen | undefined {
  const { replicaScheduling } = placement;
  const total = subject.replicas;
  if (replicaScheduling.mode === "Duplicated" || total === undefined) return undefined;
  const { selected, step } = selection;
  const scores = selected.map(staticWeight(replicaScheduling, subject));
  const shares = shareReplicas(total, selected, scores, replicaScheduling, notes);
  const clusters: Decision["clusters"] = [];
  for (const [i, { name }] of selected.entries()) {
    const share = shares[i];
    if (share?.step.fits === true) clusters.push({ name, replicas: share.replicas });
  }
  return {
    clusters,
    stepsAfter(index, { steps }) {
      const score = scores[index];
      const share = shares[index];
      return score === undefined || share === undefined ? steps : [...steps, score.step, step, share.step];
    },
  };
}

/** One for each cluster: its first refusal, or else the last word on it. */
function verdictsOf(clusters: readonly ClusterSnapshot[], { filtered }: Selection, { stepsAfter }: Chosen): Verdict[] {
  const verdicts: Verdict[] = [];
  let selected = 0;
  for (const [i, { name }] of clusters.entries()) {
    const one = filtered[i];
    if (one === undefined) continue;
    const steps = one.refusal === undefined ? stepsAfter(selected++, one) : one.steps;
    const word = one.refusal ?? steps.at(-1);
    if (word === undefined) continue;
    const { fits, reason, message } = word;
    verdicts.push({ cluster: name, fits, reason, message, steps });
  }
  return verdicts;
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

/** Adds a verdict for each name that the policy gives and no cluster has: most likely a slip of the pen. */
function withUnknownClusters(
  verdicts: Verdict[],
  placement: PlacementRules,
  clusters: readonly ClusterSnapshot[],
): Verdict[] {
  const selectors: ClusterSelector[] = [
    ...(placement.clusterAffinities ?? []),
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
