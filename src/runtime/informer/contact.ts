import type { ReflectorOptions } from "./reflectorTypes.ts";

/** Minimum time between two reports of contact while the server answers. */
const INTERVAL_MS = 1_000;

/** Reports whether the server answers. */
export class Contact {
  readonly #options: Pick<ReflectorOptions, "clock" | "onContact">;
  #last: { ok: boolean; at: number } | undefined;

  constructor(options: Pick<ReflectorOptions, "clock" | "onContact">) {
    this.#options = options;
  }

  made(): void {
    const now = this.#options.clock.monotonic();
    if (this.#last?.ok === true && now - this.#last.at < INTERVAL_MS) return;
    this.#last = { ok: true, at: now };
    this.#options.onContact?.(true);
  }

  lost(error: unknown): void {
    this.#last = { ok: false, at: this.#options.clock.monotonic() };
    this.#options.onContact?.(false, error);
  }
}
