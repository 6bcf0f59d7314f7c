/** Durations and times, parsed as Go and the OpenAPI formats do. */

const UNIT_NANOSECONDS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const LARGEST = 2n ** 63n - 1n;

/** Parses like Go's `time.ParseDuration`: `1h30m`, `-1.5s`. Nanoseconds; undefined for an invalid duration. */
export function parseGoDuration(text: string): bigint | undefined {
  const [, sign = "", rest = ""] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (rest === "0") return 0n;
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(rest)) return undefined;
  let total = 0n;
  for (const [, whole = "", fraction = "", unit = ""] of rest.matchAll(/(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g)) {
    const nanoseconds = UNIT_NANOSECONDS[unit] ?? 0n;
    total += BigInt(whole || "0") * nanoseconds;
    if (fraction !== "") total += (BigInt(fraction) * nanoseconds) / 10n ** BigInt(fraction.length);
  }
  if (total > LARGEST) return undefined;
  return sign === "-" ? -total : total;
}

const SCALA_UNITS: readonly (readonly [bigint, string, ...string[]])[] = [
  [1n, "ns", "nano"],
  [1_000n, "us", "µs", "micro"],
  [1_000_000n, "ms", "milli"],
  [1_000_000_000n, "s", "sec"],
  [60_000_000_000n, "m", "min"],
  [3_600_000_000_000n, "h", "hr", "hour"],
  [86_400_000_000_000n, "d", "day"],
  [604_800_000_000_000n, "w", "wk", "week"],
];

/**
 * Parses the format `duration`: Go's durations, and `22 ns`, `1 day`, `3w`. Nanoseconds; undefined for an invalid
 * duration.
 */
export function parseDurationFormat(text: string): bigint | undefined {
  const go = parseGoDuration(text);
  if (go !== undefined) return go;
  let total = 0n;
  let found = false;
  for (const [, amount = "0", unit = ""] of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
    const lower = unit.toLowerCase();
    for (const [nanoseconds, ...names] of SCALA_UNITS) {
      // The last, long name also matches its plural.
      if (!names.includes(lower) && !lower.startsWith(names.at(-1) ?? "")) continue;
      found = true;
      total += BigInt(amount) * nanoseconds;
    }
  }
  return found ? total : undefined;
}

/** A real calendar day such as `2024-02-29`. */
export function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (year === undefined) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day);
}

/** The format `date-time` (RFC 3339). */
export function isDateTime(text: string): boolean {
  const parts = text.toLowerCase().split("t");
  const [date = "", time = ""] = parts;
  if (parts.length < 2 || !isDate(date)) return false;
  const [, hour = "", minute = "", second = ""] =
    /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/.exec(time) ?? [];
  return hour !== "" && hour <= "23" && minute <= "59" && second <= "59";
}

/** Milliseconds since 1970 of an RFC 3339 time, as Go's `time.Parse` reads it; undefined for an invalid time. */
export function parseRfc3339(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:\d{2})$/.test(text)) return undefined;
  if (!isDateTime(text)) return undefined;
  const milliseconds = Date.parse(text.replace(/[.,](\d{1,3})\d*/, ".$1"));
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}
