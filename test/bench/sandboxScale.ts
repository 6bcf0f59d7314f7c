import { writeFile } from "node:fs/promises";
import { isMissed, type Line, table } from "./report.ts";
import { scaleOptions } from "./scale/options.ts";
import { measure, type ScaleFigures } from "./scale/run.ts";

/**
 * `npm run bench:sandbox`: how many member clusters of the sandbox one process carries, together with the hub and Meridian's manager.
 * The bars are reported; only with `--strict` a miss is an exit code of 1.
 */
async function main(args: string[]): Promise<number> {
  const options = scaleOptions(args);
  const figures = await measure(options, (text) => process.stderr.write(`bench: ${text}\n`));
  const lines = linesOf(figures);
  process.stdout.write(`${options.apps} applications on ${options.members} members in one process\n${table(lines)}\n`);
  if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(figures, undefined, 2)}\n`);
  return options.strict && lines.some(isMissed) ? 1 : 0;
}

/** Times count from the start of the process. */
function linesOf({ serving, joined, ready, convergence, available, settled, idle, ...rest }: ScaleFigures): Line[] {
  return [
    { what: "all clusters serve", value: serving.sinceStart, unit: "s" },
    { what: "all members have joined", value: joined.sinceStart, unit: "s" },
    { what: "all members are ready", value: ready.sinceStart, unit: "s", bar: 60 },
    { what: "memory then", value: ready.rssMiB, unit: "MiB" },
    { what: "CPU until then", value: ready.cpuSeconds, unit: "s" },
    {
      what: "all applications available everywhere, since the first was created",
      value: convergence.seconds,
      unit: "s",
    },
    { what: "memory then", value: available.rssMiB, unit: "MiB" },
    { what: "CPU for that", value: available.cpuSeconds - ready.cpuSeconds, unit: "s" },
    { what: "objects in all clusters", value: rest.objects, unit: "" },
    { what: "memory at the peak", value: rest.peakRssMiB, unit: "MiB" },
    { what: "memory at the end", value: settled.rssMiB, unit: "MiB" },
    { what: `writes in ${idle.seconds} idle seconds, leases apart`, value: idle.writes, unit: "", bar: 0 },
    { what: `CPU in ${idle.seconds} idle seconds`, value: idle.cpuSeconds, unit: "s" },
  ];
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 2;
}
