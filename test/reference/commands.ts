import type { Argument, CommandUnknownOpts as Command, Option } from "@commander-js/extra-typings";
import { createProgram } from "../../src/cmd/program.ts";
import { markdownTable } from "../../src/apis/reference/index.ts";

/** The command line, with verbs that do nothing: to read its options, or to have arguments checked. */
export function programForReading(): Command {
  const silent = { out: () => undefined, err: () => undefined, color: false, interactive: false };
  return createProgram({ terminal: silent, signal: new AbortController().signal, env: {} }, async () => undefined);
}

/** Every command with its options, as commander has them. */
export function commandsText(program: Command = programForReading()): string {
  const parts = [
    "These options are for every command:",
    optionsTable(program.options),
    ...program.commands.flatMap((command) => sectionOf(command, program.name())),
  ];
  return parts.join("\n\n");
}

function sectionOf(command: Command, parent: string): string[] {
  const name = `${parent} ${command.name()}`;
  const usage = [name, ...command.registeredArguments.map(argumentText)].join(" ");
  return [
    `### ${name}`,
    `\`${usage}\` ${command.description()}.`,
    ...argumentLines(command.registeredArguments),
    ...(command.options.some(({ hidden }) => !hidden) ? [optionsTable(command.options)] : []),
    ...command.commands.flatMap((inner) => sectionOf(inner, name)),
  ];
}

function argumentText(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function argumentLines(given: readonly Argument[]): string[] {
  const described = given.filter(({ description }) => description !== "");
  if (described.length === 0) return [];
  return [described.map((argument) => `- \`${argumentText(argument)}\`: ${argument.description}`).join("\n")];
}

function optionsTable(options: readonly Option[]): string {
  const rows = options
    .filter(({ hidden }) => !hidden)
    .map((option) => [`\`${option.flags}\``, defaultOf(option), meaningOf(option)]);
  return markdownTable(["option", "default", "what it is"], rows);
}

/** Nothing for a switch that is off. */
function defaultOf({ defaultValue, defaultValueDescription, mandatory }: Option): string {
  if (mandatory) return "(needed)";
  if (defaultValue === undefined || defaultValue === false) return "";
  return `\`${defaultValueDescription ?? String(defaultValue)}\``;
}

function meaningOf({ description, argChoices = [] }: Option): string {
  return argChoices.length === 0 ? description : `${description}: ${argChoices.map((one) => `\`${one}\``).join(", ")}`;
}
