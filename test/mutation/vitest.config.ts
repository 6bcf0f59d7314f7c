import { defineConfig } from "vitest/config";
import type { Vitest } from "vitest/node";
import { warmThreads } from "./warmThreads.ts";

/** The tests of one room, for Stryker. One thread runs all the files that a change concerns. */
export default defineConfig({
  plugins: [
    {
      name: "meridian:warm-threads",
      // Stryker's runner names a pool of its own, which overrides the one of a configuration.
      configureVitest: ({ project, vitest }) => {
        cancelOnce(vitest);
        project.config.pool = warmThreads.name as typeof project.config.pool;
        project.config.poolRunner = warmThreads;
      },
    },
  ],
  test: {
    include: JSON.parse(process.env["MERIDIAN_MUTATION_TESTS"] ?? "[]") as string[],
    exclude: [
      // They read sources as texts, and those that Stryker makes hold every change at once.
      "src/apis/schema/patterns.test.ts",
      "src/apis/reasons/reasons.test.ts",
    ],
    setupFiles: ["test/mutation/fresh.ts"],
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

/**
 * The first test that fails ends a run, and waits for what the thread still has to tell. When another one failed meanwhile, vitest would take that for
 * impatience, and leave the thread in the middle of its work: the failures were lost, and the change counted as one that nobody noticed.
 */
function cancelOnce(vitest: Vitest): void {
  const cancel = vitest.cancelCurrentRun.bind(vitest);
  let ending: Promise<void> | undefined;
  vitest.cancelCurrentRun = (reason) => (ending ??= cancel(reason).finally(() => (ending = undefined)));
}
