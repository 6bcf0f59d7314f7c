import { type DestinationStream, pino } from "pino";

export interface LineBuffer {
  write(line: string): void;
  flush(): void;
}

const ONE_WRITE = 8 * 1024;
/** Characters that wait; further lines are lost. */
const MOST_WAITING = 4 * 1024 * 1024;
const LINE_WAITS_MS = 1_000;
/** Somebody may have to act. */
const WARNING_WAITS_MS = 100;
/** pino's number of the level. */
const WARN = 40;

/**
 * Output that writes lines together: when they fill a write, a second after the first, soon after a warning, and at the
 * end of the process. A write for each line would cost more CPU than the line. A slow reader loses lines and delays
 * nothing.
 */
export function standardOutput(): DestinationStream {
  return (shared ??= openStandardOutput());
}

/** One output for all loggers of the process. With several outputs, lines would mix. */
let shared: DestinationStream | undefined;

function openStandardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: false, minLength: ONE_WRITE, maxLength: MOST_WAITING });
  // At exit pino repeats the last write until it succeeds. A write before fails once, and tells pino of a missing reader.
  process.once("beforeExit", () => output.flush());
  output.on("drop", (line: string) => {
    for (const listener of lostOutput) listener(line);
  });
  return gathered(output);
}

const lostOutput = new Set<(line: string) => void>();

/** Calls the listener with each line that standard output lost because its reader is too slow. */
export function onLostOutput(listener: (line: string) => void): Disposable {
  lostOutput.add(listener);
  return { [Symbol.dispose]: () => void lostOutput.delete(listener) };
}

export function gathered(buffer: LineBuffer): DestinationStream {
  let leaving: NodeJS.Timeout | undefined;
  let leavingSoon: NodeJS.Timeout | undefined;
  const leave = (): void => {
    clearTimeout(leaving);
    clearTimeout(leavingSoon);
    leaving = leavingSoon = undefined;
    buffer.flush();
  };
  return {
    // Makes pino set `lastLevel` for each line.
    [Symbol.for("pino.metadata")]: true,
    lastLevel: 0,
    write(line: string) {
      buffer.write(line);
      leaving ??= setTimeout(leave, LINE_WAITS_MS).unref();
      if (this.lastLevel >= WARN) leavingSoon ??= setTimeout(leave, WARNING_WAITS_MS).unref();
    },
  } as DestinationStream & { lastLevel: number };
}

/** Standard output, whose lines a second reader may get, too. */
export class LogTee {
  #reader: ((line: string) => void) | undefined;
  readonly destination: DestinationStream;

  constructor(output: DestinationStream = standardOutput()) {
    const next: DestinationStream & { lastLevel?: number } = output;
    const write = (line: string, level: number): void => {
      next.lastLevel = level;
      next.write(line);
      this.#reader?.(line);
    };
    this.destination = {
      // Makes pino set `lastLevel` for each line.
      [Symbol.for("pino.metadata")]: true,
      lastLevel: 0,
      write(line: string) {
        write(line, this.lastLevel);
      },
    } as DestinationStream & { lastLevel: number };
  }

  /** The reader must not log. */
  follow(reader: (line: string) => void): void {
    this.#reader = reader;
  }
}
