import { basename } from "node:path";
import { signalContext } from "../runtime/index.ts";
import { runCommandLine } from "./index.ts";
import { COMPLETE, PROGRAM } from "./program.ts";
import { systemTerminal } from "./shared/index.ts";

/** The command line of this process. Resolves with its exit code. */
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
 * How the person has called the program, by the name of the file that was started: kubectl runs `kubectl-meridian` for `kubectl meridian`,
 * and asks `kubectl_complete-meridian` for what may come next there.
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
