import { createInterface } from "node:readline/promises";

/** Output of a command: results go to `out`, everything else to `err`. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** `out` is a terminal that shows colours, and NO_COLOR is not set. */
  color: boolean;
  /** `err` is a terminal, whose lines can be overwritten. */
  interactive: boolean;
  /** Returns the line that a person types; absent unless input and output are a terminal. */
  ask?(question: string, signal: AbortSignal): Promise<string>;
  /** Size in characters; absent unless `out` is such a terminal. */
  screen?: { readonly columns: number; readonly rows: number };
}

export function systemTerminal(env: Record<string, string | undefined> = process.env): Terminal {
  // The reader may close the pipe early (`meridian status | head`).
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    color: process.stdout.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb",
    interactive: process.stderr.isTTY === true && env["TERM"] !== "dumb",
    ...(process.stdin.isTTY === true && process.stderr.isTTY === true ? { ask: askOnTerminal } : {}),
    // The stream follows the window.
    ...(process.stdout.isTTY === true && env["TERM"] !== "dumb" ? { screen: process.stdout } : {}),
  };
}

async function askOnTerminal(question: string, signal: AbortSignal): Promise<string> {
  using lines = createInterface({ input: process.stdin, output: process.stderr });
  return await lines.question(question, { signal });
}

/** A line that is overwritten on a terminal, and not shown elsewhere. */
export class Progress implements Disposable {
  readonly #terminal: Terminal;
  #shown = "";

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  show(text: string): void {
    if (!this.#terminal.interactive || text === this.#shown) return;
    this.#terminal.err(`\r\u001b[2K${text}`);
    this.#shown = text;
  }

  [Symbol.dispose](): void {
    if (this.#shown !== "") this.#terminal.err("\r\u001b[2K");
    this.#shown = "";
  }
}

export type Tone = "good" | "bad" | "plain";

const CODES: Record<Tone, string> = { good: "\u001b[32m", bad: "\u001b[31m", plain: "" };

export function paint(text: string, tone: Tone, color: boolean): string {
  return color && tone !== "plain" ? `${CODES[tone]}${text}\u001b[0m` : text;
}

export interface Cell {
  text: string;
  tone: Tone;
}

/** Columns as in kubectl: three spaces apart, and no spaces after the last column. */
export function formatTable(header: string[], rows: (string | Cell)[][], color = false): string {
  const cells = [header, ...rows].map((row) =>
    row.map((cell): Cell => (typeof cell === "string" ? { text: cell, tone: "plain" } : cell)),
  );
  const widths = header.map((_, column) => Math.max(...cells.map((row) => (row[column]?.text ?? "").length)));
  const lines = cells.map((row) =>
    row
      .map(({ text, tone }, column) => {
        const padding = column === row.length - 1 ? "" : " ".repeat((widths[column] ?? 0) - text.length + 3);
        return paint(text, tone, color) + padding;
      })
      .join("")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}

/** A table of columns, each with its title and its cell of a row. */
export function formatColumns<T>(
  columns: readonly (readonly [title: string, cell: (row: T) => string | Cell])[],
  rows: readonly T[],
  color: boolean,
): string {
  return formatTable(
    columns.map(([title]) => title),
    rows.map((row) => columns.map(([, cell]) => cell(row))),
    color,
  );
}
