import type { KubeObject } from "../apis/index.ts";
import { parseJson } from "./apiAnswers.ts";
import { TransportError } from "./errors.ts";
import type { BodyReader } from "./exchange.ts";
import { LineSplitter } from "./lineSplitter.ts";
import type { Transport } from "./transport.ts";
import type { ApiStatus, WatchEvent } from "./types.ts";

/** An event as the server writes it. */
interface WireEvent {
  type: string;
  object: unknown;
}

/**
 * One watch: sends its request when it is first read, and gives the events in order. Ends when the server ends it; throws
 * when the connection breaks off. One reader. Disposing closes the stream and ends a read that is waiting.
 */
export class WatchStream implements AsyncIterableIterator<WatchEvent>, AsyncDisposable {
  readonly #open: (signal: AbortSignal) => Promise<BodyReader>;
  readonly #transport: Transport;
  readonly #prepare: (object: KubeObject) => KubeObject;
  readonly #closing = new AbortController();
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#closing.abort(this.#signal?.reason);
  readonly #lines = new LineSplitter();
  #body: BodyReader | undefined;
  #events: WatchEvent[] = [];
  #next = 0;
  #over = false;

  /** `open` sends the request and throws when the answer is not a stream; `prepare` is applied to each object. */
  constructor(
    transport: Transport,
    open: (signal: AbortSignal) => Promise<BodyReader>,
    prepare: (object: KubeObject) => KubeObject,
    signal: AbortSignal | undefined,
  ) {
    this.#transport = transport;
    this.#open = open;
    this.#prepare = prepare;
    this.#signal = signal;
    if (signal?.aborted === true) this.#closing.abort(signal.reason);
    else signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<WatchEvent, undefined>> {
    for (;;) {
      const event = this.#events[this.#next];
      if (event !== undefined) {
        this.#next++;
        return { done: false, value: event };
      }
      if (this.#over) return { done: true, value: undefined };
      try {
        await this.#fill();
      } catch (error) {
        const disposed = this.#closing.signal.aborted && this.#signal?.aborted !== true;
        this.#finish();
        if (disposed) return { done: true, value: undefined };
        throw error;
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
    this.#events = this.#lines.push(chunk).map((line) => this.#parse(line));
    this.#next = 0;
  }

  #parse(line: string): WatchEvent {
    const { type, object } = parseJson<WireEvent>(line, this.#transport.host);
    switch (type) {
      case "ADDED":
      case "MODIFIED":
      case "DELETED":
        return { type, object: this.#prepare(object as KubeObject) };
      case "BOOKMARK":
        return { type, object: object as KubeObject };
      case "ERROR":
        return { type, status: object as ApiStatus };
      default:
        throw new TransportError("Protocol", `${this.#transport.host} sent an event of an unknown type in a watch`);
    }
  }

  #finish(): void {
    this.#over = true;
    this.#events = [];
    this.#next = 0;
    this.#signal?.removeEventListener("abort", this.#onAbort);
    if (!this.#closing.signal.aborted) this.#closing.abort(new TransportError("Aborted", "the watch was closed"));
    this.#body?.close();
  }
}
