import type { CommandContext } from "../shared/connection.ts";
import { runCommandLine } from "../index.ts";

export interface Run {
  code: number;
  out: string;
  err: string;
  /** The verb that was called, with its arguments. */
  called: [verb: string, ...given: unknown[]] | undefined;
}

/** Runs a command line whose verb is only recorded, or does what `act` does. */
export async function run(line: string, act: () => number = () => 0, program = "meridian"): Promise<Run> {
  const result: Run = { code: -1, out: "", err: "", called: undefined };
  const context: CommandContext = {
    terminal: {
      out: (text) => (result.out += text),
      err: (text) => (result.err += text),
      color: false,
      interactive: false,
    },
    signal: new AbortController().signal,
    env: {},
    program,
  };
  result.code = await runCommandLine(line.split(" ").filter(Boolean), context, async (verb, given) => {
    result.called = [verb, ...given];
    return act();
  });
  return result;
}
