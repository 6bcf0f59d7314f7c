import type { Clock } from "./clock.ts";

/** Timers, streams and probes wait no longer than a few slices. */
const SLICE_MS = 8;

const shared = new WeakMap<Clock, TimeSlice>();

/**
 * Keeps long synchronous work from blocking the event loop: `while (slice.spent) await slice.next();` before each step.
 * All long work of a process shares the slice of its clock ({@link TimeSlice.of}).
 */
export class TimeSlice {
  readonly #clock: Clock;
  readonly #ms: number;
  /** First step in this turn of the event loop, monotonic milliseconds. */
  #since: number | undefined;
  #turn: Promise<void> | undefined;

  static of(clock: Clock): TimeSlice {
    let slice = shared.get(clock);
    if (slice === undefined) shared.set(clock, (slice = new TimeSlice(clock)));
    return slice;
  }

  constructor(clock: Clock, ms: number = SLICE_MS) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** True when this turn of the event loop has been used long enough. */
  get spent(): boolean {
    const now = this.#clock.monotonic();
    if (this.#since === undefined) {
      this.#since = now;
      void this.#clock.nextTurn().then(() => (this.#since = undefined));
    }
    return now - this.#since >= this.#ms;
  }

  /** Undefined if the slice has time now. */
  pause(): Promise<void> | undefined {
    return this.spent ? this.#waited() : undefined;
  }

  async #waited(): Promise<void> {
    while (this.spent) await this.next();
  }

  /** Hundreds may wait for the same turn, so they share one promise. */
  next(): Promise<void> {
    return (this.#turn ??= this.#clock.nextTurn().then(() => (this.#turn = undefined)));
  }
}
