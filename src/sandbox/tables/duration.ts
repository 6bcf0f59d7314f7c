const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24;
const YEAR = 365 * DAY;

/** A duration as kubectl shows an age: `90s`, `5m30s`, `3h`, `2d4h`, `400d`, `3y12d`. In milliseconds. */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / SECOND);
  // Clocks differ a little, so a time up to a second in the future counts as now.
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(ms / MINUTE);
  if (minutes < 10) return withRest(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(ms / HOUR);
  if (hours < 8) return withRest(hours, "h", minutes % 60, "m");
  if (hours < 2 * DAY) return `${hours}h`;
  if (hours < 8 * DAY) return withRest(Math.trunc(hours / DAY), "d", hours % DAY, "h");
  if (hours < 2 * YEAR) return `${Math.trunc(hours / DAY)}d`;
  if (hours < 8 * YEAR) return withRest(Math.trunc(hours / YEAR), "y", Math.trunc(hours / DAY) % 365, "d");
  return `${Math.trunc(hours / YEAR)}y`;
}

function withRest(amount: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${amount}${unit}` : `${amount}${unit}${rest}${restUnit}`;
}

const RFC3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** Age for a cell of type date: `<unknown>` for an empty timestamp, `<invalid>` for an invalid one. */
export function ageOf(timestamp: string, now: number): string {
  if (timestamp === "") return "<unknown>";
  const time = RFC3339.test(timestamp) ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(time) ? "<invalid>" : humanDuration(now - time);
}
