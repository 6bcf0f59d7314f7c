const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Age as kubectl prints it: `12s`, `5m`, `3h`, `4d`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours}h`;
  return `${Math.floor(hours / 24)}d`;
}

/** ` for 5m`, between two RFC 3339 times; empty where one is not known. */
export function lastedText(since: string | undefined, until: string | undefined): string {
  const ms = Date.parse(until ?? "") - Date.parse(since ?? "");
  return Number.isNaN(ms) ? "" : ` for ${ageText(ms)}`;
}

/** Milliseconds of `90s`, `1.5s` or `1h30m`; 0 for a text without a duration. */
export function durationMs(text: string): number {
  let sum = 0;
  for (const [, count = "0", unit = ""] of text.matchAll(/([0-9]{1,15}(?:\.[0-9]{1,15})?)(ms|s|m|h|d)/g))
    sum += Number(count) * (UNITS[unit] ?? 0);
  return sum;
}
