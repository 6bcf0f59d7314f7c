import { backoffDelay, type Clock } from "../runtime/index.ts";

export interface ReopeningOptions {
  clock: Pick<Clock, "after">;
  /** Between 0 and 1, for jitter. */
  random: () => number;
  open: () => void;
}

const PAUSES = { baseMs: 200, capMs: 30_000 };

/** Opens a session or a stream again, after a pause that grows with each failure in a row. */
export class Reopening implements Disposable {
  readonly #options: ReopeningOptions;
  #failures = 0;
  #pause: Disposable | undefined;

  constructor(options: ReopeningOptions) {
    this.#options = options;
  }

  get isPending(): boolean {
    return this.#pause !== undefined;
  }

  /** Does nothing during a pause. */
  afterFailure(): void {
    if (this.#pause !== undefined) return;
    const { clock, random, open } = this.#options;
    this.#failures += 1;
    this.#pause = clock.after(backoffDelay(this.#failures, { ...PAUSES, random }), () => {
      this.#pause = undefined;
      open();
    });
  }

  succeeded(): void {
    this.#failures = 0;
  }

  /** Ends the pause without opening. */
  [Symbol.dispose](): void {
    this.#pause?.[Symbol.dispose]();
    this.#pause = undefined;
  }
}
