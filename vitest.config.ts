import { defineConfig } from "vitest/config";

/** Properties are to be tried more often than they say. */
const MORE_RUNS = process.env["MERIDIAN_PROPERTY_RUNS"] !== undefined;

/**
 * Programs in Go that tests start collect garbage at twice their heap instead of once: an API server through two installs and uninstalls needs
 * 10.4 to 12.5 s of processor time instead of 13.3 to 13.8 s. Above the limit they collect as ever, so that many of them fit into memory.
 */
const FEWER_COLLECTIONS = { GOGC: "200", GOMEMLIMIT: "500MiB" };

/**
 * Unit tests stand beside their source; the rest of the suites have a folder each. Time limits are for what hangs: they are no claim of
 * speed, and leave a busy machine ten times what a quiet one needs.
 *
 * Files on real control planes mostly wait for their own servers, so two or three of them share two cores. Each has clusters of its own. The files of
 * `npm test` need a core each; left to itself, vitest leaves one core of two idle.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts"],
          maxWorkers: "100%",
          // Modules are loaded once for all files: a file therefore replaces no module, and undoes what it changes.
          isolate: false,
          // It loads fast-check, which most of the files do without.
          setupFiles: MORE_RUNS ? ["test/propertyRuns.ts"] : [],
          testTimeout: MORE_RUNS ? 600_000 : 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        // One start of the sandbox for all files.
        test: {
          name: "integration",
          include: ["test/integration/**/*.test.ts", "test/plays/**/*.test.ts"],
          maxWorkers: "100%",
          isolate: false,
          testTimeout: 60_000,
        },
      },
      {
        // The federation once more, with every message between planner and members as bytes of JSON: `npm run test:bytes`.
        test: {
          name: "bytes",
          env: { MERIDIAN_PORTS: "bytes" },
          include: ["test/integration/federation/**/*.test.ts", "test/plays/**/*.test.ts"],
          maxWorkers: "100%",
          isolate: false,
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: "e2e",
          provide: { clusters: "real" },
          env: FEWER_COLLECTIONS,
          include: ["test/e2e/**/*.test.ts"],
          globalSetup: ["test/envtest/globalSetup.ts"],
          testTimeout: 180_000,
          hookTimeout: 900_000,
          maxWorkers: 3,
          // Projects that run together have as many workers, or an order.
          sequence: { groupOrder: 3 },
        },
      },
      {
        // Faults in long rows: a manager killed at twenty points, say. Takes minutes, so that it is asked for by name: `npm run faults`.
        test: {
          name: "faults",
          provide: { clusters: "real" },
          include: ["test/faults/**/*.test.ts"],
          globalSetup: ["test/envtest/globalSetup.ts"],
          testTimeout: 900_000,
          hookTimeout: 900_000,
          maxWorkers: 1,
        },
      },
      {
        // The tests of the whole program once more, on clusters of the sandbox.
        test: {
          name: "sandbox",
          provide: { clusters: "sandbox" },
          globalSetup: ["test/envtest/programSetup.ts"],
          include: ["apis", "badKinds", "federation", "ownership", "regions12"].map(
            (name) => `test/e2e/${name}.test.ts`,
          ),
          maxWorkers: "100%",
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        // The tests of the whole program once more, with a manager that has the rights of the chart and no others…
        test: {
          name: "rbac",
          provide: { clusters: "real" },
          env: { MERIDIAN_E2E_RBAC: "chart", ...FEWER_COLLECTIONS },
          include: ["badInput", "cli", "failover", "federation", "ownership", "resilience", "rollout", "safety"].map(
            (name) => `test/e2e/${name}.test.ts`,
          ),
          globalSetup: ["test/envtest/rightsSetup.ts"],
          sequence: { groupOrder: 1 },
          testTimeout: 180_000,
          hookTimeout: 900_000,
          maxWorkers: 2,
        },
      },
      {
        // …and then what was asked for in them.
        test: { name: "rights", include: ["test/chart/e2eRights.test.ts"], sequence: { groupOrder: 2 } },
      },
      {
        test: {
          name: "chart",
          provide: { clusters: "real" },
          env: FEWER_COLLECTIONS,
          include: ["test/chart/**/*.test.ts"],
          exclude: ["test/chart/e2eRights.test.ts"],
          globalSetup: ["test/envtest/globalSetup.ts"],
          testTimeout: 180_000,
          hookTimeout: 900_000,
          maxWorkers: 2,
        },
      },
      {
        // Alerts and dashboards by promtool, and on a real Prometheus: `npm run alerts` builds both where they are missing.
        test: {
          name: "alerts",
          provide: { clusters: "sandbox" },
          include: ["test/alerts/**/*.test.ts"],
          globalSetup: ["test/envtest/programSetup.ts"],
          testTimeout: 600_000,
          hookTimeout: 180_000,
        },
      },
      {
        // The commands of the pages, typed as they stand there: on the quickstart's clusters, and on real control planes.
        test: {
          name: "pages",
          provide: { clusters: "real" },
          env: FEWER_COLLECTIONS,
          include: ["test/pages/**/*.test.ts"],
          globalSetup: ["test/envtest/globalSetup.ts"],
          testTimeout: 180_000,
          hookTimeout: 900_000,
          maxWorkers: 2,
        },
      },
      {
        // The page of the dashboard in a real browser: `npm run dashboard`, with Chromium at CHROMIUM or in the PATH.
        test: {
          name: "dashboard",
          include: ["test/dashboard/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        // The image, really built and run. Takes minutes and what can build one, so that it is asked for by name: `npm run image:test`.
        test: {
          name: "image",
          include: ["test/image/**/*.test.ts"],
          globalSetup: ["test/envtest/globalSetup.ts"],
          provide: { clusters: "real" },
          testTimeout: 180_000,
          hookTimeout: 900_000,
        },
      },
      {
        test: {
          name: "conformance",
          include: ["test/conformance/**/*.test.ts"],
          globalSetup: ["test/conformance/framework/globalSetup.ts"],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          maxConcurrency: 10,
          maxWorkers: 2,
        },
      },
    ],
  },
});
