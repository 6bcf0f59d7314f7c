import { compareText, sortedByName } from "../order.ts";
import { apportionWithin } from "./apportionWithin.ts";
import { type Bounds, fairly, type TieBreak } from "./divide.ts";

/** Divides replicas by the room of clusters, and moves only replicas that have to move. */

export interface Candidate {
  name: string;
  /** Replicas that run or start now. */
  current: number;
  /** Further replicas that fit; undefined: not known, and the cluster keeps its replicas. */
  room: number | undefined;
  /** Most replicas, if some of the current ones have to leave. */
  most?: number | undefined;
}

export interface HeadroomBounds extends Bounds {
  /** Each candidate gets replicas, as far as the total goes. */
  everyone?: boolean;
}

export interface HeadroomDivision {
  /** With `unplaced` they add up to the total. */
  replicas: Record<string, number>;
  /** Replicas that are known to find no room on their cluster. */
  withoutHeadroom: number;
  /** Replicas without a place, since all are at `max`. */
  unplaced: number;
}

/**
 * Strategy Available: added replicas go in proportion to room, removed ones leave in proportion to replicas, and
 * nothing else moves but for minimum, maximum and step, which are as in `divideWithin`.
 *
 * A cluster with unknown room gets no more while another may take them. Replicas that fit nowhere go to most room, as
 * far as `max` allows: their pods wait for a node.
 */
export const divideAvailable: Divide = (...terms) => divideBy(AVAILABLE, ...terms);

/**
 * Strategy Aggregated: fills the clusters with most replicas first, then those with most room. Removed replicas leave
 * the clusters with the fewest first. Otherwise as {@link divideAvailable}.
 */
export const divideAggregated: Divide = (...terms) => divideBy(AGGREGATED, ...terms);

type Divide = (
  total: number,
  candidates: readonly Candidate[],
  bounds: HeadroomBounds,
  ties?: TieBreak,
) => HeadroomDivision;

/** `lots` counts multiples of the step, and replicas once the rest is given out. */
interface Place {
  readonly name: string;
  /** Current replicas that may stay. */
  readonly current: number;
  /** Whatever `most` says; 0 if unknown. */
  readonly room: number;
  /** With the current replicas; undefined if the room is unknown. */
  readonly fits: number | undefined;
  /** Most replicas. */
  readonly most: number;
  lots: number;
  rank?: number;
}

/** In lots. */
interface Terms {
  /** Fewest lots of a place that has any. */
  least: number;
  step: number;
  fair: (a: Place, b: Place) => number;
}

interface Strategy {
  /** Removes lots until `lots` are left in all. A place keeps `least`, if the total allows it. */
  shrink(places: readonly Place[], lots: number, terms: Terms): void;
  /** Gives lots to places with room, and returns those left over. `openable`: empty places that may get some. */
  grow(places: readonly Place[], lots: number, openable: number, terms: Terms): number;
}

function divideBy(
  strategy: Strategy,
  total: number,
  candidates: readonly Candidate[],
  { min = 0, max = Number.MAX_SAFE_INTEGER, step = 1, everyone = false }: HeadroomBounds,
  { object }: TieBreak = {},
): HeadroomDivision {
  const places = sortedByName(candidates).map((candidate) => placeOf(candidate, max, step));
  const wanted = Math.max(0, total);
  const lots = Math.floor(wanted / step);
  const least = Math.min(Math.ceil(Math.min(min, max) / step), Math.floor(max / step));
  const terms: Terms = { least, step, fair: fairly({ object }) };
  // Places that can have `least` lots. A single one may have fewer: running little is better than nothing.
  const openable = least === 0 ? places.length : Math.max(1, Math.floor(lots / least));
  keepHolders(places, openable, lots, everyone, strategy, terms);
  const left = strategy.grow(places, lots - sumOf(places), openable - openCount(places), terms);
  const over = overflow(places, left, openable, terms);
  const unplaced = giveRest(places, over * step + (wanted - lots * step), step, terms);
  return {
    replicas: Object.fromEntries(places.map(({ name, lots: replicas }) => [name, replicas])),
    withoutHeadroom: places.reduce((sum, { lots: replicas, current, fits }) => {
      return sum + (fits === undefined ? 0 : Math.max(0, replicas - Math.max(current, fits)));
    }, 0),
    unplaced,
  };
}

function placeOf({ name, current, room, most: mayHave }: Candidate, max: number, step: number): Place {
  const most = Math.min(max, mayHave ?? max);
  const kept = Math.min(current, most);
  // Replicas that have to leave show that no more fit, so `most` bounds the room.
  const fits = room === undefined ? undefined : Math.min(most, kept + room);
  return { name, current: kept, room: room ?? 0, fits, most, lots: Math.floor(kept / step) };
}

const sumOf = (places: readonly Place[]): number => places.reduce((sum, { lots }) => sum + lots, 0);
const openCount = (places: readonly Place[]): number => places.filter(({ lots }) => lots > 0).length;
const mostLots = ({ most }: Place, { step }: Terms): number => Math.floor(most / step);
/** Further lots that fit; 0 if the room is unknown. */
const openLots = (place: Place, { step }: Terms): number =>
  place.fits === undefined ? 0 : Math.max(0, Math.floor(place.fits / step) - place.lots);
const byMostHeadroom =
  (terms: Terms) =>
  (a: Place, b: Place): number =>
    openLots(b, terms) - openLots(a, terms) || compareText(a.name, b.name);
const byMostHeld =
  (terms: Terms) =>
  (a: Place, b: Place): number =>
    b.lots - a.lots || openLots(b, terms) - openLots(a, terms) || terms.fair(a, b);

/** Once all room is given out: places with lots first, then those where most fits. */
const byMostPlaced = (a: Place, b: Place): number =>
  Number(b.lots > 0) - Number(a.lots > 0) || (b.fits ?? 0) - (a.fits ?? 0) || compareText(a.name, b.name);

/** Keeps current replicas as far as the total and the bounds allow. Afterwards the sum is at most `lots`. */
function keepHolders(
  places: readonly Place[],
  openable: number,
  lots: number,
  everyone: boolean,
  strategy: Strategy,
  terms: Terms,
): void {
  const holders = places.filter(({ lots: held }) => held > 0 || (everyone && lots > 0)).sort(byMostHeld(terms));
  for (const place of holders.slice(openable)) place.lots = 0;
  const kept = holders.slice(0, openable);
  for (const place of kept) place.lots = Math.max(place.lots, Math.min(terms.least, mostLots(place, terms)));
  if (sumOf(places) <= lots) return;
  strategy.shrink(kept, lots, terms);
}

/**
 * Gives out lots that fit nowhere: to places with lots, then to empty ones, the largest first, unknown room last.
 * Returns what no place may take.
 */
function overflow(places: readonly Place[], lots: number, openable: number, terms: Terms): number {
  let left = lots;
  if (left <= 0) return left;
  for (const isKnown of [true, false]) {
    const some = places.filter(({ fits }) => (fits !== undefined) === isKnown);
    // Nobody knows which of these places has more room, so each gets as much as the others.
    if (!isKnown) left = spreadEvenly(some, left, openable, places, terms);
    for (const place of some.toSorted(byMostPlaced)) {
      if (place.lots === 0 && !mayOpen(places, openable, left, terms)) continue;
      const given = Math.min(left, mostLots(place, terms) - place.lots);
      place.lots += given;
      left -= given;
    }
  }
  return left;
}

function mayOpen(places: readonly Place[], openable: number, left: number, { least }: Terms): boolean {
  const open = openCount(places);
  return open < openable && (left >= least || open === 0);
}

function spreadEvenly(
  some: readonly Place[],
  lots: number,
  openable: number,
  places: readonly Place[],
  terms: Terms,
): number {
  if (lots <= 0 || some.length === 0) return lots;
  const holders = some.filter(({ lots: held }) => held > 0);
  const others = some.filter(({ lots: held }) => held === 0).sort(terms.fair);
  const mayBeOpened = Math.min(openable - openCount(places), Math.floor(lots / Math.max(1, terms.least)));
  const takers = [
    ...holders,
    ...others.slice(0, Math.max(holders.length + openCount(places) === 0 ? 1 : 0, mayBeOpened)),
  ];
  return growEvenly(
    takers,
    lots,
    (place) => mostLots(place, terms) - place.lots,
    () => 1,
    terms,
    (place) => (place.lots === 0 ? Math.min(terms.least, lots) : 0),
  );
}

/**
 * Gives out the rest that makes no lot: to places that hold an odd part, then to those with room. Turns lots into
 * replicas. Returns what no place may take.
 */
function giveRest(places: readonly Place[], rest: number, step: number, { fair, least }: Terms): number {
  for (const place of places) place.lots *= step;
  let left = rest;
  if (left === 0) return 0;
  const isOpen = places.some(({ lots }) => lots > 0);
  const odd = ({ current, lots }: Place): number => Math.max(0, current - lots);
  const room = ({ fits, lots }: Place): number => Math.max(0, (fits ?? 0) - lots);
  const takers = places.filter(({ lots, current }) => !isOpen || lots > 0 || (least === 0 && current > 0));
  const open = (place: Place): number => Math.max(0, place.most - place.lots);
  // A place that may not take another lot keeps its replicas beyond the last lot.
  const beyond = (place: Place): number => (open(place) < step ? odd(place) : 0);
  for (const mayTake of [beyond, open]) {
    takers.sort((a, b) => odd(b) - odd(a) || room(b) - room(a) || b.lots - a.lots || fair(a, b));
    for (const place of takers) {
      const given = Math.min(left, mayTake(place));
      place.lots += given;
      left -= given;
    }
  }
  return left;
}

/** Divides the amount among the places by weight, none above its cap. Returns the amount left over. */
function growEvenly(
  places: readonly Place[],
  amount: number,
  capOf: (place: Place) => number,
  weightOf: (place: Place) => number,
  terms: Terms,
  leastOf: (place: Place) => number = () => 0,
): number {
  const shares = places.map((place) => ({
    place,
    weight: weightOf(place),
    min: leastOf(place),
    max: capOf(place),
  }));
  const all = shares.reduce((sum, { max }) => sum + max, 0);
  const given = Math.min(amount, all);
  if (given <= 0) return amount;
  const replicas = apportionWithin(given, shares, (a, b) => terms.fair(a.place, b.place));
  for (const [i, { place }] of shares.entries()) place.lots += replicas[i] ?? 0;
  return amount - given;
}

const AVAILABLE: Strategy = {
  shrink(places, lots, terms) {
    const shares = places.map((place) => ({
      place,
      weight: place.lots,
      min: Math.min(terms.least, place.lots, lots),
      max: place.lots,
    }));
    const replicas = apportionWithin(lots, shares, (a, b) => terms.fair(a.place, b.place));
    for (const [i, { place }] of shares.entries()) place.lots = replicas[i] ?? 0;
  },

  grow(places, lots, openable, terms) {
    if (lots <= 0) return 0;
    const least = Math.max(1, terms.least);
    const room = (place: Place): number => openLots(place, terms);
    const holders = places.filter((place) => place.lots > 0 && room(place) > 0);
    // A newly opened place gets `least` at once.
    const canOpen = terms.least <= 1 ? openable : Math.min(openable, Math.floor(lots / least));
    const others = places.filter((place) => place.lots === 0 && room(place) >= least);
    if (others.length > canOpen) others.sort(byMostHeadroom(terms)).splice(Math.max(0, canOpen));
    const opened = new Set(others);
    const leastOf = (place: Place): number => (terms.least > 1 && opened.has(place) ? least : 0);
    return growEvenly([...holders, ...opened], lots, room, (place) => place.room, terms, leastOf);
  },
};

const AGGREGATED: Strategy = {
  shrink(places, lots, terms) {
    let surplus = sumOf(places) - lots;
    const fromFewest = places.toSorted((a, b) => a.lots - b.lots || compareText(b.name, a.name));
    // The last place has no fewer lots than any other, so it can bear the surplus that is left.
    for (const [i, place] of fromFewest.entries()) {
      const isLast = i === fromFewest.length - 1;
      // Takes all lots of the place, or as many as leave `least`. The last place may end below `least`.
      const taken =
        surplus >= place.lots ? place.lots : Math.min(surplus, Math.max(0, place.lots - (isLast ? 0 : terms.least)));
      place.lots -= taken;
      surplus -= taken;
    }
  },

  grow(places, lots, openable, terms) {
    let left = lots;
    let mayOpenMore = openable;
    const given: { place: Place; mayGive: number }[] = [];
    for (const place of places.toSorted((a, b) => b.lots - a.lots || byMostHeadroom(terms)(a, b))) {
      if (left <= 0) break;
      const isNew = place.lots === 0;
      const room = openLots(place, terms);
      if (room <= 0 || (isNew && (mayOpenMore <= 0 || room < terms.least))) continue;
      let taken = Math.min(left, room);
      if (isNew && taken < terms.least) {
        // The lots that are missing to `least` come from places that were just given more.
        const missing = terms.least - taken;
        if (given.reduce((sum, { mayGive }) => sum + mayGive, 0) < missing) continue;
        let borrowed = missing;
        for (const one of given.toReversed()) {
          const back = Math.min(borrowed, one.mayGive);
          one.place.lots -= back;
          one.mayGive -= back;
          borrowed -= back;
        }
        left += missing;
        taken = terms.least;
      }
      place.lots += taken;
      left -= taken;
      if (isNew) mayOpenMore -= 1;
      given.push({ place, mayGive: isNew ? Math.max(0, taken - terms.least) : taken });
    }
    return left;
  },
};
