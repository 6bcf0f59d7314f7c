import type { Figures } from "./figures.ts";
import type { Requests, RequestRow } from "./requests.ts";
import { median } from "./rounds.ts";

export interface Line {
  what: string;
  value: number;
  unit: string;
  /** At most this; exactly this when `exact`. */
  bar?: number;
  exact?: boolean;
}

const PHASES = ["create", "update", "delete"] as const;

/** Each round by itself, where there are several. */
function roundLines({ rounds }: Figures): Line[] {
  if (rounds.length < 2) return [];
  return rounds.flatMap((round, index) =>
    PHASES.map((phase) => ({
      what: `round ${index + 1}: ${phase}, wall ÷ full floor`,
      value: round[phase].ratioFullFloor,
      unit: "",
    })),
  );
}

/** The bar is for the median of all rounds: one round varies by a fifth. */
function wallLine({ rounds }: Figures, phase: (typeof PHASES)[number], bar: number): Line {
  const value = median(rounds.map((round) => round[phase].ratioFullFloor));
  return { what: `${phase}: wall ÷ full floor, median`, value, unit: "", bar };
}

/** Every figure with its bar, in the order of the run. */
export function linesOf(figures: Figures): Line[] {
  const { floors, create, update, status5, statusRate, restart, rssMiB, cpuSeconds } = figures;
  const [relay] = statusRate.relay;
  // The slower the changes come, the fewer of them meet in one write, whoever writes.
  const mostWrites = Math.min(1, (relay?.hubWritesPerChange ?? Number.NaN) + 0.2);
  const rate = `status at ${statusRate.perSecond}/s`;
  return [
    ...roundLines(figures),
    { what: "floor: members", value: floors.membersSeconds, unit: "s" },
    { what: "floor: full", value: floors.fullSeconds, unit: "s" },
    { what: "floor: update, members", value: floors.updateMembersSeconds, unit: "s" },
    { what: "floor: update, full", value: floors.updateSeconds, unit: "s" },
    { what: "floor: delete, full", value: floors.deleteSeconds, unit: "s" },
    { what: "create: last member right", value: create.membersSeconds, unit: "s" },
    { what: "create: last status (wall)", value: create.wallSeconds, unit: "s" },
    { what: "create: members ÷ members floor", value: create.ratioMembersFloor, unit: "", bar: 1.7 },
    wallLine(figures, "create", 1.2),
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
    wallLine(figures, "update", 1.2),
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
    { what: "delete: nothing left (wall)", value: figures.delete.wallSeconds, unit: "s" },
    wallLine(figures, "delete", 1.3),
    { what: "delete: hub writes per app", value: figures.delete.hubWritesPerApp, unit: "" },
    { what: "delete: the same with the deletion", value: figures.delete.hubWritesPerApp + 1, unit: "" },
    {
      what: "delete: writes per app and member",
      value: figures.delete.memberWritesPerAppMember,
      unit: "",
      bar: 2,
      exact: true,
    },
    { what: "manager: memory after update", value: rssMiB, unit: "MiB", bar: 200 },
    { what: "manager: CPU, create to update", value: cpuSeconds, unit: "s", bar: 6 },
    { what: "status at 5/s: p50", value: status5.p50Ms, unit: "ms", bar: 20 },
    { what: "status at 5/s: p99", value: status5.p99Ms, unit: "ms", bar: 60 },
    { what: "status at 5/s: hub writes per change", value: status5.hubWritesPerChange, unit: "", bar: 1 },
    { what: `${rate}: the highest that the relay keeps up with`, value: statusRate.perSecond, unit: "/s" },
    ...statusRate.relay.map(({ p99Ms }) => ({ what: `${rate}: p99 of the relay`, value: p99Ms, unit: "ms" })),
    ...statusRate.turns.map(({ p99Ms }) => ({ what: `${rate}: p99, each turn`, value: p99Ms, unit: "ms" })),
    { what: `${rate}: hub writes per change, relay`, value: relay?.hubWritesPerChange ?? Number.NaN, unit: "" },
    { what: `${rate}: changes per second`, value: statusRate.meridian.changesPerSecond, unit: "" },
    { what: `${rate}: p50`, value: statusRate.meridian.p50Ms, unit: "ms" },
    { what: `${rate}: p99, median`, value: statusRate.meridian.p99Ms, unit: "ms" },
    { what: `${rate}: CPU per change`, value: statusRate.meridian.cpuMsPerChange, unit: "ms" },
    { what: `${rate}: p99 ÷ that of the relay, medians`, value: statusRate.ratioP99, unit: "", bar: 1.5 },
    {
      what: `${rate}: hub writes per change`,
      value: statusRate.meridian.hubWritesPerChange,
      unit: "",
      bar: mostWrites,
    },
    { what: "restart in sync: writes on the hub", value: restart.hubWrites, unit: "", bar: 0 },
    { what: "restart in sync: writes on members", value: restart.memberWrites, unit: "", bar: 0 },
    { what: "restart: first work", value: restart.seconds, unit: "s" },
    { what: "everything deleted: objects left", value: figures.left, unit: "", bar: 0 },
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
  const header = ["cluster", "verb", "resource", "code", "count", "per app"];
  return `${title}, requests per app\n${aligned([header, ...body])}`;
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

export function rounded(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return value.toFixed(Math.abs(value) >= 100 ? 0 : 2);
}

export function aligned(rows: readonly string[][]): string {
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
