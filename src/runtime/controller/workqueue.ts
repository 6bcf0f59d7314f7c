import type { WorkqueueMetrics } from "../../observability/index.ts";
import { backoffDelay, type Clock } from "../core/index.ts";

export interface WorkqueueOptions {
  /** Of metrics and logs. */
  name: string;
  clock: Clock;
  /** Delay of the first `addRateLimited` of a key; doubles with each. Default 5 ms. */
  baseDelayMs?: number;
  /** No delay of `addRateLimited` is longer. Default 60 s. */
  maxDelayMs?: number;
  random?: () => number;
  metrics?: WorkqueueMetrics;
}

interface Delayed {
  readyAt: number;
  timer: Disposable;
}

/**
 * Keys that wait for work. A key waits at most once however often it is added, is never given to two workers at the same time, and is
 * never lost: added while it is worked on, it waits again as soon as that work is done.
 */
export class Workqueue<K extends string = string> implements Disposable {
  readonly name: string;
  readonly #clock: Clock;
  readonly #baseDelayMs: number;
  readonly #maxDelayMs: number;
  readonly #random: () => number;
  readonly #metrics: WorkqueueMetrics | undefined;
  readonly #running: Disposable | undefined;

  /** Waiting keys, first in first out; what lies before #head was taken. */
  #order: K[] = [];
  #head = 0;
  /** When each waiting key was added. */
  readonly #waiting = new Map<K, number>();
  /** When each key under work was taken. */
  readonly #processing = new Map<K, number>();
  /** Keys added again while they are worked on. */
  readonly #again = new Set<K>();
  readonly #delayed = new Map<K, Delayed>();
  readonly #failures = new Map<K, number>();
  /** Workers without work; there are none while a key waits. */
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

  /** How many keys wait, those under work or delayed not counted. */
  get length(): number {
    return this.#waiting.size;
  }

  /** How many keys are worked on now. */
  get processing(): number {
    return this.#processing.size;
  }

  /** How many keys wait for their time. */
  get delayed(): number {
    return this.#delayed.size;
  }

  /** For how long the first key of the queue has waited, milliseconds; 0 when none waits. */
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

  /** Adds the key after `ms`. Of several such wishes for one key the earliest counts. */
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

  /** Ends the backoff of a key: its next `addRateLimited` starts from the shortest delay. What is in the queue stays there. */
  forget(key: K): void {
    this.#failures.delete(key);
  }

  /** How often the key was rate-limited since it was last forgotten. */
  failures(key: K): number {
    return this.#failures.get(key) ?? 0;
  }

  /** The next key, as soon as there is one; `undefined` once the signal is aborted or the queue closed. Call `done` with it afterwards. */
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

  /** The work on this key is over, however it went. */
  done(key: K): void {
    const since = this.#processing.get(key);
    if (since === undefined) return;
    this.#processing.delete(key);
    this.#metrics?.finished(this.#clock.monotonic() - since);
    if (this.#again.delete(key)) this.#enqueue(key);
  }

  /** Takes no more keys, forgets those that wait and lets go of idle workers. */
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
