import { compareText } from "../order.ts";
import { apportionWithin } from "./apportionWithin.ts";

/** Divides replicas by weight: exactly, and with the same result every time. */

export interface Bounds {
  /** Fewest replicas of a cluster that gets any. */
  min?: number | undefined;
  /** Most replicas of one cluster; wins over a larger `min`. */
  max?: number | undefined;
  /** Replicas are given out in multiples of this number, as far as the total and `max` allow. Default: 1. */
  step?: number | undefined;
}

export interface TieBreak {
  /** A cluster that holds a replica keeps it. */
  holds?: ReadonlyMap<string, number | undefined>;
  /** So that different objects give their odd replicas to different clusters. Absent: name order decides. */
  object?: string | undefined;
}

export interface Division {
  /** Replicas by name, for every name of the weights. */
  replicas: Record<string, number>;
  /** Replicas without a place, since all weighted clusters are at `max`. */
  unplaced: number;
  /** Weighted names that get nothing, since the total is too small for `min` on each. */
  belowMinimum: string[];
}

interface Ranked {
  name: string;
  /** Rank among equals, computed on first use. */
  rank?: number;
}

interface Share extends Ranked {
  weight: number;
  replicas: number;
  /** Current replicas, counted in steps; may be a fraction. */
  held: number;
}

const byName = (a: Ranked, b: Ranked): number => compareText(a.name, b.name);

/**
 * Divides `total` by weight with the largest remainder. A weight of zero gets nothing, unless all are zero: then the
 * shares are even. The sum is `total` whenever the bounds allow it:
 * - too few replicas for `min` on each: as many clusters as can have `min` share the total, the heaviest first, then
 *   those that hold most (a single one gets the total even below `min`: running little is better than nothing);
 * - too many for `max` on each: every weighted cluster gets `max`, and the rest is `unplaced`;
 * - a rest that makes no whole step goes to the cluster that is furthest below its quota.
 *
 * {@link TieBreak} decides only between equals, so that as few replicas move as the weights allow.
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
  // A single taker may get less than `min`. Between equals, the share of the next step that a cluster holds decides.
  const parts = takers.map((share) => ({ share, weight: share.weight, min: Math.min(min, placeable), max }));
  const given = apportionWithin(
    placeable,
    parts,
    (a, b) => fair(a.share, b.share),
    ({ share }, floor) => Math.min(1, Math.max(0, share.held - floor)),
  );
  for (const [i, share] of takers.entries()) share.replicas = (given[i] ?? 0) * step;
  const unplaced = giveRest(Math.max(0, total - placeable * step), total, takers, most, fair);

  return {
    replicas: Object.fromEntries(shares.map((s) => [s.name, s.replicas])),
    unplaced,
    belowMinimum: total <= 0 ? [] : weighted.filter((s) => !takers.includes(s)).map((s) => s.name),
  };
}

type Order = (a: Share, b: Share) => number;

/** A hash of object and name spreads the odd replicas of many objects over the clusters. */
export function fairly({ object }: TieBreak): (a: Ranked, b: Ranked) => number {
  if (object === undefined) return byName;
  const seed = hashed(object, 2_166_136_261);
  const rankOf = (share: Ranked): number => (share.rank ??= mixed(hashed(share.name, seed)));
  return (a, b) => rankOf(a) - rankOf(b) || byName(a, b);
}

/** FNV-1a over UTF-16 code units, continued from the hash `from`. */
function hashed(text: string, from: number): number {
  let hash = from;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 16_777_619);
  return hash;
}

/** Mixes the hash, so that a change of the last characters of a name reaches all bits. */
function mixed(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2_b2_ae_35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** All weighted clusters, or as many as can have `min` each. Both numbers are steps. */
function takersOf(total: number, weighted: Share[], min: number, fair: Order): Share[] {
  const count = min === 0 ? weighted.length : Math.max(1, Math.floor(total / min));
  if (count >= weighted.length) return weighted;
  return weighted.toSorted((a, b) => b.weight - a.weight || b.held - a.held || fair(a, b)).slice(0, count);
}

/**
 * Gives out what makes no whole step, or remains because `max` is no multiple of it. Returns what no cluster may take.
 */
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
