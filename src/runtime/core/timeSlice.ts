import type { Clock } from "./clock.ts";

/** So long may work go on without a pause: timers, streams and probes wait no longer than a few of these. */
const SLICE_MS = 8;

const shared = new WeakMap<Clock, TimeSlice>();

/**
 * Keeps work that never waits for anything from holding the event loop: whoever has much to do asks before each step whether the time
 * is spent, and goes on in the next turn of the loop.
 *
 *     for (const step of steps) {
 *       while (slice.spent) await slice.next();
 *       ...
 *     }
 *
 * Parts that share one slice share its time, and whatever can have much to do in a process shares that of its clock ({@link TimeSlice.of}):
 * reconciles, the keys of an event, the events of a watch, the answers to requests.
 */
export class TimeSlice {
  readonly #clock: Clock;
  readonly #ms: number;
  /** Monotonic milliseconds of the first step in this turn of the event loop. */
  #since: number | undefined;

  /** The one that everything on this clock shares. */
  static of(clock: Clock): TimeSlice {
    let slice = shared.get(clock);
    if (slice === undefined) shared.set(clock, (slice = new TimeSlice(clock)));
    return slice;
  }

  constructor(clock: Clock, ms: number = SLICE_MS) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** Whether this turn of the event loop has been used long enough; the first question in a turn begins to count. */
  get spent(): boolean {
    const now = this.#clock.monotonic();
    if (this.#since === undefined) {
      this.#since = now;
      void this.next().then(() => (this.#since = undefined));
    }
    return now - this.#since >= this.#ms;
  }

  /** Resolves when there is time for more; undefined when there is now. */
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
