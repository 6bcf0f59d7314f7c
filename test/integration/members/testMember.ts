import { onTestFinished } from "vitest";
import { FakeClock } from "../../../src/runtime/testing/fakeClock.ts";
import type { InProcessClient } from "../federation/inProcessClient.ts";
import { TestCluster, untilQuiet } from "../federation/testCluster.ts";

const STEP_MS = 50;

/** A cluster of the sandbox with its controllers, one connection to it, and the clock of whoever works through that connection. */
export interface TestMember {
  server: TestCluster;
  client: InProcessClient;
  clock: FakeClock;
  /** Another connection of Meridian's, for what was written before. */
  earlier: InProcessClient;
  /** Lets time go on, and what that sets off on the member come to its end. */
  pass: (ms: number) => Promise<void>;
}

/** A member that ends with the test. Its own clock stands still. */
export async function startMember(name = "shanghai-1"): Promise<TestMember> {
  const clock = new FakeClock();
  const server = await TestCluster.start({ name, clock: new FakeClock(), controllers: { readinessDelayMs: 0 } });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const client = server.connect(clock);
  const quiet = (): Promise<void> => untilQuiet(() => `${server.version} ${client.calls.length}`);
  const pass = async (ms: number): Promise<void> => {
    await quiet();
    for (let left = ms; left > 0; left -= STEP_MS) {
      await clock.advance(Math.min(STEP_MS, left));
      await quiet();
    }
  };
  return { server, client, clock, earlier: server.connect(clock), pass };
}
