import type { ServerResponse } from "node:http";
import type { Logger } from "../../observability/index.ts";
import { type Clock, every } from "../../runtime/index.ts";
import { type QueryEngine, type Query, QueryError } from "../types.ts";
import type { Proof, ReviewedScope, Scopes } from "./access/index.ts";
import {
  internalError,
  RequestError,
  statusOf,
  errorText,
  eventText,
  heartbeatText,
  type Representation,
} from "./answers/index.ts";
import type { Manner } from "./requests.ts";
import { writeTo } from "./paced.ts";

export interface StreamOptions {
  engine: QueryEngine;
  scopes: Scopes;
  proof: Proof;
  query: Query;
  manner: Manner;
  how: Representation;
  response: ServerResponse;
  /** Ends the watch: the manager stops, or leads no more. */
  signal: AbortSignal;
  clock: Clock;
  logger: Logger;
}

const HEARTBEAT_MS = 15_000;
/** Together with the reviews' cache: a lost right or token ends the events after 15 seconds at most. */
const REVIEW_MS = 5_000;
/** After an object of a pair that was not reviewed: its reader may be waiting for it. */
const EARLY_REVIEW_MS = 100;
/** Reviews that fail one after the other before the watch ends. */
const MOST_FAILED_REVIEWS = 6;
const LAST_WORD_MS = 5_000;

/** Writes the events of one watch to one reader, until one of the two ends. */
export class Stream {
  readonly #options: StreamOptions;
  readonly #end = new AbortController();
  readonly #timers = new DisposableStack();
  /** Pairs that had an early review since the last regular one. */
  readonly #early = new Set<string>();
  #isReviewing = false;
  #failedReviews = 0;

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  /** @throws {QueryError} if the watch cannot begin. Later errors are events of the watch. */
  async run(first: ReviewedScope): Promise<void> {
    const { engine, query, manner, how, response, clock, signal } = this.#options;
    const ended = AbortSignal.any([signal, this.#end.signal]);
    const { since } = manner;
    await using watch = engine.watch(query, first, { signal: ended, ...(since === undefined ? {} : { since }) });
    using timers = this.#timers;
    response.once("close", () => this.#end.abort());
    if (response.destroyed) return;
    response.writeHead(200, {
      "content-type": how.format === "EventStream" ? "text/event-stream" : "application/json",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
    response.flushHeaders();
    timers.use(clock.after(manner.timeoutMs, () => this.#end.abort()));
    const takeScope = (scope: ReviewedScope): void => {
      scope.onUnknown = (pair) => this.#reviewEarly(pair, takeScope);
      watch.review(scope);
    };
    first.onUnknown = (pair) => this.#reviewEarly(pair, takeScope);
    const review = (): void => {
      this.#early.clear();
      void this.#review(takeScope);
    };
    timers.use(every(clock, REVIEW_MS, review));
    const beat = (): void => {
      if (this.#wantsBookmarks) watch.bookmark();
      // A reader who does not read gets no more.
      if (!response.writableNeedDrain) response.write(heartbeatText(how));
    };
    timers.use(every(clock, HEARTBEAT_MS, beat));
    try {
      let isInitial = since === undefined;
      for await (const event of watch) {
        if (ended.aborted) break;
        const isBookmark = event.type === "BOOKMARK";
        if (!isBookmark || this.#wantsBookmarks) await this.#write(eventText(how, event, isBookmark && isInitial));
        if (isBookmark) isInitial = false;
      }
      if (this.#failure !== undefined) throw this.#failure;
      response.end();
    } catch (error) {
      this.#fail(error);
    }
  }

  get #wantsBookmarks(): boolean {
    const { manner, how } = this.#options;
    return manner.bookmarks || how.format === "EventStream";
  }

  /** Why the watch ends. Undefined: nothing is wrong. */
  get #failure(): Error | undefined {
    const reason: unknown = this.#end.signal.reason;
    return reason instanceof QueryError || reason instanceof RequestError ? reason : undefined;
  }

  async #write(text: string): Promise<void> {
    const { response, clock } = this.#options;
    const late = (): Error => new QueryError(410, "Expired", "you read too slowly; list again and watch from there");
    await writeTo(response, text, { clock, late, signal: this.#end.signal });
  }

  #fail(error: unknown): void {
    const { response, how, clock, logger } = this.#options;
    const status = statusOf(error);
    if (status === undefined) logger.error({ err: error, resource: how.resource }, "a watch of the query API failed");
    response.end(errorText(how, status ?? internalError()));
    const late = clock.after(LAST_WORD_MS, () => response.destroy());
    response.once("close", () => late[Symbol.dispose]());
  }

  #reviewEarly(pair: string, take: (scope: ReviewedScope) => void): void {
    if (this.#early.has(pair) || this.#timers.disposed) return;
    const isUnderWay = this.#early.size > 0;
    this.#early.add(pair);
    if (isUnderWay) return;
    this.#timers.use(this.#options.clock.after(EARLY_REVIEW_MS, () => void this.#review(take)));
  }

  /** Finds out again who reads, and what he may read. */
  async #review(take: (scope: ReviewedScope) => void): Promise<void> {
    if (this.#isReviewing || this.#end.signal.aborted) return;
    this.#isReviewing = true;
    const { proof, scopes, query, engine } = this.#options;
    try {
      const user = await proof.again();
      if (user === undefined)
        return this.#end.abort(new RequestError(401, "your proof does not hold any more; name yourself again"));
      take(await scopes.of(user, query.filter, engine));
      this.#failedReviews = 0;
    } catch (error) {
      this.#failedReviews += 1;
      if (this.#failedReviews >= MOST_FAILED_REVIEWS) this.#end.abort(error);
    } finally {
      this.#isReviewing = false;
    }
  }
}
