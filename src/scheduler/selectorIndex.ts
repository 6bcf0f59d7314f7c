import type { ClusterSelector } from "../apis/index.ts";
import { type CompiledSelector, compileSelector, labelOf } from "./clusterMatcher.ts";
import type { ClusterSnapshot } from "./types.ts";

interface Candidate<T> {
  order: number;
  value: T;
  takes: CompiledSelector["takes"];
}

/** Candidates that require the same value. */
interface Bucket<T> {
  id: number;
  candidates: Candidate<T>[];
  /** No candidate requires anything else. */
  isDecided: boolean;
}

/** Buckets by the values of one label or field. */
interface Facet<T> {
  key: string;
  isLabel: boolean;
  buckets: Map<string, Bucket<T>>;
}

/** Equal matches share one list. */
interface Combination<T> {
  values: readonly T[];
  more: Map<T, Combination<T>>;
}

/** Most selectors require a value of a label or field, and only those that require the cluster's value are tested. */
export class SelectorIndex<T> {
  readonly #facets: Facet<T>[] = [];
  /** Candidates to test on every cluster. */
  readonly #others: Bucket<T> = { id: 0, candidates: [], isDecided: true };
  readonly #none: Combination<T> = { values: [], more: new Map() };
  /** Matches by the cluster's buckets, if these buckets decide alone. */
  readonly #decided = new Map<string, readonly T[]>();
  #buckets = 0;

  constructor(entries: Iterable<readonly [selector: ClusterSelector | undefined, value: T]>) {
    let order = 0;
    for (const [selector, value] of entries) {
      const { takes, pivot, parts } = compileSelector(selector);
      const candidate = { order: order++, value, takes };
      if (pivot === undefined) {
        this.#others.candidates.push(candidate);
        if (parts.length > 0) this.#others.isDecided = false;
        continue;
      }
      const facet = this.#facet(pivot.key, pivot.isLabel);
      for (const fact of new Set(pivot.values)) {
        const bucket = this.#bucket(facet, fact);
        bucket.candidates.push(candidate);
        if (!pivot.isAll) bucket.isDecided = false;
      }
    }
  }

  /** Values whose selectors take the cluster, in the order given; the same list for the same values. */
  matches(cluster: ClusterSnapshot, objectLabels: Readonly<Record<string, string>> | undefined): readonly T[] {
    const buckets = [this.#others];
    let { isDecided } = this.#others;
    let key = "";
    for (const { key: name, isLabel, buckets: byFact } of this.#facets) {
      const fact = isLabel ? labelOf(cluster.labels, name) : cluster[name as "name" | "provider" | "region" | "zone"];
      const bucket = fact === undefined ? undefined : byFact.get(fact);
      if (bucket === undefined) continue;
      buckets.push(bucket);
      key += ` ${bucket.id}`;
      isDecided &&= bucket.isDecided;
    }
    const known = isDecided ? this.#decided.get(key) : undefined;
    if (known !== undefined) return known;
    const found = buckets.flatMap(({ candidates }) => candidates.filter(({ takes }) => takes(cluster, objectLabels)));
    found.sort((a, b) => a.order - b.order);
    const { values } = found.reduce(withCandidate<T>, this.#none);
    if (isDecided) this.#decided.set(key, values);
    return values;
  }

  #facet(key: string, isLabel: boolean): Facet<T> {
    let facet = this.#facets.find((one) => one.key === key && one.isLabel === isLabel);
    if (facet === undefined) this.#facets.push((facet = { key, isLabel, buckets: new Map() }));
    return facet;
  }

  #bucket({ buckets }: Facet<T>, fact: string): Bucket<T> {
    let bucket = buckets.get(fact);
    if (bucket === undefined) buckets.set(fact, (bucket = { id: ++this.#buckets, candidates: [], isDecided: true }));
    return bucket;
  }
}

function withCandidate<T>({ values, more }: Combination<T>, { value }: Candidate<T>): Combination<T> {
  let next = more.get(value);
  if (next === undefined) more.set(value, (next = { values: [...values, value], more: new Map() }));
  return next;
}
