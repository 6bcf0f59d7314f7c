import type { Command, CommanderError } from "commander";
import { onOneLine } from "./outcome.ts";

/**
 * The line that describes a usage error to a person. Undefined when commander only showed help. `command` is the one that was used wrongly,
 * as far as it is known.
 */
export function describeUsageError(error: CommanderError, command: Command | undefined): string | undefined {
  if (error.exitCode === 0 || error.code === "commander.help") return undefined;
  const message = onOneLine(error.message.replace(/^error: /, ""));
  switch (error.code) {
    case "commander.conflictingOption":
      return `${message}: leave one of them out`;
    case "commander.missingArgument":
    case "commander.missingMandatoryOptionValue":
      return command === undefined ? message : `${message}; give it: ${command.name()} ${usageOf(command)}`;
    default:
      return message;
  }
}

/** What must be given. */
function usageOf(command: Command): string {
  const options = command.options
    .filter(({ mandatory }) => mandatory)
    .map(({ long, flags }) => `${long} ${flags.split(" ").at(-1)}`);
  return [...command.registeredArguments.map((argument) => `<${argument.name()}>`), ...options].join(" ");
}
