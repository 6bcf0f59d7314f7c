import { type Clock } from "../core/index.ts";

/** The stream brought no event and no bookmark in time. */
export class SilentStreamError extends Error {
  override readonly name = "SilentStreamError";
}

/** Aborts a stream that is silent for too long. One timer is enough, whatever the rate of events. */
export class Watchdog implements Disposable {
  readonly #clock: Clock;
  readonly #stream: AbortController;
  readonly #startedAt: number;
  #lastAt: number;
  #allowedMs = 0;
  #timer: Disposable | undefined;
  heard = false;

  constructor(clock: Clock, stream: AbortController) {
    this.#clock = clock;
    this.#stream = stream;
    this.#startedAt = clock.monotonic();
    this.#lastAt = this.#startedAt;
  }

  /** Milliseconds since the stream was opened. */
  get elapsed(): number {
    return this.#clock.monotonic() - this.#startedAt;
  }

  allow(ms: number): void {
    this.#allowedMs = ms;
    this.#wait(ms);
  }

  pat(): void {
    this.heard = true;
    this.#lastAt = this.#clock.monotonic();
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }

  #wait(ms: number): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#clock.after(ms, () => {
      const left = this.#lastAt + this.#allowedMs - this.#clock.monotonic();
      if (left > 0) this.#wait(Math.ceil(left));
      else
        this.#stream.abort(
          new SilentStreamError(`no event and no bookmark for ${Math.round(this.#allowedMs / 1000)} s`),
        );
    });
  }
}
