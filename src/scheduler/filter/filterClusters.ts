import type { ClusterSnapshot, Step } from "../types.ts";
import { affinity } from "./affinity.ts";
import { apiEnablement } from "./apiEnablement.ts";
import { clusterLifecycle } from "./clusterLifecycle.ts";
import { clusterReadiness } from "./clusterReadiness.ts";
import { eviction } from "./eviction.ts";
import type { Filter, FilterAnswer, FilterContext } from "./filter.ts";
import { grantedNamespace } from "./grantedNamespace.ts";
import { taintToleration } from "./taintToleration.ts";

/** Asked of every cluster, one after the other; the first that refuses gives the reason. Where there is nothing to ask, a filter is left out. */
function filtersOf({ subject, fleet }: FilterContext): readonly Filter[] {
  return [
    affinity,
    clusterLifecycle,
    taintToleration,
    ...(fleet.hasNamespaces ? [grantedNamespace] : []),
    ...(subject.evicted === undefined || subject.evicted.size === 0 ? [] : [eviction]),
    ...(fleet.hasReadiness ? [clusterReadiness] : []),
    ...(subject.apis === undefined ? [] : [apiEnablement]),
  ];
}

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
  const filters = filtersOf(context).map((filter) => ({
    name: filter.name,
    check: filter.prepare(context),
    isAlike: filter.isAlike?.(context) === true,
  }));
  // What every cluster is answered alike at the end is asked of one of them.
  const asked = filters.findLastIndex(({ isAlike }) => !isAlike) + 1;
  const checks = filters.slice(0, asked);
  const alike = filters.slice(asked);
  const start: Answered = { ...NOTHING_YET, next: new Map() };
  return clusters.map((cluster) => {
    let answered = start;
    for (const { name, check } of checks) {
      const answer = check(cluster);
      answered = answered.last?.answer === answer ? answered.last : withAnswer(answered, name, answer);
    }
    return (answered.whole ??= alike.reduce(
      (before, { name, check }) => withAnswer(before, name, check(cluster)),
      answered,
    ));
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
  /** With the answers that every cluster has. */
  whole?: Answered;
}

const NOTHING_YET = {
  steps: [],
  refusal: undefined,
  until: Number.POSITIVE_INFINITY,
  answer: undefined,
  last: undefined,
} satisfies Omit<Answered, "next">;

function withAnswer(before: Answered, name: string, answer: FilterAnswer): Answered {
  let answered = before.next.get(answer);
  if (answered === undefined) {
    const { until = Number.POSITIVE_INFINITY, ...said } = answer;
    const step: Step = { stage: "filter", name, ...said };
    answered = {
      steps: [...before.steps, step],
      refusal: before.refusal ?? (step.fits ? undefined : step),
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
