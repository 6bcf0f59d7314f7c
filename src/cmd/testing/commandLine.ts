import { runCommandLine } from "../index.ts";
import type { Terminal } from "../shared/terminal.ts";

/** Output and exit code of a command. */
export interface Ran {
  code: number;
  out: string;
  err: string;
}

/** A running command. */
export interface Running {
  ended: Promise<Ran>;
  /** Resolves when standard output matches the pattern. */
  until: (pattern: RegExp) => Promise<void>;
  stop: () => void;
}

/**
 * Starts `meridian` with these arguments in this process, with only the given environment. `screen` is the size of the
 * terminal that the command writes to; undefined: a pipeline, not a terminal.
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

/** Runs {@link startMeridian} until the command ends. */
export function runMeridian(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  return startMeridian(args, env).ended;
}
