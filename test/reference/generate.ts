/**
 * Writes the tables of charts/meridian/REFERENCE.md that come from the program: commands, exit codes, metrics. With `--check` it writes nothing,
 * and fails when the page does not say what the program says.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withBlocks } from "../../src/apis/reference/index.ts";
import { commandsText } from "./commands.ts";
import { exitCodesTable, metricsTable } from "./tables.ts";

const PAGE = join(import.meta.dirname, "../../charts/meridian/REFERENCE.md");

const present = await readFile(PAGE, "utf8");
const wanted = withBlocks(present, {
  commands: commandsText(),
  "exit codes": exitCodesTable(),
  metrics: metricsTable(),
});

if (wanted !== present && process.argv.includes("--check")) {
  console.error("charts/meridian/REFERENCE.md does not say what the program says; run `npm run generate`");
  process.exitCode = 1;
} else if (wanted !== present) {
  await writeFile(PAGE, wanted);
  console.log("wrote charts/meridian/REFERENCE.md");
}
