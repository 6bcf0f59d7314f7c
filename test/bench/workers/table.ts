import { aligned, rounded } from "../report.ts";
import { median } from "../rounds.ts";
import { type Cell, COUNTS, type Count, type WorkerFigures } from "./measure.ts";
import { SITUATIONS } from "./situations.ts";

/** A count may be so much slower than the best of a situation. */
const BAR = 1.05;

/** Medians of all rounds, the least and the most beside them, and what follows for a fixed count. */
export function workersText({ members, rounds, cells, recoveries }: WorkerFigures): string {
  const rows = SITUATIONS.flatMap(({ name, objects }) =>
    COUNTS.map((count) => {
      const found = cellsOf(cells, name, count);
      return [
        `${name} (${objects})`,
        String(count),
        spread(found.map(({ wallSeconds }) => wallSeconds)),
        rounded(timesBest(cells, name, count)),
        spread(found.map((cell) => cell.cpuSeconds)),
        spread(found.map(({ hubRequests }) => hubRequests)),
        spread(found.map(({ hubWrites }) => hubWrites)),
        spread(found.map(({ rejected }) => rejected)),
      ];
    }),
  );
  const header = ["situation", "workers", "wall, s", "÷ best", "CPU, s", "hub requests", "hub writes", "429"];
  const recovered = COUNTS.map((count) => {
    const found = recoveries.filter((one) => one.count === count);
    return [
      String(count),
      spread(found.map(({ wallSeconds }) => wallSeconds)),
      spread(found.map(({ sinceReadySeconds }) => sinceReadySeconds)),
      spread(found.map(({ cpuSeconds }) => cpuSeconds)),
    ];
  });
  return [
    `${members} members, ${rounds} rounds: median (least to most); requests and writes for each object`,
    aligned([header, ...rows]),
    "",
    "Recovery of 237 changed objects after a kill",
    aligned([["workers", "wall, s", "since ready, s", "CPU, s"], ...recovered]),
    "",
    ...COUNTS.map((count) => verdict(cells, count)),
  ].join("\n");
}

function verdict(cells: readonly Cell[], count: Count): string {
  const slow = SITUATIONS.map(({ name }) => ({ name, times: timesBest(cells, name, count) })).filter(
    ({ times }) => times > BAR,
  );
  const where = slow.map(({ name, times }) => `${name} ${rounded(times)}`).join(", ");
  return `${count} workers: ${slow.length === 0 ? "within 5 % of the best everywhere" : `more than 5 % slower than the best: ${where}`}`;
}

/** Median wall time of a count as a multiple of the lowest median in the same situation. */
function timesBest(cells: readonly Cell[], situation: string, count: Count): number {
  const medianOf = (one: Count) => median(cellsOf(cells, situation, one).map(({ wallSeconds }) => wallSeconds));
  return medianOf(count) / Math.min(...COUNTS.map(medianOf));
}

function cellsOf(cells: readonly Cell[], situation: string, count: Count): Cell[] {
  return cells.filter((cell) => cell.situation === situation && cell.count === count);
}

function spread(values: readonly number[]): string {
  if (values.length < 2) return rounded(median(values));
  return `${rounded(median(values))} (${rounded(Math.min(...values))} to ${rounded(Math.max(...values))})`;
}
