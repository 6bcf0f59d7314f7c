import { parseJson } from "./apiAnswers.ts";
import { locatedAt, TransportError } from "../core/index.ts";
import { type BodyReader, LineSplitter, type Pause, type Transport } from "../transport/index.ts";
import type { ResourceType, WatchEvent, WatchOptions } from "../types.ts";
import { knownVersionIn } from "./watchEvents.ts";
import { bookmarkOf, eventFrom } from "./wire.ts";

/**
 * Stream of one watch, for one reader. The first read sends the request. Throws when the connection breaks. Disposal
 * closes the stream and ends a waiting read.
 */
export class WatchStream implements AsyncIterableIterator<WatchEvent>, AsyncDisposable {
  readonly #open: (signal: AbortSignal) => Promise<BodyReader>;
  readonly #transport: Transport;
  readonly #type: ResourceType;
  /** For messages. */
  readonly #endpoint: string;
  readonly #pause: Pause;
  readonly #closing = new AbortController();
  readonly #signal: AbortSignal | undefined;
  readonly #known: WatchOptions["known"];
  readonly #onAbort = (): void => this.#closing.abort(this.#signal?.reason);
  readonly #lines: LineSplitter;
  #body: BodyReader | undefined;
  /** Lines that the reader has not read yet. */
  #waiting: string[] = [];
  #next = 0;
  #over = false;

  /** `open` sends the request and throws when the answer is not a stream. */
  constructor(
    transport: Transport,
    open: (signal: AbortSignal) => Promise<BodyReader>,
    type: ResourceType,
    { signal, known }: Pick<WatchOptions, "signal" | "known">,
    { endpoint, pause }: { endpoint: string; pause: Pause },
  ) {
    this.#endpoint = endpoint;
    this.#pause = pause;
    this.#transport = transport;
    this.#lines = new LineSplitter(undefined, transport.unread);
    this.#open = open;
    this.#type = type;
    this.#signal = signal;
    this.#known = known;
    if (signal?.aborted === true) this.#closing.abort(signal.reason);
    else signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<WatchEvent, undefined>> {
    for (;;) {
      try {
        const line = this.#waiting[this.#next];
        if (line !== undefined) {
          this.#next++;
          return { done: false, value: await this.#parse(line) };
        }
        if (this.#over) return { done: true, value: undefined };
        await this.#fill();
      } catch (error) {
        const disposed = this.#closing.signal.aborted && this.#signal?.aborted !== true;
        this.#finish();
        if (disposed) return { done: true, value: undefined };
        throw locatedAt(error, this.#endpoint);
      }
    }
  }

  async return(): Promise<IteratorResult<WatchEvent, undefined>> {
    this.#finish();
    return { done: true, value: undefined };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#finish();
  }

  async #fill(): Promise<void> {
    const { signal } = this.#closing;
    this.#body ??= await this.#open(signal);
    const chunk = await this.#transport.readFrom(this.#body, signal);
    if (chunk === undefined) {
      if (this.#lines.partial)
        throw new TransportError("ConnectionReset", "the watch broke off in the middle of an event");
      this.#finish();
      return;
    }
    this.#waiting = this.#lines.push(chunk);
    this.#next = 0;
  }

  async #parse(line: string): Promise<WatchEvent> {
    const version = knownVersionIn(line, this.#known);
    if (version !== undefined) return bookmarkOf(this.#type, version);
    const { host } = this.#transport;
    const event = eventFrom(await parseJson(line, host, this.#pause), this.#type, host);
    if ("object" in event && event.type !== "BOOKMARK") event.bytes = line.length;
    return event;
  }

  #finish(): void {
    this.#over = true;
    this.#waiting = [];
    this.#next = 0;
    this.#lines[Symbol.dispose]();
    this.#signal?.removeEventListener("abort", this.#onAbort);
    if (!this.#closing.signal.aborted) this.#closing.abort(new TransportError("Aborted", "the watch was closed"));
    this.#body?.close();
  }
}
