import { TransportError } from "../core/index.ts";
import type { ByteBudget } from "./exchange.ts";

const NEWLINE = 0x0a;
/** Read even if other streams have used up the budget. */
const SMALL_LINE = 1 << 20;

/** Splits bytes into lines. Every byte is read once; only whole lines are decoded, so no character is torn. */
export class LineSplitter {
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  readonly #limit: number;
  readonly #budget: ByteBudget | undefined;

  /** `limit`: of a line. `budget`: for incomplete lines. */
  constructor(limit: number = 16 << 20, budget?: ByteBudget) {
    this.#limit = limit;
    this.#budget = budget;
  }

  /** Drops the incomplete line. */
  [Symbol.dispose](): void {
    this.#budget?.giveBack(this.#pendingBytes);
    this.#pending = [];
    this.#pendingBytes = 0;
  }

  /** Lines that this chunk completes, without the empty ones. */
  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = this.#complete(chunk, start, end);
      if (line !== "") lines.push(line);
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(start === 0 ? chunk : chunk.subarray(start));
    return lines;
  }

  get partial(): boolean {
    return this.#pendingBytes > 0;
  }

  #complete(chunk: Buffer, start: number, end: number): string {
    if (this.#pendingBytes === 0) return chunk.toString("utf8", start, end);
    this.#pending.push(chunk.subarray(start, end));
    const line = Buffer.concat(this.#pending).toString("utf8");
    this[Symbol.dispose]();
    return line;
  }

  #keep(rest: Buffer): void {
    this.#pending.push(rest);
    this.#pendingBytes += rest.length;
    const isKept = this.#budget?.take(rest.length) ?? true;
    if (this.#pendingBytes > this.#limit)
      throw new TransportError("TooLarge", `the server sent a line of more than ${this.#limit >> 20} MiB`);
    if (!isKept && this.#pendingBytes > SMALL_LINE)
      throw new TransportError("TooLarge", "the server sends more at once than is kept of its streams");
  }
}
