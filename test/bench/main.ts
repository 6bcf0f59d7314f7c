import { writeFile } from "node:fs/promises";
import { Bench } from "./bench.ts";
import { benchOptions } from "./options.ts";
import { isMissed, linesOf, requestTable, table } from "./report.ts";

/**
 * `npm run bench`: how fast Meridian is on real control planes, beside a bare loop that sends the same requests. The bars are reported;
 * only with `--strict` a miss is an exit code of 1.
 */
async function main(args: string[]): Promise<number> {
  const options = benchOptions(args);
  await using bench = await Bench.start(options, (text) => process.stderr.write(`bench: ${text}\n`));
  let figures;
  try {
    figures = await bench.run();
  } catch (error) {
    process.stderr.write(`--- manager\n${await bench.explain()}\n`);
    throw error;
  }
  for (const phase of ["create", "update"] as const) {
    const requests = figures.requests[phase];
    if (requests !== undefined) process.stdout.write(`${requestTable(phase, requests, options.apps)}\n\n`);
  }
  const lines = linesOf(figures);
  process.stdout.write(`${options.apps} applications on ${options.members} members\n${table(lines)}\n`);
  if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(figures, undefined, 2)}\n`);
  return options.strict && lines.some(isMissed) ? 1 : 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 2;
}
