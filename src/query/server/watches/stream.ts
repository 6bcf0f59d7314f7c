import type { ServerResponse } from "node:http";
import type { Logger } from "../../../observability/index.ts";
import { every } from "../../../runtime/index.ts";
import type { WatchEvent } from "../../types.ts";
import type { ReviewedScope } from "../access/index.ts";
import { internalError, statusOf, errorText, eventText, heartbeatText, type Representation } from "../answers/index.ts";
import { EventWriter, HEARTBEAT_MS } from "./eventWriter.ts";
import { type Manner, ReviewedWatch, type ReviewedWatchOptions } from "./reviewedWatch.ts";

export interface StreamOptions extends Omit<ReviewedWatchOptions, "manner"> {
  manner: Manner & { bookmarks: boolean };
  how: Representation;
  response: ServerResponse;
  /** Ends the watch: the manager stops, or leads no more. */
  signal: AbortSignal;
  logger: Logger;
}

/** Writes the events of one watch to one reader, until one of the two ends. */
export class Stream {
  readonly #options: StreamOptions;
  readonly #writer: EventWriter;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#writer = new EventWriter(options);
  }

  /** @throws {QueryError} if the watch cannot begin. Later errors are events of the watch. */
  async run(first: ReviewedScope): Promise<void> {
    const { manner, how, clock } = this.#options;
    const writer = this.#writer;
    await using watch = new ReviewedWatch({ ...this.#options, signal: writer.signal }, first);
    if (writer.isGone) return;
    writer.begin(how.format === "EventStream" ? "text/event-stream" : "application/json");
    const wantsBookmarks = manner.bookmarks || how.format === "EventStream";
    using _beats = every(clock, HEARTBEAT_MS, () => {
      if (wantsBookmarks) watch.bookmark();
      writer.beat(heartbeatText(how));
    });
    try {
      await watch.each(async (event: WatchEvent, isInitialEnd) => {
        if (event.type !== "BOOKMARK" || wantsBookmarks) await writer.write(eventText(how, event, isInitialEnd));
      });
      writer.end();
    } catch (error) {
      writer.end(errorText(how, this.#statusOf(error)));
    }
  }

  #statusOf(error: unknown): ReturnType<typeof internalError> {
    const { how, logger } = this.#options;
    const status = statusOf(error);
    if (status === undefined) logger.error({ err: error, resource: how.resource }, "a watch of the query API failed");
    return status ?? internalError();
  }
}
