import type { Resource } from "../../query/types.ts";
import {
  type Connection,
  EventStreamReader,
  type OnChange,
  retryDelay,
  rowEventOf,
  RowTable,
  SILENT_MS,
} from "../model/index.ts";
import { AnswerError, type Client, type Parameters } from "./client.ts";

/** Rows of one query that follow the fleet, and come back after a break. */
export class Live<R> implements Disposable {
  readonly table: RowTable<R>;
  readonly #client: Client;
  readonly #resource: Resource;
  readonly #parameters: Parameters;
  readonly #end = new AbortController();
  readonly #changed: () => void;
  #connection: Connection = { is: "Connecting", since: Date.now() };
  #lastEventId: string | undefined;
  #failures = 0;
  #wake: (() => void) | undefined;

  constructor(client: Client, resource: Resource, parameters: Parameters, changed: () => void, onChange?: OnChange<R>) {
    this.table = new RowTable(onChange);
    this.#client = client;
    this.#resource = resource;
    this.#parameters = parameters;
    this.#changed = changed;
    void this.#run();
  }

  get connection(): Connection {
    return this.#connection;
  }

  /** Does not wait for the next try. */
  retry(): void {
    this.#wake?.();
  }

  [Symbol.dispose](): void {
    this.#end.abort();
    this.#wake?.();
  }

  async #run(): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      try {
        await this.#read();
        // A server that stops ends its watches in order.
        this.#failures = Math.max(this.#failures, 1);
        await this.#pause("the server ended the connection", 0);
      } catch (error) {
        if (signal.aborted) return;
        if (await this.#fails(error)) return;
      }
    }
  }

  async #read(): Promise<void> {
    if (this.#lastEventId === undefined) this.table.restart();
    const attempt = new AbortController();
    const signal = AbortSignal.any([this.#end.signal, attempt.signal]);
    let silence = setTimeout(() => attempt.abort(), SILENT_MS);
    try {
      const body = await this.#client.watch(this.#resource, this.#parameters, this.#lastEventId, signal);
      // A stream that goes on is silent until something changes.
      this.#hears();
      const reader = new EventStreamReader();
      const decoder = new TextDecoder();
      for await (const bytes of body) {
        clearTimeout(silence);
        silence = setTimeout(() => attempt.abort(), SILENT_MS);
        this.#failures = 0;
        this.#take(reader, decoder.decode(bytes, { stream: true }));
      }
    } catch (error) {
      if (attempt.signal.aborted) throw new Error("the connection is silent", { cause: error });
      throw error;
    } finally {
      clearTimeout(silence);
    }
  }

  #take(reader: EventStreamReader, text: string): void {
    for (const event of reader.push(text)) {
      const change = rowEventOf<R>(event);
      if (change === undefined) continue;
      if (change.type === "ERROR") throw new AnswerError(change.code, change.message);
      this.table.apply(change);
      // Before the first bookmark, not all rows are here: a break begins anew.
      if (this.table.isComplete && event.id !== undefined) this.#lastEventId = event.id;
    }
    this.#hears();
  }

  #hears(): void {
    this.#connection = { is: "Live", heardAt: Date.now() };
    this.#changed();
  }

  /** True: there is no use in another try. */
  async #fails(error: unknown): Promise<boolean> {
    const code = error instanceof AnswerError ? error.code : 0;
    const message = error instanceof Error ? error.message : String(error);
    if (code === 401 || code === 403 || code === 400) {
      this.#connection = code === 401 ? { is: "SignedOut", message } : { is: "Refused", message };
      this.#changed();
      return true;
    }
    // The server does not know the version any more.
    if (code === 410) this.#lastEventId = undefined;
    this.#failures += 1;
    await this.#pause(message, error instanceof AnswerError ? error.retryAfterSeconds : 0);
    return false;
  }

  async #pause(message: string, retryAfterSeconds: number): Promise<void> {
    const now = Date.now();
    const wait = retryDelay(this.#failures, Math.random(), retryAfterSeconds);
    const since = this.#connection.is === "Lost" ? this.#connection.since : now;
    this.#connection = { is: "Lost", since, retryAt: now + wait, message };
    this.#changed();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, wait);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }
}
