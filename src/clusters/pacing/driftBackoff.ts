import type { Clock } from "../../runtime/index.ts";

const FIRST_MS = 1_000;
const LONGEST_MS = 300_000;
/** After so long without another heal, the next one is the first again. */
const QUIET_MS = 600_000;
/** So many heals, each soon after the one before, are no accident: somebody wants it otherwise. */
const CONTESTED_FROM = 3;

interface Healed {
  times: number;
  paused: boolean;
  timer: Disposable;
}

/**
 * How soon a healed member object may be healed again. The first time at once; whoever takes a field again, or deletes the object again,
 * after each heal has to wait longer each time, so that the two of them do not keep a cluster busy.
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

  /** Somebody undoes the heals, one after the other. */
  isContested(key: string): boolean {
    return (this.#healed.get(key)?.times ?? 0) >= CONTESTED_FROM;
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
