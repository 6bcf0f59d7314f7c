import { writeFile } from "node:fs/promises";
import { MERIDIAN } from "../envtest/index.ts";
import { Bench } from "./bench.ts";
import { compare } from "./comparison.ts";
import { comparisonTable, isWorse } from "./comparisonReport.ts";
import { type BenchOptions, benchOptions } from "./options.ts";
import { measureEventLoop } from "./eventloop/measure.ts";
import { isMissed, linesOf, requestTable, table } from "./report.ts";
import type { Requests } from "./requests.ts";
import { buildRevision } from "./revision.ts";
import { measureQueries } from "./query/measure.ts";
import { isQueryMissed, queryText } from "./query/table.ts";
import { measureReaders } from "./readers/measure.ts";
import { isReadersMissed, readersText } from "./readers/table.ts";
import { Stage } from "./stage.ts";
import { measureWorkers } from "./workers/measure.ts";
import { workersText } from "./workers/table.ts";

/**
 * `npm run bench`: how fast Meridian is. Every bar is against something measured in the same run, so that the machine does not matter: a
 * bare loop that sends the same writes (create, update, delete), a bare relay (the rate of status changes), or with `--against` another
 * commit. What is lower is better, and a ratio of 1 is as good as what it is compared with. The bars are reported; only with `--strict` a
 * miss is an exit code of 1. Figures of a machine that does something else say little: the load is in the JSON, and said at each phase.
 *
 * - default: floors before and after each round; of all rounds the one in the middle counts.
 * - `--workers`: fixed counts of workers and the adaptive count in four situations, and after a kill.
 * - `--readers`: what 100 readers of the query API cost the status, and how soon one reader sees a change, with a silent member too.
 * - `--query`: answers about a million placed objects, each beside the same answer from a plain sorted array.
 * - `--against REV`: this commit and that one in turns, after one that does not count; the ratio is the mean of all pairs, so
 *   take an even number of rounds. `here` is this one, or with `--of REV` that one: so what one change cost is told apart from what came later.
 */
async function main(args: string[]): Promise<number> {
  const options = benchOptions(args);
  const { missed, figures } = await measure(options);
  if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(figures, undefined, 2)}\n`);
  return options.strict && missed ? 1 : 0;
}

/** Longest time for which the manager may hold its event loop, in milliseconds of its own processor time. */
const MOST_HELD_MS = 50;

interface Outcome {
  missed: boolean;
  /** For the JSON. */
  figures: unknown;
}

async function measure(options: BenchOptions): Promise<Outcome> {
  if (options.eventLoop !== undefined) {
    const figures = await measureEventLoop(options.eventLoop, say);
    process.stdout.write(`${JSON.stringify(figures, undefined, 2)}\n`);
    return { figures, missed: Math.max(figures.start.longestCpuMs, figures.overrideEdit.longestCpuMs) > MOST_HELD_MS };
  }
  if (options.query !== undefined) {
    const figures = await measureQueries(options.query, say);
    process.stdout.write(`${queryText(figures)}\n`);
    return { figures, missed: isQueryMissed(figures) };
  }
  if (options.readers) {
    const figures = await onStage(options, (stage) => measureReaders(options, stage));
    process.stdout.write(`${readersText(figures)}\n`);
    return { figures, missed: isReadersMissed(figures) };
  }
  if (options.workers) {
    const figures = await measureWorkers(options, say);
    process.stdout.write(`${workersText(figures)}\n`);
    return { figures, missed: false };
  }
  if (options.against !== undefined) {
    say(`building ${[options.against, options.of ?? []].flat().join(" and ")}`);
    await using there = await buildRevision(options.against);
    await using built = options.of === undefined ? undefined : await buildRevision(options.of);
    const here = built ?? { title: "this one", program: MERIDIAN };
    const figures = await onStage(options, (stage) => compare(options, stage, here, there));
    process.stdout.write(`${comparisonTable(figures)}\n`);
    return { figures, missed: isWorse(figures) };
  }
  const figures = await onStage(options, (stage) => new Bench(options, stage).run());
  printRequests(figures.requests, options.apps);
  const lines = linesOf(figures);
  process.stdout.write(`${options.apps} applications on ${options.members} members\n${table(lines)}\n`);
  return { figures, missed: lines.some(isMissed) };
}

/** Real control planes; shows the manager's last words when the work breaks off. */
async function onStage<T>(options: BenchOptions, work: (stage: Stage) => Promise<T>): Promise<T> {
  await using stage = await Stage.start(options, say);
  try {
    return await work(stage);
  } catch (error) {
    process.stderr.write(`--- manager\n${await stage.explain()}\n`);
    throw error;
  }
}

function printRequests(requests: Record<string, Requests>, apps: number): void {
  for (const phase of ["create", "update", "delete"] as const) {
    const found = requests[phase];
    if (found !== undefined) process.stdout.write(`${requestTable(phase, found, apps)}\n\n`);
  }
}

function say(text: string): void {
  process.stderr.write(`bench: ${text}\n`);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 2;
}
