import { aligned, rounded } from "../report.ts";
import { median } from "../rounds.ts";
import { type Cell, COUNTS, type Count, type WorkerFigures } from "./measure.ts";
import { SITUATIONS } from "./situations.ts";

/** A count may be so much slower than the best of a situation. */
const BAR = 1.05;
/** Fewer have no spread. */
const LEAST_ROUNDS = 3;

/** Medians of all rounds, the least and the most beside them, and what follows for a fixed count. */
export function workersText({ members, rounds, cells, recoveries }: WorkerFigures): string {
  const rows = SITUATIONS.flatMap(({ name, objects }) =>
    COUNTS.map((count) => {
      const found = cellsOf(cells, name, count);
      return [
        `${name} (${objects})`,
        String(count),
        spread(wallsOf(cells, name, count)),
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
    ...(rounds < LEAST_ROUNDS
      ? [`Fewer than ${LEAST_ROUNDS} rounds say nothing of the best count.`]
      : COUNTS.map((count) => verdict(cells, count))),
  ].join("\n");
}

/** A difference counts only where the slowest round of the best count is faster than the fastest round of this one. */
function verdict(cells: readonly Cell[], count: Count): string {
  const slow: string[] = [];
  const unsure: string[] = [];
  for (const { name } of SITUATIONS) {
    const times = timesBest(cells, name, count);
    if (times <= BAR) continue;
    const best = COUNTS.find((one) => timesBest(cells, name, one) === 1) ?? count;
    const isApart = Math.min(...wallsOf(cells, name, count)) > Math.max(...wallsOf(cells, name, best));
    (isApart ? slow : unsure).push(`${name} ${rounded(times)}`);
  }
  const parts = [
    ...(slow.length === 0 ? [] : [`slower than the best: ${slow.join(", ")}`]),
    ...(unsure.length === 0 ? [] : [`slower, but within the spread: ${unsure.join(", ")}`]),
  ];
  return `${count} workers: ${parts.length === 0 ? "within 5 % of the best everywhere" : parts.join("; ")}`;
}

/** Median wall time of a count as a multiple of the lowest median in the same situation. */
function timesBest(cells: readonly Cell[], situation: string, count: Count): number {
  const medianOf = (one: Count) => median(wallsOf(cells, situation, one));
  return medianOf(count) / Math.min(...COUNTS.map(medianOf));
}

function wallsOf(cells: readonly Cell[], situation: string, count: Count): number[] {
  return cellsOf(cells, situation, count).map(({ wallSeconds }) => wallSeconds);
}

function cellsOf(cells: readonly Cell[], situation: string, count: Count): Cell[] {
  return cells.filter((cell) => cell.situation === situation && cell.count === count);
}

function spread(values: readonly number[]): string {
  if (values.length < 2) return rounded(median(values));
  return `${rounded(median(values))} (${rounded(Math.min(...values))} to ${rounded(Math.max(...values))})`;
}
