import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { Stryker } from "@stryker-mutator/core";
import { type MutationOptions, mutationOptions, type Selection } from "./options.ts";
import { filesOf, isSurvivor, type Mutant, percent, scoreOf, scoreTable, sumOf, survivorLines } from "./report.ts";
import { TOGETHER } from "./rooms.ts";
import { isSampled, nameOf, pathOf, type Selected } from "./sample.ts";

/**
 * `npm run mutate`: whether the tests notice when the source is changed. Stryker changes one thing after the other (a condition, a string,
 * a call) and runs the tests that come there; a change after which all of them still pass has survived. The exit code is 1 when fewer
 * changes than the threshold are noticed in a room.
 *
 * What was tried once is not tried again until its source or its tests change; `--all` tries everything again, as it is needed when a
 * module was changed that the room imports. `--sample 5` tries five of a hundred changes, drawn by chance, and says how far the score of all may
 * be from theirs. `--integration` tries what survived in its room once more, with the tests of the rooms together.
 */
async function main(args: string[]): Promise<number> {
  const options = mutationOptions(args);
  const found = new Map<string, Mutant[]>();
  for (const selection of options.selections) {
    const mutants = await mutateRoom(selection, options);
    found.set(selection.room.name, mutants);
    print(selection.room.name, mutants);
  }
  if (options.integration) {
    const noticed = await noticedTogether([...found.values()].flat().filter(isSurvivor), options);
    for (const [name, mutants] of found) {
      const all = mutants.map((mutant) =>
        noticed.has(nameOf(mutant, 1)) ? ({ ...mutant, status: "Killed" } as Mutant) : mutant,
      );
      found.set(name, all);
      print(`${name}, with the tests of the rooms together`, all);
    }
  }
  const scores = [...found].map(([name, mutants]) => scoreOf(name, mutants));
  process.stdout.write(
    `\n${scoreTable([...scores, sumOf(scores)], options.sample)}\n\nReports: ${FOLDER}/ROOM.html and ROOM.json\n`,
  );
  return scores.some((score) => percent(score) < options.threshold) ? 1 : 0;
}

/** What survived in a room, and the scores of its files. */
function print(title: string, mutants: readonly Mutant[]): void {
  const table = scoreTable([...filesOf(mutants), scoreOf(title, mutants)]);
  process.stdout.write(`\n${survivorLines(mutants).join("\n")}\n\n${table}\n`);
}

/** Everything that a run leaves; git does not see it. */
const FOLDER = "coverage/mutation";

/** The changes of a room, tried with its own tests. */
async function mutateRoom({ room, mutate }: Selection, options: MutationOptions): Promise<Mutant[]> {
  const { sample } = options;
  if (!options.all) await forgetUnlinked(report(room.name, "incremental.json"));
  const mutants = await run(
    { name: room.name, tests: room.tests, mutate, selected: sample === undefined ? undefined : { sample } },
    options,
  );
  return sample === undefined ? mutants : mutants.filter(({ id }) => isSampled(sample, id));
}

/** Names of those changes that are noticed where the rooms are at work together. */
async function noticedTogether(survivors: readonly Mutant[], options: MutationOptions): Promise<Set<string>> {
  if (survivors.length === 0) return new Set();
  const only = survivors.map((mutant) => nameOf(mutant, 1));
  const lines = survivors.map(
    ({ fileName, location }) => `${pathOf(fileName)}:${location.start.line}-${location.end.line}`,
  );
  const tried = await run(
    { name: "together", tests: TOGETHER, mutate: [...new Set(lines)], selected: { only } },
    options,
  );
  const wanted = new Set(only);
  return new Set(
    tried
      .filter((mutant) => !isSurvivor(mutant))
      .map((mutant) => nameOf(mutant, 1))
      .filter((name) => wanted.has(name)),
  );
}

interface Run {
  name: string;
  /** Globs. */
  tests: readonly string[];
  /** Globs of sources, or parts of them as `FILE:FIRST-LAST`. */
  mutate: readonly string[];
  /** Without it all changes, but those that an earlier run has the answer for. */
  selected: Selected | undefined;
}

const report = (name: string, kind: string): string => `${FOLDER}/${name}.${kind}`;

async function run({ name, tests, mutate, selected }: Run, options: MutationOptions): Promise<Mutant[]> {
  const started = Date.now();
  await mkdir(FOLDER, { recursive: true });
  // The processes that Stryker starts read both: see vitest.config.ts and sampledRunner.ts.
  process.env["MERIDIAN_MUTATION_TESTS"] = JSON.stringify(tests);
  process.env["MERIDIAN_MUTATION_SELECTED"] = JSON.stringify(selected ?? {});
  const stryker = new Stryker({
    configFile: "test/mutation/stryker.config.js",
    mutate: [
      ...mutate,
      "!src/**/*.test.ts",
      "!src/**/testing.ts",
      "!src/**/testing/**",
      "!src/**/testdata/**",
      "!src/apis/reference/generate.ts",
    ],
    concurrency: options.concurrency,
    force: options.all,
    ...(selected === undefined
      ? {}
      : {
          testRunner: "sampled-vitest",
          plugins: ["@stryker-mutator/vitest-runner", "./test/mutation/sampledRunner.ts"],
          incremental: false,
        }),
    incrementalFile: report(name, "incremental.json"),
    htmlReporter: { fileName: report(name, "html") },
    jsonReporter: { fileName: report(name, "json") },
    tempDirName: report(name, "sandbox"),
  });
  try {
    return await stryker.runMutationTest();
  } finally {
    await rm(report(name, "sandbox"), { recursive: true, force: true });
    process.stderr.write(`${name}: ${Math.round((Date.now() - started) / 1000)} s\n`);
  }
}

interface Earlier {
  files: Record<string, { mutants: { status: string; static?: boolean }[] }>;
}

/**
 * Takes out of the results of an earlier run what no test made survive: of a change that is in force while modules are loaded, Stryker does not
 * know which tests come there, and would never try it again, whatever tests have been added since.
 */
async function forgetUnlinked(path: string): Promise<void> {
  if (!existsSync(path)) return;
  const earlier = JSON.parse(await readFile(path, "utf8")) as Earlier;
  for (const file of Object.values(earlier.files)) {
    file.mutants = file.mutants.filter((mutant) => !(mutant.static === true && mutant.status === "Survived"));
  }
  await writeFile(path, JSON.stringify(earlier));
}

process.exitCode = await main(process.argv.slice(2));
