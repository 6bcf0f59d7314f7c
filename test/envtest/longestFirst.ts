import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Test files on real control planes that take a minute and more, about the longest first. Vitest knows no times on a fresh clone and goes by
 * the size of a file; a long file that begins last then runs alone, and a core is idle. The releases and upgrades of hundreds of objects keep
 * both cores busy: they begin one after the other, and resilience, which promises a successor within 3 s, comes after them.
 */
const FIRST: readonly string[] = [
  "test/e2e/uninstall.test.ts",
  "test/chart/twoReleases.test.ts",
  "test/pages/ownFleet.test.ts",
  "test/chart/upgrade.test.ts",
  "test/e2e/timeTravel.test.ts",
  "test/e2e/webhooks.test.ts",
  "test/e2e/tenants.test.ts",
  "test/e2e/resilience.test.ts",
  "test/e2e/leave.test.ts",
  "test/e2e/sentFields.test.ts",
  "test/chart/apiServer.test.ts",
  "test/e2e/safety.test.ts",
  "test/e2e/cli.test.ts",
  "test/chart/install.test.ts",
  "test/e2e/rollout.test.ts",
  "test/pages/quickstart.test.ts",
  "test/pages/helm.test.ts",
  "test/e2e/moves.test.ts",
  "test/e2e/operatorLeaves.test.ts",
  "test/e2e/bounds.test.ts",
];

/** Runs the longest test files first, whatever their project; all others as vitest does. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const missing = FIRST.filter((path) => !existsSync(join(root, path)));
    if (missing.length > 0) throw new Error(`test/envtest/longestFirst.ts names what is not there: ${missing.join()}`);
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = FIRST.indexOf(relative(root, moduleId));
      return place < 0 ? FIRST.length : place;
    };
    const group = ({ project }: TestSpecification): number => project.config.sequence.groupOrder;
    return (await super.sort(files)).toSorted((a, b) => group(a) - group(b) || rank(a) - rank(b));
  }
}
