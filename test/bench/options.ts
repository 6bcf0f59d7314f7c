import { parseArgs } from "node:util";

/** What is federated. */
const WORKLOADS = ["applications", "configmaps", "bundles"] as const;
export type Workload = (typeof WORKLOADS)[number];

export interface BenchOptions {
  /** What is measured: everything beside the floors, another commit in turns with this one, or one thing alone. */
  what: "all" | "against" | "decide" | "event-loop" | "unselected";
  /** What is created, updated and deleted; only applications have the measurements of statuses and restarts that follow. */
  workload: Workload;
  apps: number;
  members: number;
  /** How often everything is created, updated and deleted; the figures are those of the time in the middle. */
  rounds: number;
  /** The commit to compare with. */
  against: string;
  /** The commit that is compared with it; undefined for this one. */
  of: string | undefined;
  /** Applications of the measurement of the event loop. */
  objects: number;
  /** Objects that no policy selects. */
  unselected: number;
  /** Where the figures go, as JSON. */
  json: string | undefined;
  /** A missed bar is an exit code of 1. */
  strict: boolean;
  /** Folder for a CPU profile of each manager process. */
  cpuProf: string | undefined;
  /** Whether the manager sends its spans to a collector. */
  traces: boolean;
}

const USAGE = `usage: npm run bench -- [--apps 300] [--members 3] [--rounds 3] [--json FILE] [--strict] [--no-traces] [--cpu-prof FOLDER]
       npm run bench -- --workload configmaps|bundles [the same options]
       npm run bench -- --unselected 20000 [--members 3] [--json FILE] [--strict]
       npm run bench -- --against REV [--of REV] [the same options]
       npm run bench -- --decide [--json FILE] [--strict]
       npm run bench -- --event-loop [--objects 10000] [--json FILE] [--strict]`;

/** Throws, with the usage, for what it does not know. */
export function benchOptions(args: string[]): BenchOptions {
  try {
    const { values } = parseArgs({
      args,
      allowNegative: true,
      options: {
        against: { type: "string" },
        of: { type: "string" },
        decide: { type: "boolean", default: false },
        "event-loop": { type: "boolean", default: false },
        workload: { type: "string", default: "applications" },
        unselected: { type: "string" },
        apps: { type: "string", default: "300" },
        members: { type: "string", default: "3" },
        rounds: { type: "string", default: "3" },
        objects: { type: "string", default: "10000" },
        json: { type: "string" },
        strict: { type: "boolean", default: false },
        traces: { type: "boolean", default: true },
        "cpu-prof": { type: "string" },
      },
    });
    return {
      what: wanted(values),
      apps: count("--apps", values.apps),
      members: count("--members", values.members),
      rounds: count("--rounds", values.rounds),
      workload: workloadOf(values),
      unselected: values.unselected === undefined ? 0 : count("--unselected", values.unselected),
      against: values.against ?? "",
      of: values.of,
      objects: count("--objects", values.objects),
      json: values.json,
      strict: values.strict,
      traces: values.traces,
      cpuProf: values["cpu-prof"],
    };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`, { cause: error });
  }
}

function workloadOf(values: { workload: string; against?: string; unselected?: string }): Workload {
  const found = WORKLOADS.find((one) => one === values.workload);
  if (found === undefined) throw new Error(`--workload takes ${WORKLOADS.join(", ")}, not "${values.workload}"`);
  if (found !== "applications" && (values.against ?? values.unselected) !== undefined)
    throw new Error("--against and --unselected have a workload of their own");
  return found;
}

function wanted(values: {
  against?: string;
  of?: string;
  unselected?: string;
  decide: boolean;
  "event-loop": boolean;
}): BenchOptions["what"] {
  const alone = [
    ...(values.against === undefined ? [] : (["against"] as const)),
    ...(values.unselected === undefined ? [] : (["unselected"] as const)),
    ...(values.decide ? (["decide"] as const) : []),
    ...(values["event-loop"] ? (["event-loop"] as const) : []),
  ];
  if (alone.length > 1) throw new Error("--against, --unselected, --decide and --event-loop do not go together");
  if (values.of !== undefined && values.against === undefined)
    throw new Error("--of names the commit that --against compares");
  return alone[0] ?? "all";
}

/** The number that a flag was given. Throws for what is no whole number of at least 1. */
export function count(flag: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new Error(`${flag} takes a whole number of at least 1, not "${text}"`);
  return value;
}
