/**
 * The command line. Promises: results go to standard output, everything else to standard error. The exit code is 0 for
 * done and fine, 1 for findings, 2 for an error or wrong usage, 3 for a timeout. An error is one line that says what to
 * do. A person's own credentials are never stored, and no secret is ever printed.
 */
import { CommanderError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { type CommandContext, describeUsageError, EXIT, reportError, type Terminal } from "./shared/index.ts";
import { type Act, createProgram, PROGRAM } from "./program.ts";

/** Hidden command that the completion scripts of the shells call, followed by the words after the program's name. */
export const COMPLETE = "__complete";

/** Returns the exit code of a call. Tests only record the call. */
export type Execute = (...call: Parameters<Act>) => Promise<number>;

/** Runs one command line (without the program's own name) and returns its exit code. */
export async function runCommandLine(
  args: readonly string[],
  given: CommandContext,
  execute: Execute = (_verb, _given, work) => work(),
): Promise<number> {
  const { program: name = PROGRAM } = given;
  const context: CommandContext = { ...given, terminal: namingCommands(given.terminal, name) };
  let exitCode: number = EXIT.ok;
  const program = createProgram(context, async (...call) => {
    exitCode = await execute(...call);
  });
  if (args.length === 0) {
    context.terminal.err(program.helpInformation());
    return EXIT.error;
  }
  // The words after COMPLETE are an unfinished command line, which commander could reject.
  if (args[0] === COMPLETE) return (await import("./completion/index.ts")).complete(program, args.slice(1), context);
  try {
    await program.parseAsync(asCommand(args, program), { from: "user" });
    return exitCode;
  } catch (error) {
    return report(error, args, context, program);
  }
}

/** Commander would answer `help` for an unknown command with the help of all commands. */
function asCommand(args: readonly string[], { commands }: CommandUnknownOpts): readonly string[] {
  const [first, asked = ""] = args;
  const isUnknown = first === "help" && /^\w/.test(asked) && !commands.some((command) => command.name() === asked);
  return isUnknown ? [asked] : args;
}

function report(error: unknown, args: readonly string[], context: CommandContext, program: CommandUnknownOpts): number {
  if (error instanceof CommanderError) {
    const used = commandIn(args, program);
    const message = describeUsageError(error, used);
    if (message === undefined) return EXIT.ok;
    const asked = [program.name(), ...used.map((command) => command.name())].join(" ");
    context.terminal.err(`meridian: ${message} (see "${asked} --help")\n`);
    return EXIT.error;
  }
  return reportError(error, context, { stack: wantsStack(args) });
}

/** `rollout`, `status`; empty when the arguments name none. */
function commandIn(args: readonly string[], program: CommandUnknownOpts): CommandUnknownOpts[] {
  const found: CommandUnknownOpts[] = [];
  for (const arg of args) {
    const next = (found.at(-1) ?? program).commands.find((known) => known.name() === arg);
    if (next !== undefined) found.push(next);
  }
  return found;
}

/** Commands in messages as the person has to type them: `kubectl meridian status`, say. */
function namingCommands(terminal: Terminal, name: string): Terminal {
  if (name === PROGRAM) return terminal;
  const typed = (text: string): string => text.replaceAll(`\`${PROGRAM} `, `\`${name} `);
  return { ...terminal, err: (text) => terminal.err(typed(text)) };
}

/** True for `--log-level debug` or `trace`. Read from the arguments: parsing may be what failed. */
function wantsStack(args: readonly string[]): boolean {
  return args.some(
    (arg, index) =>
      /^--log-level=(debug|trace)$/.test(arg) ||
      (arg === "--log-level" && /^(debug|trace)$/.test(args[index + 1] ?? "")),
  );
}
