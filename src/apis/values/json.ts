/**
 * Kubernetes has integers of 64 bits, and a JavaScript number holds 53. Larger ones are read as BigInt, and
 * `JSON.stringify` writes a BigInt as a plain integer, wherever it is called.
 */

/**
 * `JSON.parse`, except that 64-bit integers beyond a number become BigInt. Takes a fifth longer without such integers,
 * and up to twenty times as long where the text holds nothing else. Throws a SyntaxError for invalid JSON.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!MAY_HOLD_LARGE.test(text)) return value;
  const marked = withLargeIntegersQuoted(text);
  return marked === text ? value : restored(value, JSON.parse(marked));
}

/** Also matches strings and fractions. Tries each run of digits once. */
const MAY_HOLD_LARGE = /(?:^|[[:,\s-])[1-9][0-9]{15}/;
/** An integer of 16 to 20 digits. Also matches such digits within a string. */
const CANDIDATE = /(?<=^|[[:,\s])-?[1-9][0-9]{15,19}(?=[\s,\]}]|$)/g;

/** The text must be valid JSON. */
function withLargeIntegersQuoted(text: string): string {
  let quoted = "";
  let copied = 0;
  // The first string that ends after the last candidate.
  let begin = text.indexOf('"');
  let end = begin < 0 ? text.length : endOfString(text, begin);
  for (const { 0: candidate, index } of text.matchAll(CANDIDATE)) {
    while (end <= index) {
      begin = text.indexOf('"', end);
      end = begin < 0 ? text.length : endOfString(text, begin);
    }
    const isWithinText = begin >= 0 && begin < index;
    if (isWithinText || !isLarge(candidate)) continue;
    quoted += `${text.slice(copied, index)}"${candidate}"`;
    copied = index + candidate.length;
  }
  return quoted + text.slice(copied);
}

/** After the first quote with an even number of backslashes before it. */
function endOfString(text: string, begin: number): number {
  for (let at = begin + 1; ; at++) {
    at = text.indexOf('"', at);
    let escapes = at;
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes--;
    if ((at - escapes) % 2 === 0) return at + 1;
  }
}

const BACKSLASH = 92;
const LEAST = -(2n ** 63n);
const MOST = 2n ** 64n - 1n;

function isLarge(digits: string): boolean {
  const integer = BigInt(digits);
  return !Number.isSafeInteger(Number(digits)) && integer >= LEAST && integer <= MOST;
}

/**
 * `marked` is the same value with strings for the large integers. Does not recurse: a text may have more levels than
 * the stack.
 */
function restored(value: unknown, marked: unknown): unknown {
  if (typeof value === "number" && typeof marked === "string") return BigInt(marked);
  type Members = Record<string, unknown>;
  const open: [unknown, unknown][] = [[value, marked]];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [members, texts] = pair as [Members, Members];
    // JSON.parse makes every key an own property, so that even `__proto__` is set like any other key.
    for (const key in members) {
      const member = members[key];
      if (typeof member === "number") {
        const text = texts[key];
        if (typeof text === "string") members[key] = BigInt(text);
      } else if (typeof member === "object" && member !== null) open.push([member, texts[key]]);
    }
  }
  return value;
}

/**
 * API servers read the body of an apply as YAML, which refuses control characters and takes U+0085 for the end of a
 * line.
 */
export function jsonForYaml(value: unknown): string {
  return JSON.stringify(value).replaceAll(NOT_IN_YAML, escaped);
}

/** Valid in JSON strings and in YAML's double quotes. */
export function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Characters that some YAML readers refuse or take for the end of a line. */
export const NOT_IN_YAML = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

const { rawJSON } = JSON as typeof JSON & { rawJSON(this: void, text: string): unknown };

// JSON.stringify calls toJSON even on a primitive BigInt, and throws without this method.
Object.defineProperty(BigInt.prototype, "toJSON", {
  configurable: true,
  writable: true,
  value(this: bigint): unknown {
    return rawJSON(this.toString());
  },
});
