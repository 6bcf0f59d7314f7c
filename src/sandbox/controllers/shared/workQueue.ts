import type { SandboxClock } from "../../types.ts";

/** Asks to process the key again after so many milliseconds, or earlier if an event enqueues it. */
export interface Recheck {
  after: number;
}

export type Result = Recheck | undefined;

export interface WorkQueueOptions {
  clock: SandboxClock;
  work: (key: string) => Promise<Result>;
  /** Called for every failed attempt; the key is retried later. */
  onError: (error: unknown, key: string) => void;
  /** Number of keys processed at once. Default: 16. */
  concurrency?: number;
}

const FIRST_RETRY_MS = 5;
const LAST_RETRY_MS = 60_000;

/**
 * A workqueue of unique keys, first in first out. One key is never processed twice at a time: a key added while it is
 * processed is processed again afterwards. Failures are retried after 5 ms, then with doubled backoff up to a minute. A
 * key has at most one timer, and none if it waits for nothing.
 */
export class WorkQueue implements AsyncDisposable {
  readonly #options: WorkQueueOptions;
  readonly #concurrency: number;
  readonly #waiting = new Set<string>();
  readonly #running = new Set<string>();
  readonly #again = new Set<string>();
  readonly #timers = new Map<string, Disposable>();
  readonly #failures = new Map<string, number>();
  readonly #idle: (() => void)[] = [];
  #stopped = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    this.#concurrency = options.concurrency ?? 16;
  }

  add(key: string): void {
    if (this.#stopped) return;
    if (this.#running.has(key)) {
      this.#again.add(key);
      return;
    }
    this.#waiting.add(key);
    if (this.#running.size < this.#concurrency) turns.want(this);
  }

  /** Resolves when no key is waiting or running. Delayed keys do not count. */
  idle(): Promise<void> {
    if (this.#waiting.size === 0 && this.#running.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Starts the next key. False if none is waiting, or if `concurrency` keys are running. */
  startNext(): boolean {
    if (this.#running.size >= this.#concurrency) return false;
    const [key] = this.#waiting;
    if (key === undefined) return false;
    this.#waiting.delete(key);
    this.#running.add(key);
    void this.#run(key);
    return this.#waiting.size > 0 && this.#running.size < this.#concurrency;
  }

  /** Waits for running keys and starts no more. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await this.idle();
  }

  stop(): void {
    this.#stopped = true;
    this.#waiting.clear();
    this.#again.clear();
    for (const timer of this.#timers.values()) timer[Symbol.dispose]();
    this.#timers.clear();
    this.#notifyIdle();
  }

  async #run(key: string): Promise<void> {
    this.#cancelTimer(key);
    try {
      const result = await this.#options.work(key);
      this.#failures.delete(key);
      if (result !== undefined) this.#schedule(key, result.after);
    } catch (error) {
      const failures = this.#failures.get(key) ?? 0;
      this.#failures.set(key, failures + 1);
      this.#schedule(key, Math.min(FIRST_RETRY_MS * 2 ** failures, LAST_RETRY_MS));
      this.#options.onError(error, key);
    } finally {
      this.#running.delete(key);
      if (this.#again.delete(key)) this.#waiting.add(key);
      if (this.#waiting.size > 0) turns.want(this);
      else this.#notifyIdle();
    }
  }

  #schedule(key: string, after: number): void {
    if (this.#stopped) return;
    const callback = () => {
      this.#timers.delete(key);
      this.add(key);
    };
    this.#timers.set(key, this.#options.clock.after(after, callback));
  }

  #cancelTimer(key: string): void {
    this.#timers.get(key)?.[Symbol.dispose]();
    this.#timers.delete(key);
  }

  #notifyIdle(): void {
    if (this.#waiting.size > 0 || this.#running.size > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}

/** Keys that may start before sockets and timers get a turn. */
const STARTS_PER_TURN = 8;

/**
 * Shares the process among the queues of all clusters, one key per queue in turn. Work on an in-memory store consists
 * of microtasks only, which would block sockets until all work is done.
 */
class Turns {
  readonly #queues = new Set<WorkQueue>();
  #scheduled = false;

  want(queue: WorkQueue): void {
    this.#queues.add(queue);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    let starts = 0;
    for (const queue of this.#queues) {
      this.#queues.delete(queue);
      if (queue.startNext()) this.#queues.add(queue);
      if (++starts === STARTS_PER_TURN) break;
    }
    this.#scheduled = this.#queues.size > 0;
    if (this.#scheduled) setImmediate(this.#turn);
  };
}

const turns = new Turns();
