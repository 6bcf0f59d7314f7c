/** Values in the words of Go, where the API server's findings hold them. */

import { goJson } from "../fields/goText.ts";

export { goJson };

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};

/** As `%q`: other than JSON's quoting for control characters and for what cannot be printed. */
export function goQuoted(text: string): string {
  let quoted = "";
  for (const char of text) quoted += ESCAPES[char] ?? (isPrintable(char) ? char : escaped(char));
  return `"${quoted}"`;
}

function isPrintable(char: string): boolean {
  return char === " " || /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(char);
}

function escaped(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}

/** As `%v`: `1e-05`, `1e+21`. */
export function goNumber(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 2 ** 63) return BigInt(value).toString();
  if (size >= 1e-4 && size < 1e21) return String(value);
  const [digits, exponent = "0"] = value.toExponential().split("e");
  const sign = exponent.startsWith("-") ? "-" : "+";
  return `${digits}e${sign}${exponent.replace(/^[+-]/, "").padStart(2, "0")}`;
}
