import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { Stryker } from "@stryker-mutator/core";
import { type MutationOptions, mutationOptions, type Selection } from "./options.ts";
import { filesOf, type Mutant, percent, type Score, scoreOf, scoreTable, sumOf, survivorLines } from "./report.ts";
import { isSampled } from "./sample.ts";

/**
 * `npm run mutate`: whether the tests notice when the source is changed. Stryker changes one thing after the other (a condition, a string,
 * a call) and runs the tests that come there; a change after which all of them still pass has survived. The exit code is 1 when fewer
 * changes than the threshold are noticed in a room.
 *
 * What was tried once is not tried again until its source or its tests change; `--all` tries everything again, as it is needed when a
 * module was changed that the room imports. `--sample 5` tries five of a hundred changes, drawn by chance, and says how far the score of all may
 * be from theirs.
 */
async function main(args: string[]): Promise<number> {
  const options = mutationOptions(args);
  const scores: Score[] = [];
  for (const selection of options.selections) {
    const started = Date.now();
    const mutants = await mutate(selection, options);
    const { name } = selection.room;
    const score = scoreOf(name, mutants);
    scores.push(score);
    const lines = survivorLines(mutants);
    process.stdout.write(`\n${lines.join("\n")}\n\n${scoreTable([...filesOf(mutants), score])}\n`);
    process.stderr.write(`${name}: ${Math.round((Date.now() - started) / 1000)} s\n`);
  }
  process.stdout.write(
    `\n${scoreTable([...scores, sumOf(scores)], options.sample)}\n\nReports: ${FOLDER}/ROOM.html and ROOM.json\n`,
  );
  return scores.some((score) => percent(score) < options.threshold) ? 1 : 0;
}

/** Everything that a run leaves; git does not see it. */
const FOLDER = "coverage/mutation";

async function mutate({ room, mutate: sources }: Selection, options: MutationOptions): Promise<Mutant[]> {
  await mkdir(FOLDER, { recursive: true });
  // The processes that Stryker starts read it: see vitest.config.ts.
  process.env["MERIDIAN_MUTATION_TESTS"] = JSON.stringify([
    ...room.tests,
    ...(options.integration ? room.integration : []),
  ]);
  const { sample } = options;
  process.env["MERIDIAN_MUTATION_SAMPLE"] = JSON.stringify(sample ?? {});
  const suite = options.integration && room.integration.length > 0 ? `${room.name}.integration` : room.name;
  const report = (kind: string): string => `${FOLDER}/${suite}.${kind}`;
  if (!options.all) await forgetUnlinked(report("incremental.json"));
  const stryker = new Stryker({
    configFile: "test/mutation/stryker.config.js",
    mutate: [
      ...sources,
      "!src/**/*.test.ts",
      "!src/**/testing.ts",
      "!src/**/testing/**",
      "!src/**/testdata/**",
      "!src/apis/generate.ts",
    ],
    concurrency: options.concurrency,
    force: options.all,
    ...(sample === undefined
      ? {}
      : {
          testRunner: "sampled-vitest",
          plugins: ["@stryker-mutator/vitest-runner", "./test/mutation/sampledRunner.ts"],
          incremental: false,
        }),
    incrementalFile: report("incremental.json"),
    htmlReporter: { fileName: report("html") },
    jsonReporter: { fileName: report("json") },
    tempDirName: report("sandbox"),
  });
  try {
    const mutants = await stryker.runMutationTest();
    return sample === undefined ? mutants : mutants.filter(({ id }) => isSampled(sample, id));
  } finally {
    await rm(report("sandbox"), { recursive: true, force: true });
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
