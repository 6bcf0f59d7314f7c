import type { Command, CommanderError } from "commander";
import { onOneLine } from "./outcome.ts";

/**
 * The line that describes a usage error to a person. Undefined when commander only showed help. `used` ends with the command that was used wrongly,
 * after those that it is part of, as far as it is known.
 */
export function describeUsageError(error: CommanderError, used: readonly Command[]): string | undefined {
  if (error.exitCode === 0 || error.code === "commander.help") return undefined;
  const message = onOneLine(error.message.replace(/^error: /, ""));
  switch (error.code) {
    case "commander.conflictingOption":
      return `${message}: leave one of them out`;
    case "commander.missingMandatoryOptionValue": {
      // What is not known is why something is missing: it is misspelt.
      const unknown = used.at(-1)?.args.find((arg) => arg.startsWith("-"));
      const why = unknown === undefined ? message : `unknown option '${unknown}', and ${message}`;
      return used.length === 0 ? why : `${why}; give it: ${usageOf(used)}`;
    }
    case "commander.missingArgument":
      return used.length === 0 ? message : `${message}; give it: ${usageOf(used)}`;
    default:
      return message;
  }
}

/** The command with what must be given. */
function usageOf(used: readonly Command[]): string {
  const command = used.at(-1);
  const options = (command?.options ?? [])
    .filter(({ mandatory }) => mandatory)
    .map(({ long, flags }) => `${long} ${flags.split(" ").at(-1)}`);
  const values = (command?.registeredArguments ?? []).filter(({ required }) => required);
  return [...used.map((one) => one.name()), ...values.map((argument) => `<${argument.name()}>`), ...options].join(" ");
}
