import { compareText } from "../order.ts";

/** Giving out a whole number of replicas by weight: exactly, and the same way every time. */

export interface Bounds {
  /** Fewest replicas of a cluster that gets any. */
  min?: number | undefined;
  /** Most replicas of one cluster. When it is below `min` it wins. */
  max?: number | undefined;
}

export interface Division {
  /** Replicas by name, for every name of the weights. */
  replicas: Record<string, number>;
  /** Replicas that no cluster may take because all that have a weight are at `max`. */
  unplaced: number;
  /** Names that have a weight and get nothing, because the total does not suffice for `min` on each. */
  belowMinimum: string[];
}

interface Share {
  name: string;
  weight: number;
  replicas: number;
}

const byName = (a: Share, b: Share): number => compareText(a.name, b.name);

/**
 * Divides `total` by weight with the largest remainder: each gets its quota rounded down, and what is left goes one by
 * one to the largest fractions, equal ones in order of name. Weights of zero get nothing, unless all are zero, which
 * means even shares. The sum is always `total` when there is a name at all.
 */
export function divide(total: number, weights: Readonly<Record<string, number>>): Record<string, number> {
  return divideWithin(total, weights, {}).replicas;
}

/**
 * {@link divide} with a least and a most per cluster. The sum is `total` whenever the bounds allow it:
 * - too few for `min` on each: as many clusters as can have `min` share the total, the heaviest first, then by name (one
 *   gets the total even when that is below `min`, since running little is better than running nothing);
 * - too many for `max` on each: every weighted cluster gets `max`, and the rest is `unplaced`.
 */
export function divideWithin(total: number, weights: Readonly<Record<string, number>>, bounds: Bounds): Division {
  const shares: Share[] = Object.entries(weights).map(([name, weight]) => ({ name, weight, replicas: 0 }));
  shares.sort(byName);
  if (shares.every((s) => s.weight <= 0)) for (const share of shares) share.weight = 1;

  const weighted = shares.filter((s) => s.weight > 0);
  const max = bounds.max ?? Number.POSITIVE_INFINITY;
  const min = Math.min(bounds.min ?? 0, max);

  const takers = total <= 0 ? [] : takersOf(total, weighted, min);
  const placeable = takers.length === 0 ? 0 : Math.min(total, takers.length * max);
  // A lone taker may have to live below `min`.
  apportion(placeable, takers, Math.min(min, placeable), max);

  return {
    replicas: Object.fromEntries(shares.map((s) => [s.name, s.replicas])),
    unplaced: Math.max(0, total - placeable),
    belowMinimum: total <= 0 ? [] : weighted.filter((s) => !takers.includes(s)).map((s) => s.name),
  };
}

function takersOf(total: number, weighted: Share[], min: number): Share[] {
  const count = min === 0 ? weighted.length : Math.max(1, Math.floor(total / min));
  if (count >= weighted.length) return weighted;
  return weighted.toSorted((a, b) => b.weight - a.weight || byName(a, b)).slice(0, count);
}

/**
 * Sets `replicas` of each share, min..max, with the sum `total`, which must be possible. Shares that a bound holds are
 * fixed there and the others divide the rest, again and again until no quota lies outside. In each round only the side
 * that weighs more is fixed: what it gives or takes can bring the other side back within its bound.
 */
function apportion(total: number, shares: Share[], min: number, max: number): void {
  let free = shares;
  let rest = total;
  while (free.length > 0) {
    const sum = free.reduce((acc, s) => acc + s.weight, 0);
    // Compared as whole numbers, multiplied by `sum`, so that rounding cannot decide.
    let short = 0;
    let over = 0;
    for (const share of free) {
      const quota = rest * share.weight;
      if (quota < min * sum) short += min * sum - quota;
      else if (quota > max * sum) over += quota - max * sum;
    }
    if (short === 0 && over === 0) return largestRemainder(rest, free, sum);

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

function largestRemainder(total: number, shares: Share[], sum: number): void {
  let left = total;
  for (const share of shares) {
    share.replicas = Math.floor((total * share.weight) / sum);
    left -= share.replicas;
  }
  const fraction = (share: Share): number => (total * share.weight) % sum;
  for (const share of shares.toSorted((a, b) => fraction(b) - fraction(a) || byName(a, b)).slice(0, left)) {
    share.replicas += 1;
  }
}
