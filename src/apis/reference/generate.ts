/**
 * Writes the CRDs into the chart and the tables of conditions, states and reasons into the reference. `--check` writes
 * nothing, and fails when a file differs, is missing, or should not exist.
 */
import { existsSync } from "node:fs";
import { printYaml } from "../yaml/index.ts";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { customResourceDefinitions } from "../served/index.ts";
import { withStatusTables } from "./referenceTables.ts";

const ROOT = join(import.meta.dirname, "../../..");
const CRD_FOLDER = join(ROOT, "charts/meridian/files/crds");
const REFERENCE = join(ROOT, "placements/REFERENCE.md");
const HEADER = "# Generated from src/apis by `npm run generate`. Do not edit.\n";

/** Text of a file by its path; undefined for a file to delete. */
type Files = Map<string, string | undefined>;

/** Lines are not folded, since the formatter leaves long lines alone. */
function crds(): Files {
  return new Map(
    customResourceDefinitions().map((crd) => [join(CRD_FOLDER, `${crd.metadata.name}.yaml`), HEADER + printYaml(crd)]),
  );
}

async function generated(): Promise<Files> {
  const wanted = crds();
  const names = existsSync(CRD_FOLDER) ? await readdir(CRD_FOLDER) : [];
  for (const path of names.filter((name) => name.endsWith(".yaml")).map((name) => join(CRD_FOLDER, name))) {
    if (!wanted.has(path)) wanted.set(path, undefined);
  }
  return wanted.set(REFERENCE, withStatusTables(await readFile(REFERENCE, "utf8")));
}

async function differing(wanted: Files): Promise<[path: string, text: string | undefined][]> {
  const differs = await Promise.all(
    [...wanted].map(async ([path, text]) => !existsSync(path) || (await readFile(path, "utf8")) !== text),
  );
  return [...wanted].filter((_, index) => differs[index]);
}

const different = await differing(await generated());
if (process.argv.includes("--check")) {
  for (const [path] of different) {
    console.error(`${relative(process.cwd(), path)} does not say what src/apis says; run \`npm run generate\``);
  }
  process.exitCode = different.length === 0 ? 0 : 1;
} else {
  for (const [path, text] of different) {
    await mkdir(dirname(path), { recursive: true });
    if (text === undefined) await rm(path);
    else await writeFile(path, text);
  }
  const names = different.map(([path]) => relative(ROOT, path)).join(", ");
  console.log(different.length === 0 ? "CRDs and the reference of statuses are up to date" : `wrote ${names}`);
}
