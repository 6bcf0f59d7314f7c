import { parseJson } from "../../apis/index.ts";

/** Bytes of JSON syntax. */
const [QUOTE, COMMA, OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [34, 44, 91, 92, 93, 123, 125] as const;
const SPACES: ReadonlySet<number | undefined> = new Set([9, 10, 13, 32]);
/** Bytes that are read without a pause. Reading them takes less than a millisecond. */
const PIECE_BYTES = 64 * 1024;

/**
 * `levels` and `values` bound one entry, `entries` bounds the list. The values of one manifest are parsed in less
 * than 100 ms; deeper texts take a parser a hundred times as long.
 */
export interface ListBounds {
  entries: number;
  levels: number;
  values: number;
}

/** Resolves when the event loop has time again; undefined if it has time now. */
export type Pause = () => Promise<void> | undefined;

/** A list has too many entries, or an entry has too many levels or values. */
export class ListTooLargeError extends Error {
  override readonly name = "ListTooLargeError";
  readonly passed: keyof ListBounds;

  constructor(passed: keyof ListBounds) {
    super(`too many ${passed}`);
    this.passed = passed;
  }
}

/**
 * Parses a JSON list entry by entry with pauses in between, so that the event loop stays free for any length. The
 * result is the same as from {@link parseJson}. Throws a SyntaxError for anything but a JSON list, and a {@link
 * ListTooLargeError} before a slow parse begins.
 */
export async function parseJsonList(text: Buffer, bounds: ListBounds, pause: Pause): Promise<unknown[]> {
  const ends = await entryEnds(text, bounds, pause);
  const entries: unknown[] = [];
  let begin = text.indexOf(OPEN_LIST) + 1;
  for (const end of ends) {
    const waiting = pause();
    if (waiting !== undefined) await waiting;
    const entry = text.toString("utf8", begin, end);
    if (ends.length === 1 && entry.trim() === "") return [];
    entries.push(parseJson(entry));
    begin = end + 1;
  }
  return entries;
}

/**
 * End of each entry: its comma, and for the last entry the end of the list. An empty list has one entry that holds
 * only spaces.
 */
async function entryEnds(text: Buffer, bounds: ListBounds, pause: Pause): Promise<number[]> {
  let last = text.length - 1;
  while (SPACES.has(text[last])) last -= 1;
  let first = 0;
  while (SPACES.has(text[first])) first += 1;
  if (text[first] !== OPEN_LIST || text[last] !== CLOSE_LIST || first === last)
    throw new SyntaxError("not a JSON list");
  const scan = new ListScan(bounds);
  for (let begin = first + 1; begin < last; begin += PIECE_BYTES) {
    const waiting = pause();
    if (waiting !== undefined) await waiting;
    scan.read(text, begin, Math.min(last, begin + PIECE_BYTES));
  }
  return [...scan.ends, last];
}

/**
 * Finds the commas between the entries of a list. Invalid JSON is left to the parser, which sees every byte between
 * two commas.
 */
class ListScan {
  readonly ends: number[] = [];
  readonly #bounds: ListBounds;
  #level = 0;
  #values = 0;
  #inText = false;
  #isEscaped = false;

  constructor(bounds: ListBounds) {
    this.#bounds = bounds;
  }

  read(text: Buffer, begin: number, end: number): void {
    const { entries, levels, values } = this.#bounds;
    for (let at = begin; at < end; at++) {
      const byte = text[at];
      if (this.#inText) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#inText = false;
      } else if (byte === QUOTE) this.#inText = true;
      else if (byte === COMMA) this.#comma(at);
      else if (byte === OPEN_MAP || byte === OPEN_LIST) {
        this.#level += 1;
        this.#values += 1;
      } else if (byte === CLOSE_MAP || byte === CLOSE_LIST) this.#level -= 1;
      if (this.#level > levels) throw new ListTooLargeError("levels");
      if (this.#values > values) throw new ListTooLargeError("values");
      if (this.ends.length >= entries) throw new ListTooLargeError("entries");
    }
  }

  #comma(at: number): void {
    if (this.#level > 0) {
      this.#values += 1;
      return;
    }
    this.ends.push(at);
    this.#values = 0;
  }
}
