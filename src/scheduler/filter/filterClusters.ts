import type { ClusterSnapshot, Step } from "../types.ts";
import { affinity } from "./affinity.ts";
import { clusterLifecycle } from "./clusterLifecycle.ts";
import type { Filter, FilterAnswer, FilterContext } from "./filter.ts";
import { taintToleration } from "./taintToleration.ts";

/** All of them are asked of every cluster; the first that refuses gives the reason. */
const FILTERS: readonly Filter[] = [affinity, clusterLifecycle, taintToleration];

/** What all filters together say of one cluster. Shared between clusters that were answered alike. */
export interface Filtered {
  steps: readonly Step[];
  /** The first refusal; undefined when the cluster fits. */
  refusal: Step | undefined;
  /** When it will fit no longer, epoch milliseconds or infinity. */
  until: number;
}

/** What the filters say of each cluster, in the order of the clusters. */
export function filterClusters(context: FilterContext, clusters: readonly ClusterSnapshot[]): Filtered[] {
  const checks = FILTERS.map((filter) => ({ name: filter.name, check: filter.prepare(context) }));
  const start: Answered = { steps: [], refusal: undefined, until: Number.POSITIVE_INFINITY, next: new Map() };
  return clusters.map((cluster) => {
    let answered = start;
    for (const { name, check } of checks) {
      const answer = check(cluster);
      answered = answered.next.get(answer) ?? withAnswer(answered, name, answer);
    }
    return answered;
  });
}

/** Answers so far, and what follows upon each next answer. */
interface Answered extends Filtered {
  next: Map<FilterAnswer, Answered>;
}

function withAnswer(before: Answered, name: string, answer: FilterAnswer): Answered {
  const { fits, reason, message, until = Number.POSITIVE_INFINITY } = answer;
  const step: Step = { stage: "filter", name, fits, reason, message };
  const answered: Answered = {
    steps: [...before.steps, step],
    refusal: before.refusal ?? (fits ? undefined : step),
    until: Math.min(before.until, until),
    next: new Map(),
  };
  before.next.set(answer, answered);
  return answered;
}
