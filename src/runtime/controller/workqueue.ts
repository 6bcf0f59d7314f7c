import type { WorkqueueMetrics } from "../../observability/index.ts";
import { backoffDelay, type Clock } from "../core/index.ts";

export interface WorkqueueOptions {
  /** Name in metrics and logs. */
  name: string;
  clock: Clock;
  /** Delay of the first `addRateLimited` of a key. Each further call doubles the delay. Default 5 ms. */
  baseDelayMs?: number;
  /** Maximum delay of `addRateLimited`. Default 60 s. */
  maxDelayMs?: number;
  random?: () => number;
  metrics?: WorkqueueMetrics;
}

interface Delayed {
  readyAt: number;
  timer: Disposable;
}

/**
 * Queue of keys. A key waits at most once, is never given to two workers at the same time, and is never lost: a key
 * that is added during its work waits again as soon as that work is done.
 */
export class Workqueue<K extends string = string> implements Disposable {
  readonly name: string;
  readonly #clock: Clock;
  readonly #baseDelayMs: number;
  readonly #maxDelayMs: number;
  readonly #random: () => number;
  readonly #metrics: WorkqueueMetrics | undefined;
  readonly #running: Disposable | undefined;

  /** Waiting keys, first in first out. Keys before #head were taken. */
  #order: K[] = [];
  #head = 0;
  /** Time when each waiting key was added. */
  readonly #waiting = new Map<K, number>();
  /** Time when each key in work was taken. */
  readonly #processing = new Map<K, number>();
  /** Keys added again while they are worked on. */
  readonly #again = new Set<K>();
  readonly #delayed = new Map<K, Delayed>();
  readonly #failures = new Map<K, number>();
  /** Resolvers of idle workers; empty while a key waits. */
  readonly #idle = new Set<(key: K | undefined) => void>();
  #closed = false;

  constructor(options: WorkqueueOptions) {
    this.name = options.name;
    this.#clock = options.clock;
    this.#baseDelayMs = options.baseDelayMs ?? 5;
    this.#maxDelayMs = options.maxDelayMs ?? 60_000;
    this.#random = options.random ?? Math.random;
    this.#metrics = options.metrics;
    this.#running = this.#metrics?.observeRunning(() => this.#runningMs());
  }

  /** Number of waiting keys, without keys in work and delayed keys. */
  get length(): number {
    return this.#waiting.size;
  }

  /** Number of keys in work. */
  get processing(): number {
    return this.#processing.size;
  }

  /** Number of keys whose delay has not passed yet. */
  get delayed(): number {
    return this.#delayed.size;
  }

  /** Waiting time of the first key in the queue, in milliseconds; 0 for an empty queue. */
  get oldestAgeMs(): number {
    const first = this.#order[this.#head];
    const addedAt = first === undefined ? undefined : this.#waiting.get(first);
    return addedAt === undefined ? 0 : this.#clock.monotonic() - addedAt;
  }

  /** Puts the key in the queue unless it waits there already. */
  add(key: K): void {
    if (this.#closed) return;
    if (this.#processing.has(key)) {
      if (!this.#again.has(key)) {
        this.#again.add(key);
        this.#metrics?.added();
      }
      return;
    }
    if (this.#waiting.has(key)) return;
    this.#metrics?.added();
    this.#enqueue(key);
  }

  /** Adds the key after `ms`. Of several delays for one key the earliest counts. */
  addAfter(key: K, ms: number): void {
    if (this.#closed) return;
    if (ms <= 0) {
      this.add(key);
      return;
    }
    const readyAt = this.#clock.monotonic() + ms;
    const before = this.#delayed.get(key);
    if (before !== undefined) {
      if (before.readyAt <= readyAt) return;
      before.timer[Symbol.dispose]();
    }
    const timer = this.#clock.after(ms, () => {
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { readyAt, timer });
  }

  /** Adds the key after a delay that doubles with each call until `forget`. Returns the delay, milliseconds. */
  addRateLimited(key: K): number {
    const failures = this.failures(key) + 1;
    this.#failures.set(key, failures);
    this.#metrics?.retried();
    const delay = backoffDelay(failures, { baseMs: this.#baseDelayMs, capMs: this.#maxDelayMs, random: this.#random });
    this.addAfter(key, delay);
    return delay;
  }

  /**
   * Ends the backoff of a key: its next `addRateLimited` starts from the shortest delay. A waiting key stays in the
   * queue.
   */
  forget(key: K): void {
    this.#failures.delete(key);
  }

  /** Number of calls of `addRateLimited` for the key since its last `forget`. */
  failures(key: K): number {
    return this.#failures.get(key) ?? 0;
  }

  /**
   * Resolves with the next key, or with `undefined` once the signal is aborted or the queue is closed. The worker
   * must call `done` with the key afterwards.
   */
  get(signal?: AbortSignal): Promise<K | undefined> {
    if (this.#closed || signal?.aborted === true) return Promise.resolve(undefined);
    const key = this.#take();
    if (key !== undefined) return Promise.resolve(key);
    return new Promise((resolve) => {
      const settle = (taken: K | undefined): void => {
        this.#idle.delete(settle);
        signal?.removeEventListener("abort", onAbort);
        resolve(taken);
      };
      const onAbort = (): void => settle(undefined);
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#idle.add(settle);
    });
  }

  /** Ends the work on a key, after success or failure. */
  done(key: K): void {
    const since = this.#processing.get(key);
    if (since === undefined) return;
    this.#processing.delete(key);
    this.#metrics?.finished(this.#clock.monotonic() - since);
    if (this.#again.delete(key)) this.#enqueue(key);
  }

  /** Accepts no more keys, drops waiting and delayed keys, and releases idle workers. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const { timer } of this.#delayed.values()) timer[Symbol.dispose]();
    this.#delayed.clear();
    this.#waiting.clear();
    this.#again.clear();
    this.#failures.clear();
    this.#order = [];
    this.#head = 0;
    for (const settle of [...this.#idle]) settle(undefined);
    this.#metrics?.depth(0);
    this.#running?.[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #enqueue(key: K): void {
    if (this.#closed) return;
    this.#waiting.set(key, this.#clock.monotonic());
    this.#order.push(key);
    for (const settle of this.#idle) {
      settle(this.#take());
      return;
    }
    this.#metrics?.depth(this.#waiting.size);
  }

  #take(): K | undefined {
    const key = this.#order[this.#head];
    if (key === undefined) return undefined;
    this.#head += 1;
    if (this.#head === this.#order.length || this.#head > 1024) {
      this.#order = this.#order.slice(this.#head);
      this.#head = 0;
    }
    const now = this.#clock.monotonic();
    const addedAt = this.#waiting.get(key) ?? now;
    this.#waiting.delete(key);
    this.#processing.set(key, now);
    this.#metrics?.started(now - addedAt);
    this.#metrics?.depth(this.#waiting.size);
    return key;
  }

  *#runningMs(): Iterable<number> {
    const now = this.#clock.monotonic();
    for (const since of this.#processing.values()) yield now - since;
  }
}
