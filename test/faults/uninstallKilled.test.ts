import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Fleet, Plane } from "../envtest/index.ts";
import {
  clear,
  end,
  expectNoTraces,
  type Installation,
  running,
  setUp,
  startFleet,
  Uninstalling,
} from "../e2e/installation.ts";

/** `uninstall` broken off wherever it can be. */

const DRAIN = ["--drain", "--yes"];
const ORPHAN = ["--orphan", "--yes"];

let fleet: Fleet<Plane>;
let installation: Installation | undefined;

beforeAll(async () => {
  fleet = await startFleet();
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
});
afterEach(async ({ task }) => {
  await end(installation, task.result?.state === "fail");
  installation = undefined;
});

test.each([
  { name: "a drain", args: DRAIN },
  { name: "an orphaning", args: ORPHAN },
])(
  "uninstall killed at every step and begun again, $name ends as if nothing had happened",
  { timeout: 600_000 },
  async ({ args }) => {
    installation = await setUp(fleet);
    const { manager } = installation;
    const before = await Promise.all(fleet.members.map(running));
    const seen = new Set<string>();
    let code: number | null = null;
    let stopping: Promise<unknown> | undefined;
    for (let tries = 0; code === null; tries += 1) {
      expect(tries).toBeLessThan(40);
      const run = new Uninstalling(fleet.hub, args);
      run.onLine((line) => {
        const step = line.replaceAll(/\d+/g, "");
        if (seen.has(step)) {
          if (line.startsWith("wait until the manager is stopped")) stopping ??= manager.stop();
          return;
        }
        seen.add(step);
        run.kill();
      });
      code = await run.ended;
    }
    await stopping;
    expect(code).toBe(0);
    expect([...seen].filter((line) => / (removed|removed from .*)$/.test(line)).length).toBeGreaterThan(5);
    expect([...seen].filter((line) => /^(delete|wait|remove) /.test(line)).length).toBeGreaterThan(8);
    if (args === ORPHAN) {
      expect(await Promise.all(fleet.members.map(running))).toEqual(before);
      await clear(fleet.members);
    }
    await expectNoTraces([fleet.hub, ...fleet.members.map(({ plane }) => plane)]);
  },
);
