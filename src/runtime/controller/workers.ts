import type { CallRecord } from "../client/index.ts";
import { AdaptiveConcurrency, type Clock } from "../core/index.ts";
import { Emitter } from "./sources.ts";

/** How many keys a controller may have in work at once. */
export interface WorkerLimit {
  readonly limit: number;
  readonly changes: Pick<Emitter<void>, "subscribe">;
}

/** A limit that never changes. */
export function fixedWorkers(limit: number): WorkerLimit {
  return { limit, changes: { subscribe: () => ({ [Symbol.dispose]: () => undefined }) } };
}

export interface AdaptiveWorkersOptions {
  least: number;
  most: number;
  clock: Clock;
}

/** Bounds that suit a hub of any distance. */
export const DEFAULT_WORKERS = { least: 2, most: 32 };

const START = 8;
/** A start and a burst are over within a second or two, so that the first steps have to be quick. */
const FIRST_RUNS = 8;
const RUN_OF_SUCCESSES = 64;

/**
 * A limit that follows the answers of an API server. A distant server gets more workers, since each of them mostly waits.
 * A server that throttles, or gets slower under the load, gets fewer.
 */
export class AdaptiveWorkers implements WorkerLimit {
  readonly changes = new Emitter<void>();
  readonly #concurrency: AdaptiveConcurrency;
  readonly #clock: Clock;

  constructor({ least, most, clock }: AdaptiveWorkersOptions) {
    const start = Math.min(Math.max(START, least), most);
    const runs = { runOfSuccesses: RUN_OF_SUCCESSES, firstRuns: FIRST_RUNS };
    this.#concurrency = new AdaptiveConcurrency({ least, start, most, ...runs });
    this.#clock = clock;
  }

  get limit(): number {
    return this.#concurrency.limit;
  }

  /** Takes the answer to a request. Only requests for one object say how long a worker waits. */
  observe({ verb, code, resource, ms }: Pick<CallRecord, "verb" | "code" | "resource" | "ms">): void {
    if (!ABOUT_ONE_OBJECT.has(verb) || resource === "leases" || resource === "events") return;
    const before = this.limit;
    const now = this.#clock.monotonic();
    if (code === "429") this.#concurrency.throttled(now);
    else if (code.startsWith("2")) this.#concurrency.succeeded(ms, now);
    if (this.limit !== before) this.changes.emit();
  }
}

const ABOUT_ONE_OBJECT: ReadonlySet<string> = new Set(["get", "create", "apply", "patch", "delete"]);
