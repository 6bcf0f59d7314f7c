import { isApiError, systemClock } from "../../runtime/index.ts";
import { CommandError } from "../shared/index.ts";
import { FollowedLines } from "./followedLines.ts";

export type LogParameters = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Log {
  /** The lines of one answer of the manager. */
  lines(parameters: LogParameters): AsyncIterable<string>;
  print(line: string): void;
  /** To the person, beside the log. */
  say(text: string): void;
  signal: AbortSignal;
}

/** Failures in a row until a person is told: the manager or the member is away for some minutes. */
const MOST_FAILURES = 20;
const LONGEST_PAUSE_MS = 10_000;
/** All that the manager gives, for a log whose every line is new. */
const ALL_LINES = 10_000;

/**
 * Follows a log until its container ends. The manager bounds the time and the bytes of an answer, and the way to the
 * manager may break off. Then another answer goes on at the last line.
 */
export async function followLog(log: Log, asked: LogParameters): Promise<void> {
  const { signal } = log;
  const lines = new FollowedLines();
  let parameters: LogParameters = { ...asked, timestamps: true };
  for (let failures = 0, isFirst = true; ; isFirst = false) {
    lines.begin();
    let printed = 0;
    let broken: unknown;
    try {
      for await (const line of log.lines(parameters)) {
        const text = lines.take(line);
        if (text === undefined) continue;
        log.print(text);
        printed += 1;
      }
    } catch (error) {
      signal.throwIfAborted();
      if ((isFirst && printed === 0) || isFinal(error)) throw error;
      broken = error;
    }
    signal.throwIfAborted();
    const why = broken === undefined ? lines.remark : wordsOf(broken);
    if (why === undefined) return;
    const isStuck = printed === 0 && / bytes;/.test(lines.remark ?? "");
    failures = printed === 0 && (broken !== undefined || isStuck) ? failures + 1 : 0;
    if (failures >= MOST_FAILURES)
      throw new CommandError(`the log cannot be followed on: ${why}; run the command again`);
    const { since } = lines;
    log.say(`${why}; going on ${since === undefined ? "from the beginning" : `from ${since}`}`);
    parameters = resumed(asked, since);
    if (failures > 0) await systemClock.sleep(Math.min(1_000 * failures, LONGEST_PAUSE_MS), signal);
  }
}

/** Bounds of the first answer do not hold for the lines that come after it. */
function resumed({ tailLines: _, sinceSeconds: __, ...rest }: LogParameters, since: string | undefined): LogParameters {
  return { ...rest, timestamps: true, ...(since === undefined ? { tailLines: ALL_LINES } : { sinceTime: since }) };
}

/** Another answer would say the same. */
function isFinal(error: unknown): boolean {
  return isApiError(error) && error.status >= 400 && error.status < 500 && error.status !== 429;
}

function wordsOf(error: unknown): string {
  return `the log breaks off: ${error instanceof Error ? error.message : String(error)}`;
}
