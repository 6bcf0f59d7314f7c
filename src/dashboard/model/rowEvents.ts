import type { ServerSentEvent } from "./eventStream.ts";

/** A change of the rows of one stream. */
export type RowEvent<R> =
  | { type: "SET"; key: string; row: R }
  | { type: "DELETED"; key: string }
  | { type: "BOOKMARK" }
  | { type: "ERROR"; code: number; message: string };

/** An event of one of the watches of a stream. */
export interface WatchEvent {
  /** Name of the watch. */
  watch: string;
  /** After which the watch can go on. Undefined: among its first rows. */
  version: string | undefined;
  change: RowEvent<unknown>;
}

interface Decoded {
  watch?: unknown;
  type?: unknown;
  object?: DecodedObject;
}

interface DecodedObject {
  code?: unknown;
  message?: unknown;
  metadata?: { name?: unknown; namespace?: unknown; resourceVersion?: unknown };
  status?: object;
}

/**
 * What an event of the query API says. Undefined for an event that this page does not know: a newer server may send it.
 *
 * @throws {SyntaxError} if the data is no JSON
 */
export function watchEventOf({ data }: ServerSentEvent): WatchEvent | undefined {
  const { watch, type, object = {} } = JSON.parse(data) as Decoded;
  const change = changeOf(type, object);
  if (typeof watch !== "string" || change === undefined) return undefined;
  const version = object.metadata?.resourceVersion;
  return { watch, version: typeof version === "string" && version !== "0" ? version : undefined, change };
}

function changeOf(type: unknown, object: DecodedObject): RowEvent<unknown> | undefined {
  if (type === "BOOKMARK") return { type };
  if (type === "ERROR") {
    const code = typeof object.code === "number" ? object.code : 500;
    return { type, code, message: typeof object.message === "string" ? object.message : "the watch ended" };
  }
  const { name, namespace } = object.metadata ?? {};
  if (typeof name !== "string") return undefined;
  const key = `${typeof namespace === "string" ? namespace : ""}/${name}`;
  if (type === "DELETED") return { type, key };
  if ((type !== "ADDED" && type !== "MODIFIED") || object.status === undefined) return undefined;
  return { type: "SET", key, row: object.status };
}

export type OnChange<R> = (before: R | undefined, after: R | undefined) => void;

/** The rows of one stream, as of the last event. */
export class RowTable<R> {
  readonly #onChange: OnChange<R> | undefined;
  readonly #rows = new Map<string, R>();
  /** Keys seen since a fresh start. Undefined: the stream goes on where it was. */
  #seen: Set<string> | undefined = new Set();
  #version = 0;

  constructor(onChange?: OnChange<R>) {
    this.#onChange = onChange;
  }

  /** Grows with every change of the rows. */
  get version(): number {
    return this.#version;
  }

  get size(): number {
    return this.#rows.size;
  }

  /** The rows of the beginning are all there. */
  get isComplete(): boolean {
    return this.#seen === undefined;
  }

  rows(): R[] {
    return [...this.#rows.values()];
  }

  /** The stream begins anew with all rows. Those that are here stay on the screen until its bookmark. */
  restart(): void {
    this.#seen = new Set();
  }

  apply(event: RowEvent<R>): void {
    if (event.type === "SET") {
      this.#seen?.add(event.key);
      this.#set(event.key, event.row);
    } else if (event.type === "DELETED") {
      this.#seen?.delete(event.key);
      this.#set(event.key, undefined);
    } else if (event.type === "BOOKMARK") {
      this.#dropUnseen();
    }
  }

  #set(key: string, row: R | undefined): void {
    const before = this.#rows.get(key);
    if (before === undefined && row === undefined) return;
    if (row === undefined) this.#rows.delete(key);
    else this.#rows.set(key, row);
    this.#version += 1;
    this.#onChange?.(before, row);
  }

  /** What left while nobody listened does not come with the fresh start. */
  #dropUnseen(): void {
    const seen = this.#seen;
    if (seen === undefined) return;
    this.#seen = undefined;
    for (const key of this.#rows.keys()) if (!seen.has(key)) this.#set(key, undefined);
    this.#version += 1;
  }
}
