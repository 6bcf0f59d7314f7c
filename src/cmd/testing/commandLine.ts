import { defined } from "../../apis/index.ts";
import { runCommandLine } from "../index.ts";
import type { CommandContext } from "../shared/connection.ts";
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
  /** Output until now. */
  written: Readonly<Pick<Ran, "out" | "err">>;
  /** Resolves when standard output, followed by standard error, matches the pattern; rejects if the command ends before. */
  until: (pattern: RegExp) => Promise<void>;
  stop: () => void;
}

/** Starts a command that writes to a recorded terminal; `screen` is its size, undefined for a pipeline. */
export function recorded(
  run: (context: CommandContext) => Promise<number>,
  env: CommandContext["env"] = {},
  screen?: Terminal["screen"],
): Running {
  const written = { out: "", err: "" };
  const listeners = new Set<() => void>();
  const stopping = new AbortController();
  const write = (stream: "out" | "err") => (text: string) => {
    written[stream] += text;
    for (const listener of listeners) listener();
  };
  const lines = { out: write("out"), err: write("err") };
  const terminal = { ...lines, color: false, interactive: false, ...defined({ screen }) };
  const ended = run({ terminal, signal: stopping.signal, env: { ...env } }).then((code) => ({ code, ...written }));
  const until = (pattern: RegExp): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const early = (): void => reject(new Error(`ended before ${pattern}:\n${written.out}${written.err}`));
    const check = (): void => void (pattern.test(written.out + written.err) && resolve());
    ended.then(early, reject);
    listeners.add(check);
    check();
    return promise.finally(() => listeners.delete(check));
  };
  return { ended, written, until, stop: () => stopping.abort() };
}

/** Starts `meridian` with these arguments in this process, with only the given environment. */
export function startMeridian(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  screen?: Terminal["screen"],
): Running {
  return recorded((context) => runCommandLine([...args], context), env, screen);
}

/** Runs {@link startMeridian} until the command ends. */
export function runMeridian(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  return startMeridian(args, env).ended;
}
