import { printYaml } from "../../apis/index.ts";

/** Texts that several commands print. Pure. */

const SHOWN = 8;

/** Returns `nothing` if there are no names. */
export function chooseAmong(names: readonly string[], nothing: string): string {
  return names.length === 0 ? nothing : `name one of these: ${namesText(names, SHOWN)}`;
}

/** Quotes a word for the shell where necessary. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

const MOST_NAMES = 6;

/** `a, b and 3 more`. */
export function namesText(names: readonly string[], most: number = MOST_NAMES): string {
  const more = names.length > most ? ` and ${names.length - most} more` : "";
  return `${names.slice(0, most).join(", ")}${more}`;
}

/** `Placement shop/web`. */
export function refText({ kind, namespace, name }: { kind: string; namespace?: string; name: string }): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

/** The value for programs; undefined if the output format is one for people. */
export function structured(value: unknown, output: string | undefined): string | undefined {
  if (output === "json") return `${JSON.stringify(value, undefined, 2)}\n`;
  return output === "yaml" ? printYaml(value) : undefined;
}
