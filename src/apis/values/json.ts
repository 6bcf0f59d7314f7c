/**
 * JSON of the API without changed numbers. Kubernetes has integers of 64 bits, but a JavaScript number holds 53. Larger
 * integers are read as BigInt, and `JSON.stringify` writes a BigInt as a plain integer, wherever it is called.
 */

/**
 * `JSON.parse`, except that 64-bit integers (signed or unsigned) which a number cannot hold exactly become BigInt.
 * Every other number with too many digits is rounded, as API servers round it. Takes a fifth longer than `JSON.parse`
 * where no integer is large, seven times as long where one is, and up to twenty times where the text holds nothing
 * else. Throws a SyntaxError for invalid JSON.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!MAY_HOLD_LARGE.test(text)) return value;
  const marked = withLargeIntegersQuoted(text);
  return marked === text ? value : restored(value, JSON.parse(marked));
}

/** Finds large integers, but also strings and fractions that begin like one. Tries each run of digits once. */
const MAY_HOLD_LARGE = /(?:^|[[:,\s-])[1-9][0-9]{15}/;
/** An integer of 16 to 20 digits. Also matches such digits within a string. */
const CANDIDATE = /(?<=^|[[:,\s])-?[1-9][0-9]{15,19}(?=[\s,\]}]|$)/g;

/** Puts each large integer in quotes. The text must be valid JSON. */
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

/** The position after the closing quote: the first quote with an even number of backslashes before it. */
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
 * Puts the large integers into `value`. `marked` is the same value with strings in place of the large integers: where
 * `value` has a number and `marked` a string, the string is the integer. Does not recurse, since a text may have more
 * levels than the stack.
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
 * JSON that a YAML reader reads as the same value. API servers read the body of an apply as YAML. YAML refuses control
 * characters that JSON allows unescaped, and takes U+0085 for the end of a line.
 */
export function jsonForYaml(value: unknown): string {
  return JSON.stringify(value).replaceAll(NOT_IN_YAML, escaped);
}

/** Escape of a character that is valid in JSON strings and in YAML's double quotes. */
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
