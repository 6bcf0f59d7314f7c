import type { Figures } from "./figures.ts";
import type { Requests, RequestRow } from "./requests.ts";

export interface Line {
  what: string;
  value: number;
  unit: string;
  /** At most this; exactly this when `exact`. */
  bar?: number;
  exact?: boolean;
}

/** Every figure with its bar, in the order of the run. */
export function linesOf(figures: Figures): Line[] {
  const { floors, create, update, status5, status200, status200Floor, restart, rssMiB, cpuSeconds } = figures;
  const others = figures.rounds.map(({ create: one, update: two }, index) => [
    { what: `round ${index + 1}: create, wall ÷ full floor`, value: one.ratioFullFloor, unit: "" },
    { what: `round ${index + 1}: update, wall ÷ full floor`, value: two.ratioFullFloor, unit: "" },
  ]);
  return [
    ...(others.length > 1 ? others.flat() : []),
    { what: "floor: members", value: floors.membersSeconds, unit: "s" },
    { what: "floor: full", value: floors.fullSeconds, unit: "s" },
    { what: "floor: update, members", value: floors.updateMembersSeconds, unit: "s" },
    { what: "floor: update, full", value: floors.updateSeconds, unit: "s" },
    { what: "create: last member right", value: create.membersSeconds, unit: "s" },
    { what: "create: last status (wall)", value: create.wallSeconds, unit: "s" },
    { what: "create: members ÷ members floor", value: create.ratioMembersFloor, unit: "", bar: 1.7 },
    { what: "create: wall ÷ full floor", value: create.ratioFullFloor, unit: "", bar: 1.2 },
    { what: "create: right on all members, p50", value: create.p50Ms, unit: "ms" },
    { what: "create: right on all members, p99", value: create.p99Ms, unit: "ms" },
    { what: "create: hub writes per app", value: create.hubWritesPerApp, unit: "", bar: 3 },
    { what: "create: the same with the creation", value: create.hubRequestsPerAppInclCreate, unit: "" },
    {
      what: "create: writes per app and member",
      value: create.memberWritesPerAppMember,
      unit: "",
      bar: 2,
      exact: true,
    },
    { what: "create: Events per app", value: create.eventsPerApp, unit: "", bar: 2 },
    { what: "update: last member right", value: update.membersSeconds, unit: "s" },
    { what: "update: last status (wall)", value: update.wallSeconds, unit: "s" },
    { what: "update: members ÷ members floor", value: update.ratioMembersFloor, unit: "" },
    { what: "update: wall ÷ full floor", value: update.ratioFullFloor, unit: "", bar: 1.2 },
    { what: "update: right on all members, p50", value: update.p50Ms, unit: "ms" },
    { what: "update: right on all members, p99", value: update.p99Ms, unit: "ms" },
    { what: "update: hub writes per app", value: update.hubWritesPerApp, unit: "", bar: 3 },
    {
      what: "update: writes per app and member",
      value: update.memberWritesPerAppMember,
      unit: "",
      bar: 1,
      exact: true,
    },
    { what: "update: Events per app", value: update.eventsPerApp, unit: "", bar: 2 },
    { what: "manager: memory after update", value: rssMiB, unit: "MiB", bar: 200 },
    { what: "manager: CPU, create to update", value: cpuSeconds, unit: "s", bar: 6 },
    { what: "status at 5/s: p50", value: status5.p50Ms, unit: "ms", bar: 20 },
    { what: "status at 5/s: p99", value: status5.p99Ms, unit: "ms", bar: 60 },
    { what: "status at 5/s: hub writes per change", value: status5.hubWritesPerChange, unit: "", bar: 1 },
    { what: "status at 200/s: changes per second", value: status200.changesPerSecond, unit: "" },
    { what: "status at 200/s: p50", value: status200.p50Ms, unit: "ms" },
    { what: "status at 200/s: p99", value: status200.p99Ms, unit: "ms", bar: 300 },
    { what: "status at 200/s: p50 of the floor", value: status200Floor.p50Ms, unit: "ms" },
    { what: "status at 200/s: p99 of the floor", value: status200Floor.p99Ms, unit: "ms" },
    { what: "status at 200/s: p99 ÷ that of the floor", value: status200.p99Ms / status200Floor.p99Ms, unit: "" },
    { what: "status at 200/s: hub writes per change, floor", value: status200Floor.hubWritesPerChange, unit: "" },
    { what: "status at 200/s: hub writes per change", value: status200.hubWritesPerChange, unit: "", bar: 0.5 },
    { what: "restart in sync: writes on the hub", value: restart.hubWrites, unit: "", bar: 0 },
    { what: "restart in sync: writes on members", value: restart.memberWrites, unit: "", bar: 0 },
    { what: "restart: first work", value: restart.seconds, unit: "s" },
    { what: "delete all", value: figures.delete.wallSeconds, unit: "s" },
    { what: "delete all: objects left", value: figures.delete.left, unit: "", bar: 0 },
  ];
}

export function isMissed({ value, bar, exact }: Line): boolean {
  if (bar === undefined) return false;
  // A figure that is not there is a miss too.
  return exact === true ? value !== bar : !(value <= bar);
}

export function table(lines: readonly Line[]): string {
  const rows = lines.map((line) => [
    line.what,
    `${rounded(line.value)}${line.unit === "" ? "" : ` ${line.unit}`}`,
    line.bar === undefined ? "" : `${line.exact === true ? "=" : "≤"} ${line.bar}`,
    line.bar === undefined ? "" : isMissed(line) ? "miss" : "pass",
  ]);
  return aligned([["", "", "bar", ""], ...rows]);
}

/** Requests by cluster, most frequent first, leases and events apart. */
export function requestTable(title: string, { rows, apart }: Requests, apps: number): string {
  const body = [...tableRows(rows, apps), ...tableRows(apart, apps).map((row) => [...row, "apart"])];
  return `${title}, requests per app\n${aligned([["cluster", "verb", "resource", "code", "count", "per app"], ...body])}`;
}

function tableRows(rows: readonly RequestRow[], apps: number): string[][] {
  return rows
    .toSorted((a, b) => a.cluster.localeCompare(b.cluster) || b.count - a.count)
    .map(({ cluster, verb, resource, code, count }) => [
      cluster,
      verb,
      resource,
      code,
      String(count),
      (count / apps).toFixed(2),
    ]);
}

function rounded(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return value.toFixed(Math.abs(value) >= 100 ? 0 : 2);
}

function aligned(rows: readonly string[][]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
