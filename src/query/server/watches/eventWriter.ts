import type { ServerResponse } from "node:http";
import type { Clock } from "../../../runtime/index.ts";
import { QueryError } from "../../types.ts";
import { writeTo } from "./paced.ts";

export const HEARTBEAT_MS = 15_000;
const LAST_WORD_MS = 5_000;

export interface EventWriterOptions {
  response: ServerResponse;
  /** Ends everything that is written: the manager stops, or leads no more. */
  signal: AbortSignal;
  clock: Clock;
}

/** Writes events to one reader at the pace of the reader. */
export class EventWriter {
  readonly #options: EventWriterOptions;
  readonly #gone = new AbortController();
  /** Aborted when nobody reads any more. */
  readonly signal: AbortSignal;

  constructor(options: EventWriterOptions) {
    this.#options = options;
    this.signal = AbortSignal.any([options.signal, this.#gone.signal]);
    options.response.once("close", () => this.#gone.abort());
  }

  /** Why nothing more is written to a reader who took nothing for too long. */
  get lateness(): QueryError | undefined {
    const reason: unknown = this.#gone.signal.reason;
    return reason instanceof QueryError ? reason : undefined;
  }

  get isGone(): boolean {
    return this.#options.response.destroyed;
  }

  begin(type: string): void {
    const { response } = this.#options;
    response.writeHead(200, {
      "content-type": type,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
    response.flushHeaders();
  }

  /** @throws {QueryError} 410 if the reader takes nothing for too long */
  async write(text: string): Promise<void> {
    const { response, clock } = this.#options;
    const late = (): Error => {
      const error = new QueryError(410, "Expired", "you read too slowly; list again and watch from there");
      this.#gone.abort(error);
      return error;
    };
    await writeTo(response, text, { clock, late, signal: this.signal });
  }

  /** A reader who does not read gets no more heartbeats. */
  beat(text: string): void {
    const { response } = this.#options;
    if (!response.writableNeedDrain) response.write(text);
  }

  /** `lastWord`: why it ends, if not in order. A reader who does not take it is cut off. */
  end(lastWord?: string): void {
    const { response, clock } = this.#options;
    if (lastWord === undefined) return void response.end();
    response.end(lastWord);
    const late = clock.after(LAST_WORD_MS, () => response.destroy());
    response.once("close", () => late[Symbol.dispose]());
  }
}
