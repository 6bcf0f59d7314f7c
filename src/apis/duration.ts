const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds of a duration such as `90s`, `10m` or `1h30m`, as the schemas take it; 0 of a text that is none. */
export function durationMs(text: string): number {
  let sum = 0;
  for (const [, count = "0", unit = ""] of text.matchAll(/([0-9]{1,15})(ms|s|m|h)/g))
    sum += Number(count) * (UNITS[unit] ?? 0);
  return sum;
}
