import { type Candidate, type CandidateClass, NO_GROUP } from "./classes.ts";

/** With enough groups of each constraint. */
export interface Cover {
  picked: readonly Candidate[];
  value: number;
}

/** Steps where a greedy choice is not enough. Small fleets are searched completely. */
const SEARCH_STEPS = 3_000;

/**
 * Best `count` candidates in at least `minima[k]` groups of each constraint `k`: first the best of as many groups as
 * required, then the best of the rest. That is optimal if groups lie within each other (zones within regions). If they
 * cross, the first picks are searched for.
 */
export function cover(classes: readonly CandidateClass[], count: number, minima: readonly number[]): Cover | undefined {
  const size = classes.reduce((sum, { members }) => sum + members.length, 0);
  const wanted = Math.min(count, size);
  if (wanted === size) {
    const all = classes.flatMap(({ members }) => members);
    return isMet(classes, minima) ? { picked: all, value: all.reduce((sum, { value }) => sum + value, 0) } : undefined;
  }
  const picks = new Picks(classes, minima);
  if (!isNested(classes, minima)) return searched(picks, wanted);
  while (!picks.isMet) {
    const next = picks.size < wanted ? picks.firstThatHelps() : undefined;
    if (next === undefined) return undefined;
    picks.take(next);
  }
  return filled(picks, wanted);
}

function isMet(classes: readonly CandidateClass[], minima: readonly number[]): boolean {
  return minima.every((min, k) => {
    if (min <= 0) return true;
    const groups = new Set<number>();
    for (const one of classes) groups.add(one.groups[k] ?? NO_GROUP);
    groups.delete(NO_GROUP);
    return groups.size >= min;
  });
}

/** For any two constraints with a minimum, the groups of one lie within the groups of the other. */
function isNested(classes: readonly CandidateClass[], minima: readonly number[]): boolean {
  // Every candidate is in a group of the constraint, so any pick has one group.
  const isGiven = (k: number): boolean => classes.every(({ groups }) => groups[k] !== NO_GROUP);
  const asked = minima.flatMap((min, k) => (min > 1 || (min === 1 && !isGiven(k)) ? [k] : []));
  return asked.every((fine) => asked.every((coarse) => within(classes, fine, coarse) || within(classes, coarse, fine)));
}

function within(classes: readonly CandidateClass[], fine: number, coarse: number): boolean {
  const outer = new Map<number, number>();
  for (const { groups } of classes) {
    const inner = groups[fine] ?? NO_GROUP;
    const around = groups[coarse] ?? NO_GROUP;
    const known = outer.get(inner);
    if (inner === NO_GROUP || (known !== undefined && known !== around)) return false;
    outer.set(inner, around);
  }
  return true;
}

/** Picked members of each class: always the best. */
class Picks {
  readonly taken: number[];
  readonly classes: readonly CandidateClass[];
  /** By constraint: picked candidates by group number plus one. Index 0: in no group. */
  readonly counts: Int32Array[];
  /** By constraint: groups with a picked candidate. */
  readonly #groups: Int32Array;
  value = 0;
  size = 0;
  readonly #minima: readonly number[];
  /** The widest groups first: two zones in two regions are also two zones. */
  readonly #order: readonly number[];

  constructor(classes: readonly CandidateClass[], minima: readonly number[]) {
    this.classes = classes;
    this.#minima = minima;
    this.taken = classes.map(() => 0);
    this.#groups = new Int32Array(minima.length);
    this.counts = minima.map((_, k) => {
      let most = NO_GROUP;
      for (const { groups } of classes) most = Math.max(most, groups[k] ?? NO_GROUP);
      return new Int32Array(most + 2);
    });
    const sizes = minima.map((_, k) => new Set(classes.map(({ groups }) => groups[k])).size);
    this.#order = [...minima.keys()].sort((a, b) => (sizes[a] ?? 0) - (sizes[b] ?? 0));
  }

  head(index: number): Candidate | undefined {
    return this.classes[index]?.members[this.taken[index] ?? 0];
  }

  take(index: number): void {
    this.#change(index, 1);
  }

  giveBack(index: number): void {
    this.#change(index, -1);
  }

  #change(index: number, by: 1 | -1): void {
    const one = this.classes[index];
    if (one === undefined) return;
    const before = this.taken[index] ?? 0;
    this.taken[index] = before + by;
    this.value += (one.sums[before + by] ?? 0) - (one.sums[before] ?? 0);
    this.size += by;
    for (let k = 0; k < this.counts.length; k++) {
      const group = one.groups[k] ?? NO_GROUP;
      const counts = this.counts[k];
      if (counts === undefined) continue;
      const left = (counts[group + 1] ?? 0) + by;
      counts[group + 1] = left;
      // The first candidate of a group was picked, or the last one was given back.
      if (group !== NO_GROUP && left === (by === 1 ? 1 : 0)) this.#groups[k] = (this.#groups[k] ?? 0) + by;
    }
  }

  groupsOf(k: number): number {
    return this.#groups[k] ?? 0;
  }

  lacks(k: number): number {
    return Math.max(0, (this.#minima[k] ?? 0) - this.groupsOf(k));
  }

  get isMet(): boolean {
    return this.#minima.every((_, k) => this.lacks(k) === 0);
  }

  get mostLacking(): number {
    return this.#minima.reduce((most, _, k) => Math.max(most, this.lacks(k)), 0);
  }

  /** The class would bring a new group to the constraint. */
  helps(index: number, k: number): boolean {
    const group = this.classes[index]?.groups[k] ?? NO_GROUP;
    return group !== NO_GROUP && this.head(index) !== undefined && this.counts[k]?.[group + 1] === 0;
  }

  get firstLacking(): number {
    return this.#order.find((k) => this.lacks(k) > 0) ?? 0;
  }

  /** Best class that brings a new group to the first constraint that lacks groups. */
  firstThatHelps(): number | undefined {
    const k = this.firstLacking;
    let best: number | undefined;
    for (const index of this.classes.keys()) {
      if (this.helps(index, k) && (best === undefined || this.isBetter(index, best))) best = index;
    }
    return best;
  }

  isBetter(a: number, b: number): boolean {
    const first = this.head(a);
    const second = this.head(b);
    if (first === undefined || second === undefined) return first !== undefined;
    if (first.value !== second.value) return first.value > second.value;
    const ofFirst = this.classes[a]?.groups ?? [];
    const ofSecond = this.classes[b]?.groups ?? [];
    for (let k = 0; k < this.counts.length; k++) {
      const counts = this.counts[k];
      const few = (counts?.[(ofFirst[k] ?? NO_GROUP) + 1] ?? 0) - (counts?.[(ofSecond[k] ?? NO_GROUP) + 1] ?? 0);
      if (few !== 0) return few < 0;
    }
    return first.name < second.name;
  }

  get picked(): Candidate[] {
    return this.classes.flatMap(({ members }, index) => members.slice(0, this.taken[index]));
  }
}

/** Takes the best of the rest; of equally good candidates, one of a group with few picks. */
function filled(picks: Picks, count: number): Cover {
  while (picks.size < count) {
    let best: number | undefined;
    for (let index = 0; index < picks.classes.length; index++) {
      if (picks.head(index) !== undefined && (best === undefined || picks.isBetter(index, best))) best = index;
    }
    if (best === undefined) break;
    picks.take(best);
  }
  return { picked: picks.picked, value: picks.value };
}

/** The most valuable picks first, until everything, or enough, was tried. */
function searched(picks: Picks, count: number): Cover | undefined {
  const dearest = picks.classes.flatMap(({ members }) => members.map(({ value }) => value)).sort((a, b) => b - a);
  const prefix = [0];
  for (const value of dearest) prefix.push((prefix.at(-1) ?? 0) + value);
  let best: Cover | undefined;
  let steps = 0;
  const search = (): void => {
    if (picks.mostLacking > count - picks.size || ++steps > SEARCH_STEPS) return;
    if (best !== undefined && picks.value + (prefix[count - picks.size] ?? 0) <= best.value) return;
    if (picks.isMet) {
      const before = [...picks.taken];
      const found = filled(picks, count);
      if (best === undefined || found.value > best.value) best = found;
      for (const [index, taken] of before.entries()) while ((picks.taken[index] ?? 0) > taken) picks.giveBack(index);
      return;
    }
    // Every solution contains a candidate that brings a group to the first lacking constraint.
    const k = picks.firstLacking;
    const next = [...picks.classes.keys()].filter((index) => picks.helps(index, k));
    next.sort((a, b) => helped(picks, b) - helped(picks, a) || (picks.isBetter(a, b) ? -1 : 1));
    for (const index of next) {
      picks.take(index);
      search();
      picks.giveBack(index);
    }
  };
  search();
  return best;
}

/** Number of lacking constraints to which the class brings a group. */
function helped(picks: Picks, index: number): number {
  return picks.counts.reduce<number>((sum, _, k) => sum + (picks.lacks(k) > 0 && picks.helps(index, k) ? 1 : 0), 0);
}
