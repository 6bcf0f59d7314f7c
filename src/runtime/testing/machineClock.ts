import type { Clock } from "../core/clock.ts";
import type { FakeClock } from "./fakeClock.ts";

/**
 * Clock of one machine: its wall time is off by `skewMs`, and its monotonic time runs `rate` times as fast. While the
 * clock is paused, no timer fires.
 */
export class MachineClock implements Clock {
  readonly #world: FakeClock;
  skewMs: number;
  readonly #rate: number;
  #resumed: Promise<void> | undefined;
  #resume: (() => void) | undefined;

  constructor(world: FakeClock, skewMs = 0, rate = 1) {
    this.#world = world;
    this.skewMs = skewMs;
    this.#rate = rate;
  }

  now(): number {
    return this.#world.now() + this.skewMs;
  }

  monotonic(): number {
    return this.#world.monotonic() * this.#rate;
  }

  after(ms: number, callback: () => void): Disposable {
    let cancelled = false;
    const timer = this.#world.after(ms / this.#rate, () => void this.whenRunning().then(() => cancelled || callback()));
    return {
      [Symbol.dispose]: () => {
        cancelled = true;
        timer[Symbol.dispose]();
      },
    };
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    await this.#world.sleep(ms / this.#rate, signal);
    await this.whenRunning();
  }

  nextTurn(): Promise<void> {
    return this.#world.nextTurn();
  }

  async whenRunning(): Promise<void> {
    while (this.#resumed !== undefined) await this.#resumed;
  }

  pause(): void {
    if (this.#resumed !== undefined) return;
    ({ promise: this.#resumed, resolve: this.#resume } = Promise.withResolvers<void>());
  }

  resume(): void {
    this.#resumed = undefined;
    this.#resume?.();
  }
}
