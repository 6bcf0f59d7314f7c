import type { SandboxClock } from "../types.ts";

/** A clock that stands until a test moves it. */
export class ManualClock implements SandboxClock {
  #now = Date.parse("2026-01-01T00:00:00Z");
  #timers: { at: number; callback: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): Disposable {
    const timer = { at: this.#now + Math.max(0, ms), callback };
    this.#timers.push(timer);
    return {
      [Symbol.dispose]: () => {
        this.#timers = this.#timers.filter((kept) => kept !== timer);
      },
    };
  }

  /** Timers that wait. */
  get waiting(): number {
    return this.#timers.length;
  }

  /** Milliseconds until the next timer; undefined when none waits. */
  get next(): number | undefined {
    return this.#timers.length === 0 ? undefined : Math.min(...this.#timers.map(({ at }) => at)) - this.#now;
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const due = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((kept) => kept !== due);
      this.#now = Math.max(this.#now, due.at);
      due.callback();
    }
    this.#now = end;
  }
}
