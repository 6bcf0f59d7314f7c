import type { Resource } from "../../query/types.ts";
import { type Connection, type OnChange, type RowEvent, RowTable } from "../model/index.ts";
import { AnswerError, type Parameters, type WatchAddress } from "./client.ts";
import type { Followed, Streams } from "./streams.ts";

/** Rows of one query that follow the fleet. */
export class Live<R> implements Followed, Disposable {
  readonly table: RowTable<R>;
  readonly #streams: Streams;
  readonly #resource: Resource;
  readonly #parameters: Parameters;
  #refusal: Extract<Connection, { is: "Refused" }> | undefined;
  /** After which the next connection goes on. */
  #version: string | undefined;

  constructor(streams: Streams, resource: Resource, parameters: Parameters, onChange?: OnChange<R>) {
    this.table = new RowTable(onChange);
    this.#streams = streams;
    this.#resource = resource;
    this.#parameters = parameters;
    streams.add(this);
  }

  get connection(): Connection {
    return this.#refusal ?? this.#streams.connection;
  }

  get isComplete(): boolean {
    return this.table.isComplete;
  }

  get isRefused(): boolean {
    return this.#refusal !== undefined;
  }

  begin(): WatchAddress {
    if (this.#version === undefined) this.table.restart();
    return { resource: this.#resource, parameters: { ...this.#parameters, resourceVersion: this.#version } };
  }

  take(change: RowEvent<unknown>, version: string | undefined): void {
    if (change.type === "ERROR") return this.#end(change.code, change.message);
    this.table.apply(change as RowEvent<R>);
    // Before the first bookmark, not all rows are here: a break begins anew.
    if (this.table.isComplete && version !== undefined) this.#version = version;
  }

  [Symbol.dispose](): void {
    this.#streams.remove(this);
  }

  #end(code: number, message: string): void {
    if (code === 400 || code === 403 || code === 404) {
      this.#refusal = { is: "Refused", message };
      return;
    }
    // The server does not know the version any more.
    if (code === 410) this.#version = undefined;
    throw new AnswerError(code, message);
  }
}
