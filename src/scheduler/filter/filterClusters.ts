import type { ClusterSnapshot, Step } from "../types.ts";
import { affinity } from "./affinity.ts";
import { clusterLifecycle } from "./clusterLifecycle.ts";
import type { Filter, FilterAnswer, FilterContext } from "./filter.ts";
import { grantedNamespace } from "./grantedNamespace.ts";
import { taintToleration } from "./taintToleration.ts";

/** All of them are asked of every cluster; the first that refuses gives the reason. */
const FILTERS: readonly Filter[] = [affinity, clusterLifecycle, taintToleration];
/** Where no cluster was joined for some namespaces only, there is nothing to ask. */
const WITH_NAMESPACES: readonly Filter[] = [...FILTERS, grantedNamespace];

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
  const filters = clusters.some(({ namespaces }) => namespaces !== undefined) ? WITH_NAMESPACES : FILTERS;
  const checks = filters.map((filter) => ({ name: filter.name, check: filter.prepare(context) }));
  const start: Answered = {
    steps: [],
    refusal: undefined,
    until: Number.POSITIVE_INFINITY,
    answer: undefined,
    next: new Map(),
    last: undefined,
  };
  return clusters.map((cluster) => {
    let answered = start;
    for (const { name, check } of checks) {
      const answer = check(cluster);
      answered = answered.last?.answer === answer ? answered.last : withAnswer(answered, name, answer);
    }
    return answered;
  });
}

/** Answers so far. */
interface Answered extends Filtered {
  /** The last of them. */
  answer: FilterAnswer | undefined;
  /** What follows upon each next answer. */
  next: Map<FilterAnswer, Answered>;
  /** What followed the last time: clusters in a row are often answered alike. */
  last: Answered | undefined;
}

function withAnswer(before: Answered, name: string, answer: FilterAnswer): Answered {
  let answered = before.next.get(answer);
  if (answered === undefined) {
    const { fits, reason, message, until = Number.POSITIVE_INFINITY } = answer;
    const step: Step = { stage: "filter", name, fits, reason, message };
    answered = {
      steps: [...before.steps, step],
      refusal: before.refusal ?? (fits ? undefined : step),
      until: Math.min(before.until, until),
      answer,
      next: new Map(),
      last: undefined,
    };
    before.next.set(answer, answered);
  }
  before.last = answered;
  return answered;
}
