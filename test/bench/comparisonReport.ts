import type { Comparison, Turn } from "./comparison.ts";
import { aligned, rounded } from "./report.ts";
import { median } from "./rounds.ts";

interface Row {
  what: string;
  unit: string;
  here: number;
  there: number;
  /** The geometric mean of all pairs, so that who came first in a pair evens out. */
  ratio: number;
  /** Undefined where there is no bar. */
  missed: boolean | undefined;
  bar: string;
}

/** Both values of one thing are of the same minutes, so their ratio says more than the ratio of two medians. */
const RATIO_BAR = 1.05;

/** Seconds, milliseconds and the like: at most so much worse. */
const COSTS: [what: string, unit: string, of: (turn: Turn) => number][] = [
  ["create: last status (wall)", "s", ({ create }) => create.wallSeconds],
  ["update: last status (wall)", "s", ({ update }) => update.wallSeconds],
  ["delete all", "s", (turn) => turn.delete.wallSeconds],
  ["manager: CPU, create to update and delete", "s", ({ cpuSeconds }) => cpuSeconds],
  ["manager: memory after update", "MiB", ({ rssMiB }) => rssMiB],
];

/** The same, where changes of status are compared. */
const STATUS_COSTS: typeof COSTS = [
  ["status at 5/s: p50", "ms", (turn) => statusOf(turn).at5.p50Ms],
  ["status at 5/s: p99", "ms", (turn) => statusOf(turn).at5.p99Ms],
  ["status at 5/s: CPU per change", "ms", (turn) => statusOf(turn).at5.cpuMsPerChange],
  ["status at the rate: p50", "ms", (turn) => statusOf(turn).atRate.p50Ms],
  ["status at the rate: p99", "ms", (turn) => statusOf(turn).atRate.p99Ms],
  ["status at the rate: CPU per change", "ms", (turn) => statusOf(turn).atRate.cpuMsPerChange],
];

/** Counts: not one more. */
const WRITES: [what: string, of: (turn: Turn) => number][] = [
  ["create: hub writes per app", ({ create }) => create.hubWritesPerApp],
  ["create: writes per app and member", ({ create }) => create.memberWritesPerAppMember],
  ["create: Events per app", ({ create }) => create.eventsPerApp],
  ["update: hub writes per app", ({ update }) => update.hubWritesPerApp],
  ["update: writes per app and member", ({ update }) => update.memberWritesPerAppMember],
  ["update: Events per app", ({ update }) => update.eventsPerApp],
  ["delete: hub writes per app", (turn) => turn.delete.hubWritesPerApp],
  ["delete: writes per app and member", (turn) => turn.delete.memberWritesPerAppMember],
];

/** The same, where changes of status are compared. */
const STATUS_WRITES: typeof WRITES = [
  ["status at 5/s: hub writes per change", (turn) => statusOf(turn).at5.hubWritesPerChange],
  ["status at the rate: hub writes per change", (turn) => statusOf(turn).atRate.hubWritesPerChange],
];

function statusOf({ status }: Turn): NonNullable<Turn["status"]> {
  if (status === undefined) throw new Error("this turn has no changes of status");
  return status;
}

export function comparisonTable({ titles, perSecond, pairs, apps, members }: Comparison): string {
  const rows = rowsOf(pairs).map(({ what, unit, here, there, ratio, bar, missed }) => [
    what,
    withUnit(here, unit),
    withUnit(there, unit),
    Number.isNaN(ratio) ? "" : ratio.toFixed(2),
    bar,
    missed === true ? "miss" : "pass",
  ]);
  return [
    `${apps} applications on ${members} members, ${pairs.length} turns each${perSecond === undefined ? "" : `; the status rate is ${perSecond}/s`}`,
    `here: ${titles.here}`,
    `there: ${titles.there}`,
    aligned([["", "here", "there", "ratio", "bar", ""], ...rows]),
  ].join("\n");
}

export function isWorse({ pairs }: Comparison): boolean {
  return rowsOf(pairs).some(({ missed }) => missed);
}

function rowsOf(pairs: Comparison["pairs"]): Row[] {
  const row = (what: string, unit: string, of: (turn: Turn) => number): Omit<Row, "bar" | "missed"> => {
    const here = median(pairs.map((pair) => of(pair.here)));
    const there = median(pairs.map((pair) => of(pair.there)));
    const ratios = pairs.map((pair) => of(pair.here) / of(pair.there)).filter((ratio) => !Number.isNaN(ratio));
    return { what, unit, here, there, ratio: geometricMean(ratios) };
  };
  const hasStatus = pairs.every(({ here, there }) => here.status !== undefined && there.status !== undefined);
  const costs = [...COSTS, ...(hasStatus ? STATUS_COSTS : [])].map(([what, unit, of]): Row => {
    const values = row(what, unit, of);
    return { ...values, bar: `ratio ≤ ${RATIO_BAR}`, missed: !(values.ratio <= RATIO_BAR) };
  });
  const writes = [...WRITES, ...(hasStatus ? STATUS_WRITES : [])].map(([what, of]): Row => {
    const values = row(what, "", of);
    // How much of a burst goes into one write is chance: what the other one needed at its most is the measure.
    const most = Math.max(...pairs.map(({ there }) => of(there)));
    return { ...values, bar: `≤ ${rounded(most)}`, missed: !(values.here <= most) };
  });
  return [...costs, ...writes];
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

function withUnit(value: number, unit: string): string {
  return unit === "" ? rounded(value) : `${rounded(value)} ${unit}`;
}
