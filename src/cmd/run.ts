import { signalContext } from "../runtime/index.ts";
import { runCommandLine } from "./index.ts";
import { systemTerminal } from "./terminal.ts";

/** The command line of this process. Resolves with its exit code. */
export async function run(): Promise<number> {
  using interruption = signalContext();
  return await runCommandLine(process.argv.slice(2), {
    terminal: systemTerminal(),
    signal: interruption.signal,
    env: process.env,
  });
}
