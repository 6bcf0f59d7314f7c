/**
 * The command line. Promises: results go to standard output, everything else to standard error. The exit code is 0 for
 * done and fine, 1 for done with findings, 2 for an error or wrong usage, 3 for a timeout. An error is one line that
 * says what to do. Progress and colours appear on a terminal only. A person's own credentials are never stored, and no
 * secret is ever printed.
 */
import { type Command, CommanderError } from "commander";
import { type CommandContext, describeUsageError, EXIT, reportError, type Terminal } from "./shared/index.ts";
import { COMPLETE, createProgram, PROGRAM, systemVerbs, type Verbs } from "./program.ts";

/** Runs one command line (without the program's own name) and returns its exit code. */
export async function runCommandLine(
  args: readonly string[],
  given: CommandContext,
  verbs: Verbs = systemVerbs,
): Promise<number> {
  const { program: name = PROGRAM } = given;
  const context: CommandContext = { ...given, terminal: namingCommands(given.terminal, name) };
  let exitCode: number = EXIT.ok;
  const program = createProgram(verbs, context, (code) => (exitCode = code));
  if (args.length === 0) {
    context.terminal.err(program.helpInformation());
    return EXIT.error;
  }
  // The words after COMPLETE are an unfinished command line, which commander could reject.
  if (args[0] === COMPLETE) return verbs.complete(program, args.slice(1), context);
  try {
    await program.parseAsync(asCommand(args, program), { from: "user" });
    return exitCode;
  } catch (error) {
    return report(error, args, context, program);
  }
}

/**
 * Treats `help` for an unknown command as that unknown command, which is an error. Commander would print the help of
 * all commands instead.
 */
function asCommand(args: readonly string[], { commands }: Command): readonly string[] {
  const [first, asked = ""] = args;
  const isUnknown = first === "help" && /^\w/.test(asked) && !commands.some((command) => command.name() === asked);
  return isUnknown ? [asked] : args;
}

function report(error: unknown, args: readonly string[], context: CommandContext, program: Command): number {
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

/** The commands that the arguments name, outermost first: `rollout`, `status`. Empty when the arguments name none. */
function commandIn(args: readonly string[], program: Command): Command[] {
  const found: Command[] = [];
  for (const arg of args) {
    const next = (found.at(-1) ?? program).commands.find((known) => known.name() === arg);
    if (next !== undefined) found.push(next);
  }
  return found;
}

/** Writes commands in messages as the person has to type them: `kubectl meridian status`, say. */
function namingCommands(terminal: Terminal, name: string): Terminal {
  if (name === PROGRAM) return terminal;
  const typed = (text: string): string => text.replaceAll(`\`${PROGRAM} `, `\`${name} `);
  return { ...terminal, err: (text) => terminal.err(typed(text)) };
}

/**
 * True for `--log-level debug` or `trace`: errors are then printed with their stack. The arguments are read directly,
 * because parsing the options may be the step that failed.
 */
function wantsStack(args: readonly string[]): boolean {
  return args.some(
    (arg, index) =>
      /^--log-level=(debug|trace)$/.test(arg) ||
      (arg === "--log-level" && /^(debug|trace)$/.test(args[index + 1] ?? "")),
  );
}
