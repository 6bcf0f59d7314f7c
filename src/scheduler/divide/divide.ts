import { compareText } from "../order.ts";

/** Giving out a whole number of replicas by weight: exactly, and the same way every time. */

export interface Bounds {
  /** Fewest replicas of a cluster that gets any. */
  min?: number | undefined;
  /** Most replicas of one cluster. When it is below `min` it wins. */
  max?: number | undefined;
  /** Replicas are given out in multiples of it, as far as the total and `max` allow. Default: 1. */
  step?: number | undefined;
}

/** What decides between names that have the same right to a replica. */
export interface TieBreak {
  /** Replicas that are there already, by name: who holds a replica keeps it. */
  holds?: ReadonlyMap<string, number | undefined>;
  /** Names the object: its odd replicas go to other clusters than those of the next object. Absent: the order of the names decides. */
  object?: string | undefined;
}

export interface Division {
  /** Replicas by name, for every name of the weights. */
  replicas: Record<string, number>;
  /** Replicas that no cluster may take because all that have a weight are at `max`. */
  unplaced: number;
  /** Names that have a weight and get nothing, because the total does not suffice for `min` on each. */
  belowMinimum: string[];
}

interface Ranked {
  name: string;
  /** Place among equals, worked out when it is first asked for. */
  rank?: number;
}

interface Share extends Ranked {
  weight: number;
  /** In steps while steps are given out, then in replicas. */
  replicas: number;
  /** Steps of it that are there already, the last one in parts. */
  held: number;
}

const byName = (a: Ranked, b: Ranked): number => compareText(a.name, b.name);

/**
 * Divides `total` by weight with the largest remainder: each gets its quota rounded down, and what is left goes one by
 * one to the largest fractions, equal ones as {@link TieBreak} says. Weights of zero get nothing, unless all are zero, which
 * means even shares. The sum is always `total` when there is a name at all.
 */
export function divide(total: number, weights: Readonly<Record<string, number>>): Record<string, number> {
  return divideWithin(total, weights, {}).replicas;
}

/**
 * {@link divide} with a least, a most and a step per cluster. The sum is `total` whenever the bounds allow it:
 * - too few for `min` on each: as many clusters as can have `min` share the total, the heaviest first, then those that hold most (one
 *   gets the total even when that is below `min`, since running little is better than running nothing);
 * - too many for `max` on each: every weighted cluster gets `max`, and the rest is `unplaced`;
 * - what is left when no whole step is left goes to the cluster that is furthest below its quota.
 *
 * The weights alone say how many replicas each gets; only between names with the same right to a replica do the present holders decide,
 * so that as few replicas move as the weights allow. Nobody with a heavier weight gets less.
 */
export function divideWithin(
  total: number,
  weights: Readonly<Record<string, number>>,
  bounds: Bounds,
  ties: TieBreak = {},
): Division {
  const step = bounds.step ?? 1;
  const shares: Share[] = Object.entries(weights).map(([name, weight]) => {
    return { name, weight, replicas: 0, held: (ties.holds?.get(name) ?? 0) / step };
  });
  shares.sort(byName);
  if (shares.every((s) => s.weight <= 0)) for (const share of shares) share.weight = 1;

  const weighted = shares.filter((s) => s.weight > 0);
  const most = bounds.max ?? Number.POSITIVE_INFINITY;
  const least = Math.min(bounds.min ?? 0, most);
  const fair = fairly(ties);

  // Whole steps first.
  const max = Math.floor(most / step);
  const min = Math.min(Math.ceil(least / step), max);
  const steps = Math.floor(total / step);
  const takers = total <= 0 ? [] : takersOf(steps, weighted, min, fair);
  const placeable = takers.length === 0 ? 0 : Math.min(steps, takers.length * max);
  // A lone taker may have to live below `min`.
  apportion(placeable, takers, Math.min(min, placeable), max, fair);
  for (const share of takers) share.replicas *= step;
  const unplaced = giveRest(Math.max(0, total - placeable * step), total, takers, most, fair);

  return {
    replicas: Object.fromEntries(shares.map((s) => [s.name, s.replicas])),
    unplaced,
    belowMinimum: total <= 0 ? [] : weighted.filter((s) => !takers.includes(s)).map((s) => s.name),
  };
}

type Order = (a: Share, b: Share) => number;

/** The order between equals. A hash of object and name spreads the odd replicas of many objects over the clusters. */
export function fairly({ object }: TieBreak): (a: Ranked, b: Ranked) => number {
  if (object === undefined) return byName;
  const seed = hashed(object, 2_166_136_261);
  const rankOf = (share: Ranked): number => (share.rank ??= mixed(hashed(share.name, seed)));
  return (a, b) => rankOf(a) - rankOf(b) || byName(a, b);
}

/** FNV-1a over the code units, from where an earlier text ended. */
function hashed(text: string, from: number): number {
  let hash = from;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 16_777_619);
  return hash;
}

/** Spreads what little the last characters of a name change over all bits. */
function mixed(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2_b2_ae_35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

function takersOf(total: number, weighted: Share[], min: number, fair: Order): Share[] {
  const count = min === 0 ? weighted.length : Math.max(1, Math.floor(total / min));
  if (count >= weighted.length) return weighted;
  return weighted.toSorted((a, b) => b.weight - a.weight || b.held - a.held || fair(a, b)).slice(0, count);
}

/** Gives out what is less than a step, or is left because `max` is no multiple of it. Returns what nobody may take. */
function giveRest(rest: number, total: number, takers: readonly Share[], max: number, fair: Order): number {
  let left = rest;
  if (left === 0) return 0;
  const sum = takers.reduce((acc, s) => acc + s.weight, 0);
  const missing = (share: Share): number => total * share.weight - share.replicas * sum;
  const order: Order = (a, b) => missing(b) - missing(a) || b.weight - a.weight || b.held - a.held || fair(a, b);
  for (const share of takers.toSorted(order)) {
    const taken = Math.min(left, max - share.replicas);
    share.replicas += taken;
    left -= taken;
  }
  return left;
}

/**
 * Sets `replicas` of each share, min..max, with the sum `total`, which must be possible. Shares that a bound holds are
 * fixed there and the others divide the rest, again and again until no quota lies outside. In each round only the side
 * that weighs more is fixed: what it gives or takes can bring the other side back within its bound.
 */
function apportion(total: number, shares: Share[], min: number, max: number, fair: Order): void {
  let free = shares;
  let rest = total;
  // Of no shares at all nothing is short or over.
  for (;;) {
    const sum = free.reduce((acc, s) => acc + s.weight, 0);
    // Compared as whole numbers, multiplied by `sum`, so that rounding cannot decide.
    let short = 0;
    let over = 0;
    for (const share of free) {
      const quota = rest * share.weight;
      if (quota < min * sum) short += min * sum - quota;
      else if (quota > max * sum) over += quota - max * sum;
    }
    if (short === 0 && over === 0) return largestRemainder(rest, free, sum, fair);

    const left: Share[] = [];
    let fixed = 0;
    for (const share of free) {
      const quota = rest * share.weight;
      if (short >= over && quota < min * sum) share.replicas = min;
      else if (over >= short && quota > max * sum) share.replicas = max;
      else {
        left.push(share);
        continue;
      }
      fixed += share.replicas;
    }
    rest -= fixed;
    free = left;
  }
}

function largestRemainder(total: number, shares: Share[], sum: number, fair: Order): void {
  let left = total;
  for (const share of shares) {
    share.replicas = Math.floor((total * share.weight) / sum);
    left -= share.replicas;
  }
  if (left === 0) return;
  const fraction = (share: Share): number => (total * share.weight) % sum;
  /** How much of one more is there already, and would have to go. */
  const kept = (share: Share): number => Math.min(1, Math.max(0, share.held - share.replicas));
  for (const share of shares
    .toSorted((a, b) => fraction(b) - fraction(a) || kept(b) - kept(a) || fair(a, b))
    .slice(0, left)) {
    share.replicas += 1;
  }
}
