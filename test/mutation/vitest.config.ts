import { defineConfig } from "vitest/config";
import { warmThreads } from "./warmThreads.ts";

/** The tests of one room, for Stryker. One thread runs all the files that a change concerns. */
export default defineConfig({
  plugins: [
    {
      name: "meridian:warm-threads",
      // Stryker's runner names a pool of its own, which overrides the one of a configuration.
      configureVitest: ({ project }) => {
        project.config.pool = warmThreads.name as typeof project.config.pool;
        project.config.poolRunner = warmThreads;
      },
    },
  ],
  test: {
    include: JSON.parse(process.env["MERIDIAN_MUTATION_TESTS"] ?? "[]") as string[],
    exclude: [
      // They read sources as texts, and those that Stryker makes hold every change at once.
      "src/apis/patterns.test.ts",
      "src/apis/reasons.test.ts",
    ],
    setupFiles: ["test/mutation/fresh.ts"],
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
