import { FakeClock } from "../../src/runtime/testing/fakeClock.ts";

/**
 * Clock of a play. A seed decides which one of several timers that are due at the same moment fires first; without a
 * seed they fire in the order in which they were set.
 */
export class PlayClock extends FakeClock {
  /** Numbers in [0, 1), or undefined for the order in which timers were set. */
  random: (() => number) | undefined;

  protected override firstOf<T>(timers: readonly T[]): T | undefined {
    return this.random === undefined ? super.firstOf(timers) : timers[Math.floor(this.random() * timers.length)];
  }
}
