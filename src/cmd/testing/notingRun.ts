import type { CommandContext } from "../shared/connection.ts";
import { runCommandLine } from "../index.ts";
import type { Verbs } from "../program.ts";

export interface Run {
  code: number;
  out: string;
  err: string;
  /** The verb that was called, with its arguments. */
  called: [verb: string, ...given: unknown[]] | undefined;
}

/** Runs a command line with verbs that only record their call, or do what `act` does. */
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
  const noting =
    (verb: string) =>
    async (...given: unknown[]) => {
      result.called = [verb, ...given.slice(0, -1)];
      return act();
    };
  const verbs: Verbs = {
    manager: noting("manager"),
    install: noting("install"),
    uninstall: noting("uninstall"),
    join: noting("join"),
    unjoin: noting("unjoin"),
    cordon: noting("cordon"),
    uncordon: noting("uncordon"),
    drain: noting("drain"),
    rollout: noting("rollout"),
    bundle: noting("bundle"),
    status: noting("status"),
    plan: noting("plan"),
    explain: noting("explain"),
    quickstart: noting("quickstart"),
    version: noting("version"),
    completion: noting("completion"),
    complete: noting("complete"),
  };
  result.code = await runCommandLine(line.split(" ").filter(Boolean), context, verbs);
  return result;
}
