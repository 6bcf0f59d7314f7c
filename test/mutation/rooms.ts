/** The rooms of `src` whose tests are tried, and by which tests. Time to learn of a change counts: a room is judged by tests that stand close to it. */
export interface Room {
  name: string;
  /** Globs of test files. */
  tests: readonly string[];
}

const beside = (...names: string[]): string[] => names.map((name) => `src/${name}/**/*.test.ts`);

export const ROOMS: readonly Room[] = [
  { name: "apis", tests: beside("apis") },
  { name: "interpreter", tests: beside("interpreter") },
  { name: "scheduler", tests: beside("scheduler") },
  { name: "override", tests: beside("override") },
  { name: "desiredstate", tests: beside("desiredstate") },
  { name: "status", tests: beside("status") },
  { name: "hub", tests: beside("hub") },
  { name: "clusters", tests: beside("clusters") },
  { name: "controllers", tests: beside("controllers") },
];
