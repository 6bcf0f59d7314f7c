import type { ClusterSnapshot, Step } from "../types.ts";
import { affinity } from "./affinity.ts";
import { apiEnablement } from "./apiEnablement.ts";
import { clusterLifecycle } from "./clusterLifecycle.ts";
import { clusterReadiness } from "./clusterReadiness.ts";
import { eviction } from "./eviction.ts";
import type { Filter, FilterAnswer, FilterContext } from "./filter.ts";
import { grantedNamespace } from "./grantedNamespace.ts";
import { taintToleration } from "./taintToleration.ts";

/** In the order of their tests; those with nothing to test are left out. */
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

/** Clusters with equal answers share the value. */
export interface Filtered {
  steps: readonly Step[];
  /** Undefined if the cluster fits. */
  refusal: Step | undefined;
  /** When the cluster stops fitting, epoch milliseconds or infinity. */
  until: number;
}

/** In the order of the clusters. */
export function filterClusters(context: FilterContext, clusters: readonly ClusterSnapshot[]): Filtered[] {
  const filters = filtersOf(context).map((filter) => ({
    name: filter.name,
    check: filter.prepare(context),
    isAlike: filter.isAlike?.(context) === true,
  }));
  // The last filters, if they answer every cluster alike, are asked once for each chain of earlier answers.
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

/** Chain of answers so far. */
interface Answered extends Filtered {
  answer: FilterAnswer | undefined;
  /** Longer chains, by the next answer. */
  next: Map<FilterAnswer, Answered>;
  /** For the previous cluster: clusters in a row often get the same answers. */
  last: Answered | undefined;
  /** The chain together with the answers that every cluster gets. */
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
