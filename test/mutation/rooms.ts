/** The rooms of `src` that decide or act, and the tests that are to notice a change there. */
export interface Room {
  name: string;
  /** Globs of unit tests. Those beside the source: what a room promises is tested in the room. */
  tests: readonly string[];
}

export const ROOMS: readonly Room[] = [
  "apis",
  "interpreter",
  "scheduler",
  "override",
  "desiredstate",
  "rollout",
  "status",
  "hub",
  "clusters",
  "controllers",
].map((name) => ({ name, tests: [`src/${name}/**/*.test.ts`] }));

/**
 * Globs of the tests that show the rooms at work together: those of the rooms that call other rooms, and the integration tests.
 */
export const TOGETHER: readonly string[] = [
  ...["desiredstate", "hub", "clusters", "controllers", "webhooks", "cmd"].map((name) => `src/${name}/**/*.test.ts`),
  "test/integration/federation/**/*.test.ts",
  "test/integration/members/**/*.test.ts",
  "test/integration/worker.test.ts",
  "test/integration/bundles.test.ts",
];
