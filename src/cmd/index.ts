/**
 * The command line. Promises: results on standard output and everything else on standard error; exit code 0 done and fine, 1 done and
 * something found, 2 error or wrong usage, 3 timed out; an error is one line that says what to do; progress and colours on a terminal
 * only. A person's own credentials are never stored, and no secret is ever printed.
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
  // Its words are a command line that is not complete, and may be wrong.
  if (args[0] === COMPLETE) return verbs.complete(program, args.slice(1), context);
  try {
    await program.parseAsync(asCommand(args, program), { from: "user" });
    return exitCode;
  } catch (error) {
    return report(error, args, context, program);
  }
}

/** Help on a command that there is not is a mistake like the command itself; commander would show the help of all of them. */
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

/** The command that the words name, after those that it is part of: `rollout` and `status`. Empty when they name none. */
function commandIn(args: readonly string[], program: Command): Command[] {
  const found: Command[] = [];
  for (const arg of args) {
    const next = (found.at(-1) ?? program).commands.find((known) => known.name() === arg);
    if (next !== undefined) found.push(next);
  }
  return found;
}

/** What is said about commands names them as the person has to type them. */
function namingCommands(terminal: Terminal, name: string): Terminal {
  if (name === PROGRAM) return terminal;
  const typed = (text: string): string => text.replaceAll(`\`${PROGRAM} `, `\`${name} `);
  return { ...terminal, err: (text) => terminal.err(typed(text)) };
}

/** With `--log-level debug` errors are printed with their stack. Read from the arguments themselves, because parsing the options may be what failed. */
function wantsStack(args: readonly string[]): boolean {
  return args.some(
    (arg, index) =>
      /^--log-level=(debug|trace)$/.test(arg) ||
      (arg === "--log-level" && /^(debug|trace)$/.test(args[index + 1] ?? "")),
  );
}
