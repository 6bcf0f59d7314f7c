import { type Line, roundLines, wallLine } from "../report.ts";
import type { KindFigures } from "./run.ts";
import type { UnselectedFigures } from "./unselected.ts";

/** Of the floor, whatever the objects are. */
const WALL_BAR = 1.4;
const HUB_WRITES_BAR = 3;

/** Every figure of a workload with its bar, in the order of the run. The bars of the wall are for the median of all rounds: one round varies by a fifth. */
export function kindLines(figures: KindFigures): Line[] {
  const { floors, create, update, delete: deletion, copies, changes, restart, rssMiB, cpuSeconds } = figures;
  const writes = (phase: string, value: number, bar: number): Line => ({
    ...{ what: `${phase}: writes per object and member`, value, unit: "", bar, exact: true },
  });
  return [
    ...roundLines(figures),
    { what: "floor: create, members", value: floors.membersSeconds, unit: "s" },
    { what: "floor: create, full", value: floors.fullSeconds, unit: "s" },
    { what: "floor: update, full", value: floors.updateSeconds, unit: "s" },
    { what: "floor: delete, full", value: floors.deleteSeconds, unit: "s" },
    { what: "create: last status (wall)", value: create.wallSeconds, unit: "s" },
    wallLine(figures, "create", WALL_BAR),
    { what: "create: members ÷ members floor", value: create.ratioMembersFloor, unit: "" },
    { what: "create: right on all members, p50", value: create.p50Ms, unit: "ms" },
    { what: "create: right on all members, p99", value: create.p99Ms, unit: "ms" },
    { what: "create: hub writes per object", value: create.hubWritesPerApp, unit: "", bar: HUB_WRITES_BAR },
    writes("create", create.memberWritesPerAppMember, copies),
    { what: "create: Events per object", value: create.eventsPerApp, unit: "", bar: 2 },
    { what: "update: last status (wall)", value: update.wallSeconds, unit: "s" },
    wallLine(figures, "update", WALL_BAR),
    { what: "update: right on all members, p99", value: update.p99Ms, unit: "ms" },
    { what: "update: hub writes per object", value: update.hubWritesPerApp, unit: "", bar: HUB_WRITES_BAR },
    writes("update", update.memberWritesPerAppMember, changes),
    { what: "update: Events per object", value: update.eventsPerApp, unit: "", bar: 2 },
    { what: "delete: nothing left (wall)", value: deletion.wallSeconds, unit: "s" },
    wallLine(figures, "delete", WALL_BAR),
    { what: "delete: hub writes per object", value: deletion.hubWritesPerApp, unit: "", bar: HUB_WRITES_BAR },
    writes("delete", deletion.memberWritesPerAppMember, copies),
    { what: "manager: memory after update", value: rssMiB, unit: "MiB", bar: 200 },
    { what: "manager: CPU, create to update", value: cpuSeconds, unit: "s", bar: 6 },
    { what: "restart in sync: writes on the hub", value: restart.hubWrites, unit: "", bar: 0 },
    { what: "restart in sync: writes on members", value: restart.memberWrites, unit: "", bar: 0 },
    { what: "everything deleted: objects left", value: figures.left, unit: "", bar: 0 },
  ];
}

export function unselectedLines({ objects, without, beside }: UnselectedFigures): Line[] {
  const kib = ((beside.heapMiB - without.heapMiB) * 1024) / objects;
  const what = `${objects} objects that no policy selects`;
  return [
    { what: "without them: memory", value: without.rssMiB, unit: "MiB" },
    { what: "without them: heap in use", value: without.heapMiB, unit: "MiB" },
    { what: "without them: CPU while idle", value: without.cpuPercent, unit: "% of a core" },
    { what: `${what}: memory`, value: beside.rssMiB, unit: "MiB" },
    { what: `${what}: heap in use`, value: beside.heapMiB, unit: "MiB" },
    { what: `${what}: heap of each`, value: kib, unit: "KiB", bar: 2 },
    {
      what: `${what}: more CPU while idle`,
      value: beside.cpuPercent - without.cpuPercent,
      unit: "% of a core",
      bar: 0.5,
    },
    { what: `${what}: more watches on the hub`, value: beside.watches - without.watches, unit: "", bar: 0 },
    { what: `${what}: writes while idle`, value: beside.writes, unit: "", bar: 0 },
    { what: `${what}: reads while idle, Leases apart`, value: beside.reads, unit: "" },
  ];
}
