import type { Clock } from "../../runtime/index.ts";

/** Between two probes. */
const GAP_MS = 250;

export interface ProbeLoopOptions<T> {
  clock: Clock;
  /** Rejects only when the loop was stopped. */
  probe: () => Promise<T>;
  /** Takes the result, and schedules the next probe. */
  settle: (found: T) => void;
}

/** Runs one probe at a time, and another one after a request during a probe, whose result may be outdated. */
export class ProbeLoop<T> implements Disposable {
  readonly #options: ProbeLoopOptions<T>;
  #timer: Disposable | undefined;
  #running = false;
  #again = false;
  #stopped = false;
  #startedAt = Number.NEGATIVE_INFINITY;
  #work: Promise<void> = Promise.resolve();

  constructor(options: ProbeLoopOptions<T>) {
    this.#options = options;
  }

  /** Replaces an earlier schedule. */
  schedule(afterMs: number): void {
    if (this.#stopped) return;
    if (this.#running) {
      this.#again = true;
      return;
    }
    this.#timer?.[Symbol.dispose]();
    const { clock } = this.#options;
    const gap = this.#startedAt + GAP_MS - clock.monotonic();
    this.#timer = clock.after(Math.max(afterMs, gap), () => {
      this.#work = this.#run();
    });
  }

  [Symbol.dispose](): void {
    this.#stopped = true;
    this.#timer?.[Symbol.dispose]();
  }

  /** Resolves when no probe is under way. */
  settled(): Promise<void> {
    return this.#work;
  }

  async #run(): Promise<void> {
    const { clock, probe, settle } = this.#options;
    this.#running = true;
    this.#again = false;
    this.#startedAt = clock.monotonic();
    let found: T;
    try {
      found = await probe();
    } catch (error) {
      if (this.#stopped) return;
      throw error;
    } finally {
      this.#running = false;
    }
    if (this.#stopped) return;
    const again = this.#again;
    settle(found);
    if (again) this.schedule(0);
  }
}
