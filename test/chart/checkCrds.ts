/**
 * Compares the CRDs of the chart with those of an earlier commit (`--since REF`; default: the newest release, see previousCommit.ts) and fails when somebody could be
 * broken by the change. A change is let through when the section Unreleased of CHANGELOG.md quotes its line in backticks.
 */
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { parse } from "yaml";
import type { KubeObject } from "../../src/apis/index.ts";
import { breakingChanges } from "./crdCompatibility.ts";
import { previousCommit } from "./previousCommit.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = "charts/meridian/files/crds";

async function git(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)("git", args, { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

async function crdsAt(ref: string): Promise<Map<string, KubeObject>> {
  const files = (await git("ls-tree", "--name-only", `${ref}:${FOLDER}`)).split("\n").filter((name) => name !== "");
  const texts = await Promise.all(files.map((name) => git("show", `${ref}:${FOLDER}/${name}`)));
  return byName(texts);
}

async function crdsNow(): Promise<Map<string, KubeObject>> {
  const files = await readdir(join(ROOT, FOLDER));
  return byName(await Promise.all(files.map((name) => readFile(join(ROOT, FOLDER, name), "utf8"))));
}

function byName(texts: string[]): Map<string, KubeObject> {
  return new Map(texts.map((text) => parse(text) as KubeObject).map((crd) => [crd.metadata.name, crd]));
}

const { values } = parseArgs({ options: { since: { type: "string" } } });
const since = values.since ?? (await previousCommit());
const unreleased =
  /^## \[?Unreleased\]?[\s\S]*?(?=^## |(?![\s\S]))/m.exec(await readFile(join(ROOT, "CHANGELOG.md"), "utf8"))?.[0] ??
  "";
const now = await crdsNow();
const changes = [...(await crdsAt(since))].flatMap(([name, before]) => {
  const after = now.get(name);
  return after === undefined ? [`${name}: is gone`] : breakingChanges(before, after);
});
const refused = changes.filter((change) => !unreleased.includes(`\`${change}\``));
for (const change of refused) console.error(`breaks whoever relies on ${since}: ${change}`);
if (refused.length > 0) {
  console.error("Keep what was there, or say in CHANGELOG.md under Unreleased, in backticks, that it breaks.");
  process.exitCode = 1;
} else
  console.log(
    `compatible with ${since}${changes.length === 0 ? "" : `, but for ${changes.length} changes that CHANGELOG.md tells of`}`,
  );
