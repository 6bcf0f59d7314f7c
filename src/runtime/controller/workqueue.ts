import type { WorkqueueMetrics } from "../../observability/index.ts";
import { backoffDelay, type Clock } from "../core/index.ts";
import { type KeyClass, KeyOrder, type KeyUrgency } from "./keyOrder.ts";

export interface WorkqueueOptions {
  /** Name in metrics and logs. */
  name: string;
  clock: Clock;
  random?: () => number;
  metrics?: WorkqueueMetrics;
}

/** Delays of `addRateLimited`. */
const BACKOFF = { baseMs: 5, capMs: 60_000 };

/**
 * Queue of keys. A key waits at most once, is never given to two workers at the same time, and is never lost: a key
 * that is added during its work waits again as soon as that work is done. Changes go before the backlog, see
 * {@link KeyOrder}.
 */
export class Workqueue<K extends string = string> implements Disposable {
  readonly name: string;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #metrics: WorkqueueMetrics | undefined;
  readonly #running: Disposable | undefined;

  readonly #order = new KeyOrder<K>();
  /** Time when each waiting key was added. */
  readonly #waiting = new Map<K, number>();
  /** Time when each key in work was taken, and its class. */
  readonly #processing = new Map<K, { since: number; class: KeyClass }>();
  /** Keys added again while they are worked on. */
  readonly #again = new Map<K, KeyClass>();
  readonly #delayed = new Map<K, { readyAt: number; timer: Disposable; class: KeyUrgency }>();
  readonly #failures = new Map<K, number>();
  /** Resolvers of idle workers; empty while a key waits. */
  readonly #idle = new Set<(key: K | undefined) => void>();
  #closed = false;

  constructor(options: WorkqueueOptions) {
    this.name = options.name;
    this.#clock = options.clock;
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

  /** Class of a key in work. */
  classOf(key: K): KeyClass {
    return this.#processing.get(key)?.class ?? "Change";
  }

  /** Puts the key in the queue. A key that waits there already waits once, by the more urgent class. */
  add(key: K, of: KeyUrgency = "Change"): void {
    if (this.#closed) return;
    if (this.#processing.has(key)) {
      const before = this.#again.get(key);
      if (before === undefined) this.#metrics?.added();
      if (before !== "Change") this.#again.set(key, of === "Wake" ? (before ?? "Change") : of);
      return;
    }
    if (this.#waiting.has(key)) {
      this.#order.add(key, of);
      return;
    }
    this.#metrics?.added();
    this.#enqueue(key, of);
  }

  /** Adds the key after `ms`. Of several delays for one key the earliest counts. */
  addAfter(key: K, ms: number, of: KeyUrgency = "Change"): void {
    if (this.#closed) return;
    if (ms <= 0) {
      this.add(key, of);
      return;
    }
    const readyAt = this.#clock.monotonic() + ms;
    const before = this.#delayed.get(key);
    if (before !== undefined) {
      if (of === "Change") before.class = of;
      if (before.readyAt <= readyAt) return;
      before.timer[Symbol.dispose]();
    }
    const timer = this.#clock.after(ms, () => {
      const delayed = this.#delayed.get(key);
      this.#delayed.delete(key);
      this.add(key, delayed?.class);
    });
    this.#delayed.set(key, { readyAt, timer, class: before?.class ?? of });
  }

  /** Adds the key after a delay that doubles with each call until `forget`. Returns the delay, milliseconds. */
  addRateLimited(key: K): number {
    const failures = this.failures(key) + 1;
    this.#failures.set(key, failures);
    this.#metrics?.retried();
    const delay = backoffDelay(failures, { ...BACKOFF, random: this.#random });
    // A retry of the backlog does not overtake changes.
    this.addAfter(key, delay, this.classOf(key));
    return delay;
  }

  /** Ends the backoff of a key. A waiting key stays in the queue. */
  forget(key: K): void {
    this.#failures.delete(key);
  }

  /** Number of calls of `addRateLimited` for the key since its last `forget`. */
  failures(key: K): number {
    return this.#failures.get(key) ?? 0;
  }

  /** The next key, which the worker must hand to `done`; undefined once the signal is aborted or the queue closed. */
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
    const work = this.#processing.get(key);
    if (work === undefined) return;
    this.#processing.delete(key);
    this.#metrics?.finished(this.#clock.monotonic() - work.since);
    const again = this.#again.get(key);
    if (again === undefined) return;
    this.#again.delete(key);
    this.#enqueue(key, again);
  }

  /** Accepts no more keys, drops waiting and delayed keys, and releases idle workers. */
  [Symbol.dispose](): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const { timer } of this.#delayed.values()) timer[Symbol.dispose]();
    this.#delayed.clear();
    this.#waiting.clear();
    this.#again.clear();
    this.#failures.clear();
    this.#order.clear();
    for (const settle of [...this.#idle]) settle(undefined);
    this.#metrics?.depth(0);
    this.#running?.[Symbol.dispose]();
  }

  #enqueue(key: K, of: KeyUrgency): void {
    if (this.#closed) return;
    this.#waiting.set(key, this.#clock.monotonic());
    this.#order.add(key, of);
    for (const settle of this.#idle) {
      settle(this.#take());
      return;
    }
    this.#metrics?.depth(this.#waiting.size);
  }

  #take(): K | undefined {
    const taken = this.#order.take();
    if (taken === undefined) return undefined;
    const { key } = taken;
    const now = this.#clock.monotonic();
    const addedAt = this.#waiting.get(key) ?? now;
    this.#waiting.delete(key);
    this.#processing.set(key, { since: now, class: taken.class });
    this.#metrics?.started(now - addedAt);
    this.#metrics?.depth(this.#waiting.size);
    return key;
  }

  *#runningMs(): Iterable<number> {
    const now = this.#clock.monotonic();
    for (const { since } of this.#processing.values()) yield now - since;
  }
}
