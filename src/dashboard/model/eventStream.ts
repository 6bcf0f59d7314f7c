export interface ServerSentEvent {
  id?: string;
  event: string;
  data: string;
}

/** A field longer than this is no row of the query API. In characters. */
const LONGEST_EVENT = 4_000_000;

/** Reads the text of an event stream in pieces, which may end anywhere. Comments are heartbeats, and no events. */
export class EventStreamReader {
  #rest = "";
  #id: string | undefined;
  #event = "";
  #data: string[] = [];

  /** @throws {Error} if one event has no end */
  push(text: string): ServerSentEvent[] {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length > LONGEST_EVENT) throw new Error("an event of the stream is too long");
    return lines.flatMap((line) => this.#line(line.endsWith("\r") ? line.slice(0, -1) : line));
  }

  #line(line: string): ServerSentEvent[] {
    if (line === "") return this.#end();
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const rest = colon < 0 ? "" : line.slice(colon + 1);
    const value = rest.startsWith(" ") ? rest.slice(1) : rest;
    if (field === "id") this.#id = value;
    else if (field === "event") this.#event = value;
    else if (field === "data") this.#data.push(value);
    return [];
  }

  #end(): ServerSentEvent[] {
    const data = this.#data;
    const event = this.#event;
    this.#data = [];
    this.#event = "";
    if (data.length === 0) return [];
    const id = this.#id;
    return [{ ...(id === undefined ? {} : { id }), event: event === "" ? "message" : event, data: data.join("\n") }];
  }
}
