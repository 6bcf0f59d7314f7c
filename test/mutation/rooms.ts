/** The rooms of `src` that decide or act, and the tests that are to notice a change there. */
export interface Room {
  name: string;
  /** Globs of unit tests. Those beside the source: what a room promises is tested in the room. */
  tests: readonly string[];
  /** Globs of integration tests that come there too. */
  integration: readonly string[];
}

const pure = (name: string): Room => ({ name, tests: [`src/${name}/**/*.test.ts`], integration: [] });

const acting = (name: string): Room => ({
  ...pure(name),
  integration: ["test/integration/federation/**/*.test.ts", "test/integration/members/**/*.test.ts"],
});

export const ROOMS: readonly Room[] = [
  pure("apis"),
  pure("interpreter"),
  pure("scheduler"),
  pure("override"),
  pure("desiredstate"),
  pure("rollout"),
  pure("status"),
  acting("hub"),
  acting("clusters"),
  acting("controllers"),
];
