/**
 * Writes the CRDs of src/apis into the chart, one file each. With `--check` writes nothing, and fails when a file is not
 * what it would write, is missing, or should not be there.
 */
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { stringify } from "yaml";
import { customResourceDefinitions } from "./crds.ts";

const FOLDER = join(import.meta.dirname, "../../charts/meridian/files/crds");
const HEADER = "# Generated from src/apis by `npm run generate`. Do not edit.\n";

/** Lines are not folded: how to fold them is the formatter's business, and it leaves long ones alone. */
function generated(): Map<string, string> {
  return new Map(
    customResourceDefinitions().map((crd) => [
      `${crd.metadata.name}.yaml`,
      HEADER + stringify(crd, { aliasDuplicateObjects: false, lineWidth: 0 }),
    ]),
  );
}

async function present(): Promise<Map<string, string>> {
  if (!existsSync(FOLDER)) return new Map();
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith(".yaml"));
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(FOLDER, name), "utf8")] as const)),
  );
}

function differences(wanted: Map<string, string>, found: Map<string, string>): string[] {
  const changed = [...wanted].filter(([name, text]) => found.get(name) !== text).map(([name]) => name);
  const left = [...found.keys()].filter((name) => !wanted.has(name));
  return [...changed, ...left].sort();
}

async function write(wanted: Map<string, string>, names: readonly string[]): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  for (const name of names) {
    const text = wanted.get(name);
    if (text === undefined) await rm(join(FOLDER, name));
    else await writeFile(join(FOLDER, name), text);
  }
}

const wanted = generated();
const different = differences(wanted, await present());
if (process.argv.includes("--check")) {
  for (const name of different) {
    console.error(
      `${join(relative(process.cwd(), FOLDER), name)} does not say what src/apis says; run \`npm run generate\``,
    );
  }
  process.exitCode = different.length === 0 ? 0 : 1;
} else {
  await write(wanted, different);
  console.log(different.length === 0 ? "CRDs are up to date" : `wrote ${different.join(", ")}`);
}
