/** Plain scalars as kubectl and Helm read them: YAML 1.1, in the form that `sigs.k8s.io/yaml` gives it. */

/** Which of the types of JSON a scalar has, numbers told apart as Go does. */
export type Scalar =
  | { type: "string"; value: string }
  | { type: "null"; value: null }
  | { type: "boolean"; value: boolean }
  /** Of 64 bits, signed or not. A BigInt where no number holds the integer. */
  | { type: "integer"; value: number | bigint }
  /** May be infinite or no number, which JSON has no word for. */
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

/** What a plain scalar means. Times and numbers in base 60 stay texts; a number that is too large for its type is a text, too. */
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
  // Go reads an unsigned integer without a sign only.
  const most = sign === "" ? 2n ** 64n : 2n ** 63n;
  if (value < -(2n ** 63n) || value >= most) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** The text of a scalar as the key of a map; undefined for what can be no key. */
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

/** As Go's `%g` writes a float of 32 bits, which keys are. */
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

/** Minutes in base 60, and dates, which only some readers of version 1.1 take for something else than texts. */
const BASE_60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
/** Some readers of version 1.1 take a point or an exponent without a digit for a number. */
const LOOSE_FLOAT = /^[-+]?[0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?$/;
const DATE = /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt\s]|$)/;

/** Whether some reader of YAML takes the text, without quotes, for something else than a text. */
export function isAmbiguous(text: string): boolean {
  if (WORDS.has(text) || text === "=" || text === "<<" || /^(?:---|\.\.\.)/.test(text)) return true;
  if (LOOSE_FLOAT.test(text)) return true;
  if (!/^[-+.0-9]/.test(text)) return false;
  const plain = text.replaceAll("_", "");
  return INTEGER.test(plain) || FLOAT.test(plain) || BASE_60.test(text) || DATE.test(text);
}
