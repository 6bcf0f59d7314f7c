import { runCommandLine } from "../index.ts";
import type { Terminal } from "../shared/terminal.ts";

/** What a command has written, and its exit code. */
export interface Ran {
  code: number;
  out: string;
  err: string;
}

/** A command that runs. */
export interface Running {
  ended: Promise<Ran>;
  /** Resolves when that was written to standard output. */
  until: (pattern: RegExp) => Promise<void>;
  stop: () => void;
}

/**
 * Starts `meridian` with these arguments in this process, with no more of an environment than is given. `screen`: the size of the terminal that it
 * writes to; undefined: it writes to none, as in a pipeline.
 */
export function startMeridian(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  screen?: Terminal["screen"],
): Running {
  const written = { out: "", err: "" };
  const listeners = new Set<() => void>();
  const stopping = new AbortController();
  const write = (stream: "out" | "err") => (text: string) => {
    written[stream] += text;
    for (const listener of listeners) listener();
  };
  const terminal = {
    out: write("out"),
    err: write("err"),
    color: false,
    interactive: false,
    ...(screen && { screen }),
  };
  const ended = runCommandLine([...args], { terminal, signal: stopping.signal, env: { ...env } }).then((code) => ({
    code,
    ...written,
  }));
  const until = (pattern: RegExp): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = (): void => void (pattern.test(written.out) && resolve());
    listeners.add(check);
    check();
    return promise;
  };
  return { ended, until, stop: () => stopping.abort() };
}

/** As {@link startMeridian}, to its end. */
export function runMeridian(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  return startMeridian(args, env).ended;
}
