import { parseArgs } from "node:util";

export interface BenchOptions {
  apps: number;
  members: number;
  /** How often everything is created, updated and deleted; the figures are those of the time in the middle. */
  rounds: number;
  /** The commit to compare with in turns; undefined for the floors. */
  against: string | undefined;
  /** The commit that is compared with it; undefined for this one. */
  of: string | undefined;
  /** Where the figures go, as JSON. */
  json: string | undefined;
  /** A missed bar is an exit code of 1. */
  strict: boolean;
  /** Folder for a CPU profile of each manager process. */
  cpuProf: string | undefined;
  /** Number of objects for the figures of the event loop, which then are all that is measured. */
  eventLoop: number | undefined;
  /** Compares numbers of reconcilers, and measures nothing else. */
  workers: boolean;
  /** Measures what readers of the query API cost and see, and nothing else. */
  readers: boolean;
  /** Number of placed objects for the figures of queries, which then are all that is measured. */
  query: number | undefined;
  /** Whether the manager sends its spans to a collector. */
  traces: boolean;
  /** Whether two programs are also compared by changes of status, which take most of a turn. */
  status: boolean;
}

const USAGE = `usage: npm run bench -- [--apps 300] [--members 3] [--rounds 3] [--json FILE] [--strict] [--no-traces] [--cpu-prof FOLDER]
       npm run bench -- --against REV [--of REV] [--no-status] [the same options]
       npm run bench -- --event-loop 10000 [--json FILE]
       npm run bench -- --query [--placed 1000000] [--json FILE] [--strict]
       npm run bench -- --readers [--apps 300] [--members 3] [--rounds 3] [--json FILE] [--strict]
       npm run bench -- --workers [--members 3] [--rounds 3] [--json FILE]`;

/** Throws, with the usage, for what it does not know. */
export function benchOptions(args: string[]): BenchOptions {
  try {
    const { values } = parseArgs({
      args,
      allowNegative: true,
      options: {
        against: { type: "string" },
        of: { type: "string" },
        "event-loop": { type: "string" },
        query: { type: "boolean", default: false },
        readers: { type: "boolean", default: false },
        placed: { type: "string", default: "1000000" },
        apps: { type: "string", default: "300" },
        members: { type: "string", default: "3" },
        rounds: { type: "string", default: "3" },
        json: { type: "string" },
        strict: { type: "boolean", default: false },
        workers: { type: "boolean", default: false },
        traces: { type: "boolean", default: true },
        status: { type: "boolean", default: true },
        "cpu-prof": { type: "string" },
      },
    });
    if (values.of !== undefined && values.against === undefined)
      throw new Error("--of names the commit that --against compares");
    if (!values.status && values.against === undefined)
      throw new Error("--no-status leaves something out of a comparison, which needs --against");
    return {
      apps: count("--apps", values.apps),
      members: count("--members", values.members),
      rounds: count("--rounds", values.rounds),
      against: values.against,
      of: values.of,
      json: values.json,
      strict: values.strict,
      eventLoop: values["event-loop"] === undefined ? undefined : count("--event-loop", values["event-loop"]),
      workers: values.workers,
      readers: values.readers,
      query: values.query ? count("--placed", values.placed) : undefined,
      traces: values.traces,
      status: values.status,
      cpuProf: values["cpu-prof"],
    };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`, { cause: error });
  }
}

/** The number that a flag was given. Throws for what is no whole number of at least 1. */
export function count(flag: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new Error(`${flag} takes a whole number of at least 1, not "${text}"`);
  return value;
}
