import { type DestinationStream, pino } from "pino";

/** Buffers lines until `flush`. */
export interface LineBuffer {
  write(line: string): void;
  flush(): void;
}

/** Number of characters that are written at once. */
const ONE_WRITE = 8 * 1024;
/** Maximum number of characters that wait. Further lines are lost. */
const MOST_WAITING = 4 * 1024 * 1024;
/** Maximum time that a line waits for others. */
const LINE_WAITS_MS = 1_000;
/** Maximum time that a warning or an error waits, since somebody may have to act. */
const WARNING_WAITS_MS = 100;
/** pino's number of the level `warn`; higher levels have higher numbers. */
const WARN = 40;

/**
 * Output that writes lines together: when they fill a write, a second after the first of them, soon after a warning,
 * and at the end of the process. One write for each line costs a manager more CPU than the line itself. This also holds
 * for an idle manager, since each write wakes the process twice. If the reader is too slow, lines are lost, but the
 * work is never delayed.
 */
export function standardOutput(): DestinationStream {
  return (shared ??= openStandardOutput());
}

/** One output for all loggers of the process. With several outputs, lines would mix. */
let shared: DestinationStream | undefined;

function openStandardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: false, minLength: ONE_WRITE, maxLength: MOST_WAITING });
  // At exit pino repeats the last write until it succeeds, even if nobody reads any more. A write before the exit fails
  // only once and tells pino about the missing reader.
  process.once("beforeExit", () => output.flush());
  return gathered(output);
}

/** Passes lines to the buffer at once, and flushes the buffer for many lines together. */
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
