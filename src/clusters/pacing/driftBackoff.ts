import type { Clock } from "../../runtime/index.ts";

const FIRST_MS = 1_000;
const LONGEST_MS = 300_000;
/** After this time without another correction the count starts again. */
const QUIET_MS = 600_000;
/** From this many corrections on, another writer contests the object. */
const CONTESTED_FROM = 3;

interface Healed {
  times: number;
  /** Monotonic milliseconds until which the next correction waits; undefined when the pause is over. */
  pausedUntil: number | undefined;
  timer: Disposable;
}

/** Backoff between drift corrections of one member object, so that two writers do not keep a cluster busy. */
export class DriftBackoff {
  readonly #clock: Clock;
  readonly #healed = new Map<string, Healed>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  pausedUntil(key: string): number | undefined {
    return this.#healed.get(key)?.pausedUntil;
  }

  isContested(key: string): boolean {
    return (this.#healed.get(key)?.times ?? 0) >= CONTESTED_FROM;
  }

  /** `goOn` is called when the next correction is allowed. */
  healed(key: string, goOn: () => void): void {
    const before = this.#healed.get(key);
    before?.timer[Symbol.dispose]();
    const times = (before?.times ?? 0) + 1;
    const pauseMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** (times - 1));
    const healed: Healed = {
      times,
      pausedUntil: this.#clock.monotonic() + pauseMs,
      timer: this.#clock.after(pauseMs, () => {
        healed.pausedUntil = undefined;
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
