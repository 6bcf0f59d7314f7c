const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds of a duration such as `90s` or `1h30m`, as the schema admits it. */
export function milliseconds(duration: string): number {
  let sum = 0;
  for (const [, count = "0", unit = "s"] of duration.matchAll(/(\d+)(ms|s|m|h)/g))
    sum += Number(count) * (UNITS[unit] ?? 0);
  return sum;
}
