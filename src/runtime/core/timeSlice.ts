import type { Clock } from "./clock.ts";

/** Maximum time that work runs without a pause. Timers, streams and probes wait no longer than a few slices. */
const SLICE_MS = 8;

const shared = new WeakMap<Clock, TimeSlice>();

/**
 * Keeps long synchronous work from blocking the event loop. The work asks before each step whether the slice is
 * spent, and then continues in the next turn of the loop.
 *
 *     for (const step of steps) {
 *       while (slice.spent) await slice.next();
 *       ...
 *     }
 *
 * Users of one slice share its time. All long work of a process shares the slice of its clock ({@link TimeSlice.of}):
 * reconciles, the keys of an event, the events of a watch, the answers to requests.
 */
export class TimeSlice {
  readonly #clock: Clock;
  readonly #ms: number;
  /** Monotonic milliseconds of the first step in this turn of the event loop. */
  #since: number | undefined;

  /** Slice that all work on this clock shares. */
  static of(clock: Clock): TimeSlice {
    let slice = shared.get(clock);
    if (slice === undefined) shared.set(clock, (slice = new TimeSlice(clock)));
    return slice;
  }

  constructor(clock: Clock, ms: number = SLICE_MS) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** True when this turn of the event loop has been used long enough. The first call in a turn starts the time. */
  get spent(): boolean {
    const now = this.#clock.monotonic();
    if (this.#since === undefined) {
      this.#since = now;
      void this.next().then(() => (this.#since = undefined));
    }
    return now - this.#since >= this.#ms;
  }

  /** Resolves when the slice has time again; undefined if the slice has time now. */
  pause(): Promise<void> | undefined {
    return this.spent ? this.#waited() : undefined;
  }

  async #waited(): Promise<void> {
    while (this.spent) await this.next();
  }

  /** Resolves in the next turn. */
  next(): Promise<void> {
    return this.#clock.nextTurn();
  }
}
