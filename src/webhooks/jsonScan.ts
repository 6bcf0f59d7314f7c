/** Bytes that structure JSON. */
const [QUOTE, COMMA, OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [34, 44, 91, 92, 93, 123, 125] as const;
/** Name and level of the list whose entries are located: `request.objects` of a ConversionReview. */
const LIST_NAME = Buffer.from('"objects"');
const LIST_LEVEL = 3;

export interface ScanBounds {
  levels: number;
  /** Each comma and each opened map or list counts. With `entries`: for each entry, for the rest, and of entries. */
  values: number;
  /** Locates the entries of `request.objects`. */
  entries?: boolean;
}

/**
 * Scans the structure of a body while it arrives: depth, number of values, and the entries of `request.objects`. A
 * parser needs a hundred times as long for a text of brackets as for other texts, so the scan makes sure that parsing
 * will be quick. Invalid JSON is left to the parser.
 */
export class JsonScan {
  /** Begin and end of each entry of the list, in bytes from the start of the body. */
  readonly entries: [begin: number, end: number][] = [];
  readonly #bounds: ScanBounds;
  #read = 0;
  #level = 0;
  #values = 0;
  #inText = false;
  #isEscaped = false;
  /** The last string in the map that holds the list. */
  #name: Buffer = Buffer.alloc(0);
  /** Begin of the part of this string in the present chunk; undefined outside such a string. */
  #nameFrom: number | undefined;
  #inList = false;
  #entryFrom = 0;

  constructor(bounds: ScanBounds) {
    this.#bounds = bounds;
  }

  /** Returns the bound that is passed, if any. */
  push(chunk: Buffer): "levels" | "values" | undefined {
    if (this.#nameFrom !== undefined) this.#nameFrom = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (this.#inText) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#endText(chunk, at);
      } else if (byte === QUOTE) this.#beginText(at);
      else if (byte === COMMA) this.#values += 1;
      else if (byte === OPEN_MAP || byte === OPEN_LIST) this.#open(byte, at);
      else if (byte === CLOSE_MAP || byte === CLOSE_LIST) this.#close(at);
      if (this.#level > this.#bounds.levels) return "levels";
      if (this.#values > this.#bounds.values) return "values";
    }
    if (this.#nameFrom !== undefined) this.#keepName(chunk, chunk.length);
    this.#read += chunk.length;
    return undefined;
  }

  #beginText(at: number): void {
    this.#inText = true;
    if (this.#level !== LIST_LEVEL - 1) return;
    this.#name = Buffer.alloc(0);
    this.#nameFrom = at;
  }

  #endText(chunk: Buffer, at: number): void {
    this.#inText = false;
    if (this.#nameFrom === undefined) return;
    this.#keepName(chunk, at + 1);
    this.#nameFrom = undefined;
  }

  /** A name may be split over two chunks. A longer one cannot match. */
  #keepName(chunk: Buffer, end: number): void {
    if (this.#name.length > LIST_NAME.length) return;
    const more = chunk.subarray(this.#nameFrom, Math.min(end, (this.#nameFrom ?? 0) + LIST_NAME.length + 1));
    this.#name = Buffer.concat([this.#name, more]);
  }

  #open(byte: number, at: number): void {
    this.#values += 1;
    if (this.#inList && this.#level === LIST_LEVEL) {
      this.#entryFrom = this.#read + at;
      this.#values = 0;
    }
    if (this.#bounds.entries === true && byte === OPEN_LIST && this.#level === LIST_LEVEL - 1)
      this.#inList = this.#name.equals(LIST_NAME);
    this.#level += 1;
  }

  #close(at: number): void {
    this.#level -= 1;
    if (!this.#inList) return;
    if (this.#level === LIST_LEVEL) {
      this.entries.push([this.#entryFrom, this.#read + at + 1]);
      this.#values = this.entries.length;
    }
    if (this.#level < LIST_LEVEL) this.#inList = false;
  }
}
