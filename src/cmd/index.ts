/**
 * The command line. Promises: results on standard output and everything else on standard error; exit code 0 done and fine, 1 done and
 * something found, 2 error or wrong usage, 3 timed out; an error is one line that says what to do; progress and colours on a terminal
 * only. A person's own credentials are never stored, and no secret is ever printed.
 */
import { CommanderError } from "commander";
import type { CommandContext } from "./connection.ts";
import { EXIT, reportError } from "./outcome.ts";
import { createProgram, describeUsageError, systemVerbs, type Verbs } from "./program.ts";

/** Runs one command line (without the program's own name) and returns its exit code. */
export async function runCommandLine(
  args: readonly string[],
  context: CommandContext,
  verbs: Verbs = systemVerbs,
): Promise<number> {
  let exitCode: number = EXIT.ok;
  const program = createProgram(verbs, context, (code) => (exitCode = code));
  if (args.length === 0) {
    context.terminal.err(program.helpInformation());
    return EXIT.error;
  }
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    return report(error, args, context);
  }
}

function report(error: unknown, args: readonly string[], context: CommandContext): number {
  if (error instanceof CommanderError) {
    const message = describeUsageError(error);
    if (message === undefined) return EXIT.ok;
    context.terminal.err(`meridian: ${message} (see "meridian --help")\n`);
    return EXIT.error;
  }
  return reportError(error, context, { stack: wantsStack(args) });
}

/** With `--log-level debug` errors are printed with their stack. Read from the arguments themselves, because parsing the options may be what failed. */
function wantsStack(args: readonly string[]): boolean {
  return args.some(
    (arg, index) =>
      /^--log-level=(debug|trace)$/.test(arg) ||
      (arg === "--log-level" && /^(debug|trace)$/.test(args[index + 1] ?? "")),
  );
}
