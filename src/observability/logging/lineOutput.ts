import { appendFile, close, openSync } from "node:fs";
import { promisify } from "node:util";
import { Gathering } from "./gathering.ts";
import type { Logger } from "./logger.ts";
import { onLostOutput, standardOutput } from "./logOutput.ts";
import { redactText } from "./redaction.ts";

/** Why a record reached no reader. */
export type LineDrop = "queue_full" | "failed";

/** A stream of JSON lines of its own. */
export interface LineOutput extends AsyncDisposable {
  /** Returns at once. The line is written within a second; a reader that is too slow loses lines and delays nothing. */
  write(record: object): void;
}

export interface LineOutputOptions {
  /** Name of the stream, the first field of each record. */
  stream: string;
  /** A file, to which lines are appended, or standard output. */
  target: string;
  logger: Pick<Logger, "warn">;
  onDrop: (cause: LineDrop, lines: number) => void;
}

export const STDOUT = "stdout";

/** Throws the error of the system if the file cannot be opened. */
export function openLineOutput({ stream, target, logger, onDrop }: LineOutputOptions): LineOutput {
  if (target === STDOUT) return new SharedOutput(stream, onDrop);
  return new FileOutput(openSync(target, "a", MODE), { stream, target, logger, onDrop });
}

/** Only the owner may read: the lines name objects of all tenants. */
const MODE = 0o600;
const LINE_WAITS_MS = 1_000;
/** Characters that are written without waiting for more. */
const ONE_WRITE = 8 * 1024;
/** Characters that wait; further lines are lost. */
const MOST_WAITING = 4 * 1024 * 1024;

const append = promisify<number, string>(appendFile);

class FileOutput implements LineOutput {
  readonly #file: number;
  readonly #options: LineOutputOptions;
  readonly #gathering: Gathering<string>;
  #isFailing = false;

  constructor(file: number, options: LineOutputOptions) {
    this.#file = file;
    this.#options = options;
    this.#gathering = new Gathering({
      ...{
        weigh: ({ length }) => length,
        most: MOST_WAITING,
        enough: ONE_WRITE,
        atOnce: Infinity,
        waitMs: LINE_WAITS_MS,
      },
      after: (ms, callback) => {
        const timer = setTimeout(callback, ms).unref();
        return { [Symbol.dispose]: () => clearTimeout(timer) };
      },
      take: (lines) => this.#append(lines),
      dropped: () => options.onDrop("queue_full", 1),
    });
  }

  write(record: object): void {
    this.#gathering.add(lineOf(record));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#gathering.flush();
    close(this.#file, () => undefined);
  }

  async #append(lines: readonly string[]): Promise<void> {
    const { stream, target, logger, onDrop } = this.#options;
    try {
      await append(this.#file, lines.join(""));
      this.#isFailing = false;
    } catch (err) {
      onDrop("failed", lines.length);
      const fields = { err, stream, event_reason: "RecordsNotWritten" };
      if (!this.#isFailing) logger.warn(fields, `records of ${stream} are lost: cannot write to ${target}`);
      this.#isFailing = true;
    }
  }
}

/** Standard output has one buffer for the log and these streams, so lines do not mix. */
class SharedOutput implements LineOutput {
  readonly #output = standardOutput();
  readonly #lost: Disposable;

  constructor(stream: string, onDrop: LineOutputOptions["onDrop"]) {
    const start = `{"stream":${JSON.stringify(stream)},`;
    this.#lost = onLostOutput((line) => {
      if (line.startsWith(start)) onDrop("queue_full", 1);
    });
  }

  write(record: object): void {
    this.#output.write(lineOf(record));
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#lost[Symbol.dispose]();
    return Promise.resolve();
  }
}

function lineOf(record: object): string {
  return `${redactText(JSON.stringify(record))}\n`;
}
