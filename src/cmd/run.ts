import { basename } from "node:path";
import { signalContext } from "../runtime/index.ts";
import { COMPLETE, runCommandLine } from "./index.ts";
import { PROGRAM } from "./program.ts";
import { systemTerminal } from "./shared/index.ts";

/** Resolves with the exit code. */
export async function run(): Promise<number> {
  const { program, args } = calledAs(process.argv);
  using interruption = signalContext();
  return await runCommandLine(args, {
    terminal: systemTerminal(),
    signal: interruption.signal,
    env: process.env,
    program,
  });
}

/**
 * By the name of the started file: kubectl runs `kubectl-meridian` for `kubectl meridian`, and
 * `kubectl_complete-meridian` to complete a command line.
 */
export function calledAs([, file = "", ...args]: readonly string[]): { program: string; args: string[] } {
  switch (basename(file)) {
    case "kubectl-meridian":
      return { program: `kubectl ${PROGRAM}`, args };
    case "kubectl_complete-meridian":
      return { program: `kubectl ${PROGRAM}`, args: [COMPLETE, ...args] };
    default:
      return { program: PROGRAM, args };
  }
}
