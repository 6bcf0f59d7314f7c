import type { Pace } from "./statusChanges.ts";

/** What the relay has to stay below at the rate that is looked for. */
export const LIMIT_MS = 150;

const FIRST = 25;
const LEAST = 6;
const MOST = 3_200;
const HALVINGS = 3;
/** A machine may have been busy with something else for a moment, or idle for one: two of three trials decide. */
const MAJORITY = 2;

/**
 * The highest rate, in changes a second, at which `keepsUp` is true: doubles it until it is not, and then halves what is between. Where
 * even the least is too much it is the least: the machine is too busy for figures, and those of the relay will show it.
 */
export async function highestRate(keepsUp: (perSecond: number) => Promise<boolean>): Promise<number> {
  const holds = async (perSecond: number): Promise<boolean> => {
    let [kept, lost] = [0, 0];
    while (kept < MAJORITY && lost < MAJORITY) {
      if (await keepsUp(perSecond)) kept += 1;
      else lost += 1;
    }
    return kept === MAJORITY;
  };
  let high = FIRST;
  while (high <= MOST && (await holds(high))) high *= 2;
  let low = high / 2;
  while (low < FIRST && low > LEAST && !(await holds(Math.round(low)))) [high, low] = [low, low / 2];
  if (low <= LEAST) return LEAST;
  if (high > MOST) return low;
  for (let halving = 0; halving < HALVINGS; halving++) {
    const middle = Math.round(Math.sqrt(low * high));
    if (await holds(middle)) low = middle;
    else high = middle;
  }
  return Math.round(low);
}

/** The next rate to try where the relay did not keep up with this one after all; undefined below the least of all. */
export function lowerRate(perSecond: number): number | undefined {
  const lower = Math.round(perSecond / Math.SQRT2);
  return lower < LEAST ? undefined : lower;
}

/** A few seconds, to see whether a rate is too high. */
export function trialPace(perSecond: number): Pace {
  return { perSecond, count: bounded(perSecond * 4, 100, 1_200) };
}

/** Long enough for a p99 that is more than one change. */
export function measuredPace(perSecond: number): Pace {
  return { perSecond, count: bounded(perSecond * 8, 300, 3_000) };
}

function bounded(value: number, least: number, most: number): number {
  return Math.round(Math.min(most, Math.max(least, value)));
}
