import type { QueryFigures, Timing } from "./measure.ts";

/** On a slow machine, a bar is missed only by an answer that takes so many times as long as the plain array. */
const TIMES_BARE = 3;

export function isTimingMissed({ p99, bareP99, bar }: Timing): boolean {
  return bar !== undefined && p99 > Math.max(bar, TIMES_BARE * bareP99);
}

export function isQueryMissed({ timings, memoryMb, residentMb, memoryBar }: QueryFigures): boolean {
  return Math.max(memoryMb, residentMb) > memoryBar || timings.some(isTimingMissed);
}

export function queryText(figures: QueryFigures): string {
  const { placed, timings, memoryMb, bareMemoryMb, residentMb, memoryBar, fillSeconds, longestHeldMs } = figures;
  const rows = timings.map((timing) => {
    const { what, isOffline, p50, p99, bareP50, bareP99, bar } = timing;
    const verdict = bar === undefined ? "" : `${isTimingMissed(timing) ? "missed" : "met"} (${bar} ms)`;
    return [isOffline ? `${what}, 10 % offline` : what, ms(p50), ms(p99), ms(bareP50), ms(bareP99), verdict];
  });
  const lines = [["", "p50 ms", "p99 ms", "array p50", "array p99", "bar"], ...rows];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  const text = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return [
    `${placed} placed objects`,
    ...text,
    `memory ${Math.round(memoryMb)} MB, of the process ${Math.round(residentMb)} MB at most (bar ${memoryBar} MB), of the array ${Math.round(bareMemoryMb)} MB`,
    `filled in ${fillSeconds.toFixed(1)} s; longest hold of the event loop ${ms(longestHeldMs)} ms`,
  ].join("\n");
}

function ms(value: number): string {
  return value < 10 ? value.toFixed(2) : value.toFixed(0);
}
