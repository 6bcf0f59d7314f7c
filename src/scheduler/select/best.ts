import { type Candidate, type CandidateClass, classesOf, NO_GROUP } from "./classes.ts";
import { cover, type Cover } from "./cover.ts";

/** Limits of a pick. */
export interface Limits {
  /** Most clusters. */
  count: number;
  /** Fewest and most groups of each constraint. */
  minima: readonly number[];
  maxima: readonly number[];
}

/** Sets of groups to try: enough for all of a small fleet. */
const TRIES = 200;
/** Bonus of each candidate: one more is worth more than any better one. */
const ONE_MORE = 10_000_000;

/**
 * Best candidates within the limits: as many as allowed, and of these the highest total value, which must be below ten
 * thousand each. Undefined if no pick keeps to the limits.
 */
export function bestWithin(candidates: readonly Candidate[], limits: Limits): readonly Candidate[] | undefined {
  const weighed = candidates.map((one) => ({ ...one, value: one.value + ONE_MORE }));
  const classes = classesOf(weighed);
  const search = new Search(limits, worthOf(classes, limits.count));
  search.restrict(classes, 0);
  return search.best?.picked ?? withinGreedily(classes, limits);
}

/** Chooses the allowed groups, one constraint after another, where not all groups are allowed. */
class Search {
  best: Cover | undefined;
  readonly #limits: Limits;
  /** Upper bound for the value of a pick. */
  readonly #ceiling: number;
  #tries = 0;

  constructor(limits: Limits, ceiling: number) {
    this.#limits = limits;
    this.#ceiling = ceiling;
  }

  restrict(classes: readonly CandidateClass[], k: number): void {
    const { count, minima, maxima } = this.#limits;
    const max = maxima[k];
    if (max === undefined) {
      this.#tries += 1;
      const found = cover(classes, count, minima);
      if (found !== undefined && (this.best === undefined || found.value > this.best.value)) this.best = found;
      return;
    }
    const groups = new Map<number, CandidateClass[]>();
    const alone: CandidateClass[] = [];
    for (const one of classes) {
      const group = one.groups[k] ?? NO_GROUP;
      const same = groups.get(group);
      if (group === NO_GROUP) alone.push(one);
      else if (same === undefined) groups.set(group, [one]);
      else same.push(one);
    }
    if (groups.size <= max) return this.restrict(classes, k + 1);
    // Most promising first: by the value of the best `count` members.
    const options = [...groups.values()].map((same) => ({ same, worth: worthOf(same, count) }));
    options.sort((a, b) => b.worth - a.worth);
    this.#among(options, max, { k, chosen: alone, worth: worthOf(alone, count) });
  }

  /** The most valuable sets first; skips those that cannot beat the best. */
  #among(
    options: readonly { same: CandidateClass[]; worth: number }[],
    left: number,
    so: { k: number; chosen: CandidateClass[]; worth: number },
  ): void {
    if (left === 0) return this.restrict(so.chosen, so.k + 1);
    for (let at = 0; at + left <= options.length; at++) {
      const next = options[at];
      if (next === undefined || this.#tries >= TRIES) return;
      if (this.best !== undefined) {
        const most = options.slice(at, at + left).reduce((sum, { worth }) => sum + worth, so.worth);
        if (Math.min(most, this.#ceiling) <= this.best.value) return;
      }
      const chosen = [...so.chosen, ...next.same];
      this.#among(options.slice(at + 1), left - 1, { k: so.k, chosen, worth: so.worth + next.worth });
    }
  }
}

function worthOf(classes: readonly CandidateClass[], count: number): number {
  const [first] = classes;
  if (first !== undefined && classes.length === 1) return first.sums[Math.min(count, first.members.length)] ?? 0;
  const values = classes.flatMap(({ members }) => members.slice(0, count));
  if (values.length > count) values.sort((a, b) => b.value - a.value);
  return values.slice(0, count).reduce((sum, { value }) => sum + value, 0);
}

/** For fleets where the search found nothing in time. */
function withinGreedily(classes: readonly CandidateClass[], limits: Limits): readonly Candidate[] | undefined {
  const { count, minima, maxima } = limits;
  const open = maxima.map(() => new Set<number>());
  const fits = ({ groups }: CandidateClass): boolean =>
    open.every((set, k) => groups[k] === NO_GROUP || set.has(groups[k] ?? NO_GROUP) || set.size < (maxima[k] ?? 0));
  const brings = ({ groups }: CandidateClass): number =>
    open.reduce((sum, set, k) => {
      const group = groups[k] ?? NO_GROUP;
      return sum + (group !== NO_GROUP && set.size < (minima[k] ?? 0) && !set.has(group) ? 1 : 0);
    }, 0);
  const allowed = new Set<CandidateClass>();
  for (;;) {
    const rest = classes.filter((one) => !allowed.has(one) && fits(one));
    const [next] = rest.toSorted((a, b) => brings(b) - brings(a) || worthOf([b], count) - worthOf([a], count));
    if (next === undefined) break;
    allowed.add(next);
    for (const [k, set] of open.entries()) if (next.groups[k] !== NO_GROUP) set.add(next.groups[k] ?? NO_GROUP);
  }
  return cover([...allowed], count, minima)?.picked;
}
