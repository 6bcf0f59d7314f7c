import { formatText, textOf, timestampText } from "../formatText.ts";
import { type CelFunction, evaluationError } from "../library.ts";
import { findPattern, matchesPattern, PatternError } from "../../regularExpression.ts";

/**
 * Functions for strings and regular expressions that the library lacks, or has with JavaScript's regular expressions
 * instead of RE2.
 */

/**
 * Methods that replace the library's own: its `matches` does not use RE2, its `substring` does not report the wrong
 * index, and the others change more than ASCII.
 */
export const REPLACED: Readonly<Record<string, string>> = {
  matches: "matchesRe2",
  substring: "substringOf",
  lowerAscii: "lowerAsciiOnly",
  upperAscii: "upperAsciiOnly",
};

export class StringsNamespace {}

export const stringFunctions: readonly CelFunction[] = [
  [`string.${REPLACED["matches"]}(string): bool`, matches],
  [`string.${REPLACED["substring"]}(int): string`, (text: string, start: bigint) => substring(text, start)],
  [`string.${REPLACED["substring"]}(int, int): string`, substring],
  [
    `string.${REPLACED["lowerAscii"]}(): string`,
    (text: string) => text.replace(/[A-Z]/g, (char) => char.toLowerCase()),
  ],
  [
    `string.${REPLACED["upperAscii"]}(): string`,
    (text: string) => text.replace(/[a-z]/g, (char) => char.toUpperCase()),
  ],
  ["matches(string, string): bool", matches],
  ["string.find(string): string", (text: string, pattern: string) => found(text, pattern, 1)[0] ?? ""],
  ["string.findAll(string): list<string>", (text: string, pattern: string) => found(text, pattern, Infinity)],
  [
    "string.findAll(string, int): list<string>",
    (text: string, pattern: string, most: bigint) => found(text, pattern, most < 0n ? Infinity : Number(most)),
  ],
  ["string.charAt(int): string", charAt],
  [
    "string.replace(string, string): string",
    (text: string, from: string, to: string) => text.replaceAll(from, () => to),
  ],
  ["string.replace(string, string, int): string", replace],
  ["string.format(list<dyn>): string", formatText],
  ["StringsNamespace.quote(string): string", (_: unknown, text: string) => quote(text)],
  ["string(google.protobuf.Timestamp): string", (time: Date) => timestampText(time)],
  ["int(google.protobuf.Timestamp): int", (time: Date) => BigInt(Math.floor(time.getTime() / 1000))],
  ["timestamp(google.protobuf.Timestamp): google.protobuf.Timestamp", (time: Date) => time],
  ["duration(google.protobuf.Duration): google.protobuf.Duration", (duration: unknown) => duration],
  ["string(google.protobuf.Duration): string", (duration: unknown) => textOf(duration)],
];

function matches(text: string, pattern: string): boolean {
  return withPattern(() => matchesPattern(pattern, text));
}

function found(text: string, pattern: string, most: number): string[] {
  return withPattern(() => findPattern(pattern, text, most));
}

function withPattern<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof PatternError) throw evaluationError(error.message);
    throw error;
  }
}

function charAt(text: string, index: bigint): string {
  const chars = Array.from(text);
  if (index < 0n || index > BigInt(chars.length)) throw evaluationError(`index out of range: ${index}`);
  return chars[Number(index)] ?? "";
}

function substring(text: string, start: bigint, end?: bigint): string {
  const chars = Array.from(text);
  const length = BigInt(chars.length);
  const last = end ?? length;
  if (start < 0n || start > length) throw evaluationError(`index out of range: ${start}`);
  if (last < 0n || last > length) throw evaluationError(`index out of range: ${last}`);
  if (start > last) throw evaluationError(`invalid substring range. start: ${start}, end: ${last}`);
  return chars.slice(Number(start), Number(last)).join("");
}

function replace(text: string, from: string, to: string, times: bigint): string {
  if (times < 0n) return text.replaceAll(from, () => to);
  let left = times;
  return text.replaceAll(from, (match) => (left-- > 0n ? to : match));
}

/** Like `strings.quote`: printable, in double quotes. */
function quote(text: string): string {
  const escapes: Readonly<Record<string, string>> = {
    "\u0007": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    "\\": "\\\\",
    '"': '\\"',
  };
  return `"${Array.from(text)
    .map((char) => escapes[char] ?? char)
    .join("")}"`;
}
