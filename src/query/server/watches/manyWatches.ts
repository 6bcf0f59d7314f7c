import type { ServerResponse } from "node:http";
import type { Logger } from "../../../observability/index.ts";
import { type Clock, every } from "../../../runtime/index.ts";
import type { Query, QueryEngine } from "../../types.ts";
import type { Proof, ReviewedScope, Scopes } from "../access/index.ts";
import { errorText, eventText, heartbeatText, internalError, type Representation, statusOf } from "../answers/index.ts";
import { EventWriter, HEARTBEAT_MS } from "./eventWriter.ts";
import { type Manner, ReviewedWatch } from "./reviewedWatch.ts";

/** One of several watches of a request. */
export interface NamedWatch {
  /** Chosen by the reader. Every event of the watch has it. */
  name: string;
  /** @throws {QueryError} 400 or 404 if this watch cannot be understood */
  parse: () => { query: Query; manner: Manner };
}

export interface ManyWatchesOptions {
  watches: readonly NamedWatch[];
  engine: QueryEngine;
  scopes: Scopes;
  proof: Proof;
  /** @throws {RequestError} 403 if the reader may read nothing of what the query names */
  scopeFor: (query: Query) => Promise<ReviewedScope>;
  response: ServerResponse;
  /** Ends the watches: the manager stops, or leads no more. */
  signal: AbortSignal;
  clock: Clock;
  /** Epoch milliseconds. */
  now: () => number;
  logger: Logger;
}

/**
 * Writes the events of several watches to one reader, as one stream of server-sent events: a browser has few connections
 * for a host. Each watch begins, goes on and fails as if it were alone; a failure is an event of this watch.
 */
export class ManyWatches {
  readonly #options: ManyWatchesOptions;
  readonly #writer: EventWriter;
  readonly #running = new Set<ReviewedWatch>();

  constructor(options: ManyWatchesOptions) {
    this.#options = options;
    this.#writer = new EventWriter(options);
  }

  /** Resolves when every watch has ended. */
  async run(): Promise<void> {
    const { watches, clock } = this.#options;
    const writer = this.#writer;
    if (writer.isGone) return;
    writer.begin("text/event-stream");
    using _beats = every(clock, HEARTBEAT_MS, () => {
      for (const watch of this.#running) watch.bookmark();
      writer.beat(heartbeatText({ format: "EventStream" }));
    });
    await Promise.all(watches.map((watch) => this.#follow(watch)));
    const { lateness } = writer;
    if (lateness === undefined) return writer.end();
    // Whoever is too slow for the events of one watch is too slow for all.
    const texts = watches.map(({ name }) =>
      errorText({ format: "EventStream", watch: name }, this.#statusOf(lateness)),
    );
    writer.end(texts.join(""));
  }

  async #follow({ name, parse }: NamedWatch): Promise<void> {
    const { now, scopeFor } = this.#options;
    const writer = this.#writer;
    try {
      const { query, manner } = parse();
      const how: Representation = {
        resource: query.resource,
        format: "EventStream",
        include: "None",
        now,
        watch: name,
      };
      const scope = await scopeFor(query);
      await using watch = new ReviewedWatch({ ...this.#options, query, manner, signal: writer.signal }, scope);
      using _running = this.#isRunning(watch);
      // A reader who goes on learns at once that nothing is missing.
      if (manner.since !== undefined) watch.bookmark();
      await watch.each((event, isInitialEnd) => writer.write(eventText(how, event, isInitialEnd)));
    } catch (error) {
      if (!writer.signal.aborted) await this.#fail(name, error);
    }
  }

  #isRunning(watch: ReviewedWatch): Disposable {
    this.#running.add(watch);
    return { [Symbol.dispose]: () => void this.#running.delete(watch) };
  }

  async #fail(name: string, error: unknown): Promise<void> {
    try {
      await this.#writer.write(errorText({ format: "EventStream", watch: name }, this.#statusOf(error)));
    } catch (late) {
      // Every watch is told so at the end.
      if (late !== this.#writer.lateness) throw late;
    }
  }

  #statusOf(error: unknown): ReturnType<typeof internalError> {
    const status = statusOf(error);
    if (status === undefined) this.#options.logger.error({ err: error }, "a watch of the query API failed");
    return status ?? internalError();
  }
}
