import { type Terminal } from "../shared/index.ts";

export interface ScreenOptions {
  terminal: Terminal;
  /** Standard output is reserved for a result, so everything goes to standard error. */
  quietOut: boolean;
  /** Monotonic milliseconds. */
  now: () => number;
}

/** Permanent lines, with the seconds since the start for each step, and below them a block that is redrawn in place. */
export class Screen {
  readonly #terminal: Terminal;
  readonly #quietOut: boolean;
  readonly #now: () => number;
  readonly #startedAt: number;
  #block: readonly string[] = [];
  #height = 0;

  constructor({ terminal, quietOut, now }: ScreenOptions) {
    this.#terminal = terminal;
    this.#quietOut = quietOut;
    this.#now = now;
    this.#startedAt = now();
  }

  /** Size of the terminal when blocks can be drawn; undefined elsewhere. */
  get size(): { columns: number; rows: number } | undefined {
    const { screen } = this.#terminal;
    if (this.#quietOut || screen === undefined) return undefined;
    // A terminal that does not know its size says 0.
    return { columns: screen.columns || 80, rows: screen.rows || 24 };
  }

  get color(): boolean {
    return this.#terminal.color && !this.#quietOut;
  }

  get elapsed(): number {
    return (this.#now() - this.#startedAt) / 1_000;
  }

  step(text: string): void {
    this.print(`${this.elapsed.toFixed(1).padStart(6)}s  ${text}\n`);
  }

  /** Prints permanent text, with its line ends, above the block. */
  print(text: string): void {
    this.#write(this.#erased() + text + this.#drawn());
  }

  /** Replaces the block. Does nothing without a terminal. */
  draw(block: readonly string[]): void {
    if (this.size === undefined || same(block, this.#block)) return;
    const erased = this.#erased();
    this.#block = block;
    this.#write(erased + this.#drawn());
  }

  /** Turns the block into permanent text; later output comes below. */
  settle(): void {
    this.#block = [];
    this.#height = 0;
  }

  #erased(): string {
    return this.#height === 0 ? "" : `\u001b[${this.#height}A\r\u001b[J`;
  }

  #drawn(): string {
    this.#height = this.#block.length;
    return this.#block.map((line) => `${line}\n`).join("");
  }

  #write(text: string): void {
    if (this.#quietOut) this.#terminal.err(text);
    else this.#terminal.out(text);
  }
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index]);
}
