/** Plain scalars as kubectl and Helm read them: YAML 1.1, in the form that `sigs.k8s.io/yaml` gives it. */

/** Integers and floats are separate types, as in Go. */
export type Scalar =
  | { type: "string"; value: string }
  | { type: "null"; value: null }
  | { type: "boolean"; value: boolean }
  /** 64 bits. A BigInt where a number cannot hold the integer. */
  | { type: "integer"; value: number | bigint }
  /** May be infinite or NaN, which JSON cannot express. */
  | { type: "float"; value: number };

const WORDS = new Map<string, Scalar>([
  ...all(["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"], { type: "boolean", value: true }),
  ...all(["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"], {
    type: "boolean",
    value: false,
  }),
  ...all(["", "~", "null", "Null", "NULL"], { type: "null", value: null }),
  ...all([".nan", ".NaN", ".NAN"], { type: "float", value: Number.NaN }),
  ...all([".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"], { type: "float", value: Number.POSITIVE_INFINITY }),
  ...all(["-.inf", "-.Inf", "-.INF"], { type: "float", value: Number.NEGATIVE_INFINITY }),
]);

function all(words: readonly string[], scalar: Scalar): [string, Scalar][] {
  return words.map((word) => [word, scalar]);
}

const INTEGER = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|[1-9][0-9]*|0)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
/** More digits than 64 bits have in any base. */
const MOST_DIGITS = 70;

/** Times, numbers in base 60 and numbers that are too large for their type are strings. */
export function plainScalar(text: string): Scalar {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  const asText: Scalar = { type: "string", value: text };
  if (!/^[-+.0-9]/.test(text)) return asText;
  const plain = text.replaceAll("_", "");
  const integer = integerOf(plain);
  if (integer !== undefined) return { type: "integer", value: integer };
  if (!FLOAT.test(plain)) return asText;
  const value = Number(plain);
  return Number.isFinite(value) ? { type: "float", value } : asText;
}

function integerOf(text: string): number | bigint | undefined {
  const [, sign, digits = ""] = INTEGER.exec(text) ?? [];
  if (sign === undefined || digits.length > MOST_DIGITS) return undefined;
  const magnitude = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits);
  const value = sign === "-" ? -magnitude : magnitude;
  // Go reads an unsigned integer only when the text has no sign.
  const most = sign === "" ? 2n ** 64n : 2n ** 63n;
  if (value < -(2n ** 63n) || value >= most) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Undefined for a scalar that cannot be a key. */
export function keyText(scalar: Scalar): string | undefined {
  switch (scalar.type) {
    case "string":
      return scalar.value;
    case "boolean":
      return String(scalar.value);
    case "integer":
      return scalar.value < 2n ** 63n ? String(scalar.value) : undefined;
    case "float":
      return floatKey(scalar.value);
    case "null":
      return undefined;
  }
}

/** A float key as Go's `%g` writes it, from a float of 32 bits. */
function floatKey(value: number): string {
  const single = Math.fround(value);
  if (Number.isNaN(single)) return ".nan";
  if (!Number.isFinite(single)) return single > 0 ? ".inf" : "-.inf";
  if (single === 0) return Object.is(single, -0) ? "-0" : "0";
  let shortest = "";
  for (let digits = 0; digits < 9 && Math.fround(Number(shortest)) !== single; digits++)
    shortest = single.toExponential(digits);
  const exponent = Number(shortest.slice(shortest.indexOf("e") + 1));
  return exponent >= -4 && exponent < 6 ? String(Number(shortest)) : shortest.replace(/e([-+])(\d)$/, "e$10$2");
}

/** Numbers in base 60. Only some readers of version 1.1 read them, and dates, as something else than strings. */
const BASE_60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
/** Some readers of version 1.1 read a point or an exponent without a digit as a number. */
const LOOSE_FLOAT = /^[-+]?[0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?$/;
const DATE = /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt\s]|$)/;

/** Some YAML reader would read the text, without quotes, as something else than a string. */
export function isAmbiguous(text: string): boolean {
  if (WORDS.has(text) || text === "=" || text === "<<" || /^(?:---|\.\.\.)/.test(text)) return true;
  if (LOOSE_FLOAT.test(text)) return true;
  if (!/^[-+.0-9]/.test(text)) return false;
  const plain = text.replaceAll("_", "");
  return INTEGER.test(plain) || FLOAT.test(plain) || BASE_60.test(text) || DATE.test(text);
}
