import { type Clock, every } from "../../../runtime/index.ts";
import { type Query, type QueryEngine, QueryError, type QueryWatch, type WatchEvent } from "../../types.ts";
import type { Proof, ReviewedScope, Scopes } from "../access/index.ts";
import { RequestError } from "../answers/index.ts";

/** How a reader wants a watch. */
export interface Manner {
  /** Version after which the reader wants events. Undefined: all rows come first. */
  since?: string;
  timeoutMs: number;
}

export interface ReviewedWatchOptions {
  engine: QueryEngine;
  scopes: Scopes;
  proof: Proof;
  query: Query;
  manner: Manner;
  /** Ends the watch: the reader is gone, or the manager stops. */
  signal: AbortSignal;
  clock: Clock;
}

/** Together with the reviews' cache: a lost right or token ends the events after 15 seconds at most. */
const REVIEW_MS = 5_000;
/** After an object of a pair that was not reviewed: its reader may be waiting for it. */
const EARLY_REVIEW_MS = 100;
/** Reviews that fail one after the other before the watch ends. */
const MOST_FAILED_REVIEWS = 6;

/** A watch whose reader is reviewed again and again. */
export class ReviewedWatch implements AsyncDisposable {
  readonly #options: ReviewedWatchOptions;
  readonly #end = new AbortController();
  readonly #timers = new DisposableStack();
  readonly #watch: QueryWatch;
  /** Pairs that had an early review since the last regular one. */
  readonly #early = new Set<string>();
  #isReviewing = false;
  #failedReviews = 0;

  /** @throws {QueryError} if the watch cannot begin */
  constructor(options: ReviewedWatchOptions, first: ReviewedScope) {
    this.#options = options;
    const { engine, query, manner, signal, clock } = options;
    const { since, timeoutMs } = manner;
    const ended = AbortSignal.any([signal, this.#end.signal]);
    this.#watch = engine.watch(query, first, { signal: ended, ...(since === undefined ? {} : { since }) });
    first.onUnknown = (pair) => this.#reviewEarly(pair);
    this.#timers.use(clock.after(timeoutMs, () => this.#end.abort()));
    const review = (): void => {
      this.#early.clear();
      void this.#review();
    };
    this.#timers.use(every(clock, REVIEW_MS, review));
  }

  /** A bookmark comes as soon as the reader has everything. */
  bookmark(): void {
    this.#watch.bookmark();
  }

  /**
   * Hands the events over, one after the other. Resolves when the watch ends in order. `isInitialEnd`: the bookmark after
   * the first rows.
   *
   * @throws {QueryError|RequestError} why the watch ends
   */
  async each(take: (event: WatchEvent, isInitialEnd: boolean) => Promise<void>): Promise<void> {
    const { manner, signal } = this.#options;
    let isInitial = manner.since === undefined;
    for await (const event of this.#watch) {
      if (signal.aborted || this.#end.signal.aborted) break;
      const isBookmark = event.type === "BOOKMARK";
      await take(event, isBookmark && isInitial);
      if (isBookmark) isInitial = false;
    }
    const reason: unknown = this.#end.signal.reason;
    if (reason instanceof QueryError || reason instanceof RequestError) throw reason;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    this.#timers.dispose();
    await this.#watch[Symbol.asyncDispose]();
  }

  #reviewEarly(pair: string): void {
    if (this.#early.has(pair) || this.#timers.disposed) return;
    const isUnderWay = this.#early.size > 0;
    this.#early.add(pair);
    if (isUnderWay) return;
    this.#timers.use(this.#options.clock.after(EARLY_REVIEW_MS, () => void this.#review()));
  }

  /** Finds out again who reads, and what he may read. */
  async #review(): Promise<void> {
    if (this.#isReviewing || this.#end.signal.aborted) return;
    this.#isReviewing = true;
    const { proof, scopes, query, engine } = this.#options;
    try {
      const user = await proof.again();
      if (user === undefined)
        return this.#end.abort(new RequestError(401, "your proof does not hold any more; name yourself again"));
      const scope = await scopes.of(user, query.filter, engine);
      scope.onUnknown = (pair) => this.#reviewEarly(pair);
      this.#watch.review(scope);
      this.#failedReviews = 0;
    } catch (error) {
      this.#failedReviews += 1;
      if (this.#failedReviews >= MOST_FAILED_REVIEWS) this.#end.abort(error);
    } finally {
      this.#isReviewing = false;
    }
  }
}
