import type { Clock } from "../runtime/index.ts";

const FIRST_MS = 100;
const LONGEST_MS = 10_000;
/** After so long without another heal, the next one is the first again. */
const QUIET_MS = 10_000;

interface Healed {
  times: number;
  paused: boolean;
  timer: Disposable;
}

/**
 * How soon a healed member object may be healed again. The first time at once; a controller that takes a field again after each heal has
 * to wait longer each time, so that the two controllers do not keep a cluster busy.
 */
export class DriftBackoff {
  readonly #clock: Clock;
  readonly #healed = new Map<string, Healed>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isPaused(key: string): boolean {
    return this.#healed.get(key)?.paused === true;
  }

  /** The member object was healed now; `goOn` is called when it may be healed again. */
  healed(key: string, goOn: () => void): void {
    const before = this.#healed.get(key);
    before?.timer[Symbol.dispose]();
    const times = (before?.times ?? 0) + 1;
    const pauseMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** (times - 1));
    const healed: Healed = {
      times,
      paused: true,
      timer: this.#clock.after(pauseMs, () => {
        healed.paused = false;
        healed.timer = this.#clock.after(QUIET_MS, () => this.#healed.delete(key));
        goOn();
      }),
    };
    this.#healed.set(key, healed);
  }

  clear(): void {
    for (const { timer } of this.#healed.values()) timer[Symbol.dispose]();
    this.#healed.clear();
  }
}
