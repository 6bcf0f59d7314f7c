import type { Clock } from "../../runtime/index.ts";

/** Minimum time between two probes. */
const GAP_MS = 250;

export interface ProbeLoopOptions<T> {
  clock: Clock;
  /** Runs one probe; rejects only when the loop was stopped. */
  probe: () => Promise<T>;
  /** Takes the result of the probe and schedules the next one by {@link ProbeLoop.schedule}. */
  settle: (found: T) => void;
}

/**
 * Runs one probe at a time. A request during a probe causes another probe after it, since the running one may return an
 * outdated result.
 */
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

  /** Schedules the next probe in `afterMs`, replacing an earlier schedule. */
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
