interface Part {
  weight: number;
  min: number;
  max: number;
}

/**
 * Divides a whole number by weight with the largest remainder, each part within its bounds, which must allow `total`.
 * Parts whose quota lies outside a bound are fixed there and the others divide the rest, until no quota lies outside.
 * Each round fixes only the side that misses its bounds by more in total. Between equal fractions, a larger `kept` goes
 * first: the share of one more that the part holds already, beyond its quota rounded down. Then `fair` decides.
 */
export function apportionWithin<T extends Part>(
  total: number,
  parts: readonly T[],
  fair: (a: T, b: T) => number,
  kept: (part: T, floor: number) => number = () => 0,
): number[] {
  const shares = parts.map(() => 0);
  let free = parts.map((part, at) => ({ part, at }));
  let rest = total;
  // Ends at the latest when no part is free: then nothing is short or over.
  for (;;) {
    const sum = free.reduce((acc, { part }) => acc + part.weight, 0);
    // Without any weight, all parts weigh the same.
    const weightOf = (part: T): number => (sum > 0 ? part.weight : 1);
    const whole = sum > 0 ? sum : free.length;
    let short = 0;
    let over = 0;
    for (const { part } of free) {
      const quota = rest * weightOf(part);
      if (quota < part.min * whole) short += part.min * whole - quota;
      else if (quota > part.max * whole) over += quota - part.max * whole;
    }
    if (short === 0 && over === 0) {
      let left = rest;
      for (const { part, at } of free) {
        const share = Math.floor((rest * weightOf(part)) / whole);
        shares[at] = share;
        left -= share;
      }
      if (left === 0) return shares;
      const fractions = free.map(({ part, at }) => ({
        part,
        at,
        fraction: (rest * weightOf(part)) % whole,
        kept: kept(part, shares[at] ?? 0),
      }));
      fractions.sort((a, b) => b.fraction - a.fraction || b.kept - a.kept || fair(a.part, b.part));
      // The bounds are whole numbers, so a quota within them stays within them when rounded up.
      for (const { at } of fractions.slice(0, left)) shares[at] = (shares[at] ?? 0) + 1;
      return shares;
    }
    const next: typeof free = [];
    let fixed = 0;
    for (const one of free) {
      const { part, at } = one;
      const quota = rest * weightOf(part);
      if (short >= over && quota < part.min * whole) shares[at] = part.min;
      else if (over >= short && quota > part.max * whole) shares[at] = part.max;
      else {
        next.push(one);
        continue;
      }
      fixed += shares[at] ?? 0;
    }
    rest -= fixed;
    free = next;
  }
}
