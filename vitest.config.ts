import { defineConfig } from "vitest/config";

/** Unit tests stand beside their source; the rest of the suites have a folder each. */
export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["src/**/*.test.ts"] } },
      { test: { name: "integration", include: ["test/integration/**/*.test.ts"], testTimeout: 30_000 } },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          globalSetup: ["test/envtest/globalSetup.ts"],
          testTimeout: 180_000,
          hookTimeout: 900_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
