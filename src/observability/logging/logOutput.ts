import { type DestinationStream, pino } from "pino";

/** Takes lines and keeps them until it is told to write them. */
export interface LineBuffer {
  write(line: string): void;
  flush(): void;
}

/** Characters that make a write worth its cost. */
const ONE_WRITE = 8 * 1024;
/** Characters that wait to be written. */
const MOST_WAITING = 4 * 1024 * 1024;
/** How long a line waits for others, at most. */
const LINE_WAITS_MS = 1_000;
/** How long a line waits that somebody may have to act on. */
const WARNING_WAITS_MS = 100;
/** What pino calls the level `warn`; the levels above have higher numbers. */
const WARN = 40;

/**
 * Lines leave together: when they fill a write, a second after the first of them, soon after a warning, and at the end of the process.
 * A write for each line costs a manager more CPU than the line itself, the busy one as well as the quiet one, which each write wakes up
 * twice. Whoever reads the lines too slowly loses some; the work that they tell of never waits.
 */
export function standardOutput(): DestinationStream {
  return (shared ??= openStandardOutput());
}

/** Loggers of one process would else write into each other's lines. */
let shared: DestinationStream | undefined;

function openStandardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: false, minLength: ONE_WRITE, maxLength: MOST_WAITING });
  // What is left at the exit itself pino writes again and again until it is taken, also where nobody reads any more. A write before that
  // fails once, and tells pino so.
  process.once("beforeExit", () => output.flush());
  return gathered(output);
}

/** Lines go to the buffer at once, which is flushed for all of them together. */
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
    // Has pino say the level of each line.
    [Symbol.for("pino.metadata")]: true,
    lastLevel: 0,
    write(line: string) {
      buffer.write(line);
      leaving ??= setTimeout(leave, LINE_WAITS_MS).unref();
      if (this.lastLevel >= WARN) leavingSoon ??= setTimeout(leave, WARNING_WAITS_MS).unref();
    },
  } as DestinationStream & { lastLevel: number };
}
