/**
 * JSON of the API without a changed number. Kubernetes has integers of 64 bits; a JavaScript number holds 53. Integers beyond that are
 * read as BigInt, and `JSON.stringify` writes a BigInt as the integer that it is, wherever it is called.
 */

/**
 * `JSON.parse`, but for integers that a number cannot hold exactly: those of 64 bits, signed or not, become BigInt. Everything else that
 * has more digits than a number is rounded, as API servers round it. Takes a fifth longer than `JSON.parse` where no integer is large, seven
 * times as long where one is, and up to twenty times where the text holds nothing else. Throws a SyntaxError for what is no JSON.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!MAY_HOLD_LARGE.test(text)) return value;
  const marked = withLargeIntegersQuoted(text);
  return marked === text ? value : restored(value, JSON.parse(marked));
}

/** Finds large integers, and texts and fractions that look like one at their beginning. Tries each run of digits once. */
const MAY_HOLD_LARGE = /(?:^|[[:,\s-])[1-9][0-9]{15}/;
/** An integer of 16 to 20 digits, and what looks like one within a text. */
const CANDIDATE = /(?<=^|[[:,\s])-?[1-9][0-9]{15,19}(?=[\s,\]}]|$)/g;

/** The text, which has to be JSON, with each large integer in quotes. */
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
 * The value with its large integers. `marked` is the same value with texts in the place of these, so that where one has a number and the
 * other a text, the text is the integer. Without recursion: a text may have more levels than the stack.
 */
function restored(value: unknown, marked: unknown): unknown {
  if (typeof value === "number" && typeof marked === "string") return BigInt(marked);
  type Members = Record<string, unknown>;
  const open: [unknown, unknown][] = [[value, marked]];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [members, texts] = pair as [Members, Members];
    // Every key is the object's own, so that even `__proto__` is set as any other.
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
 * JSON that a reader of YAML takes for the same. API servers read the body of an apply as YAML, which refuses the control characters that
 * JSON may hold as they are, and takes U+0085 for the end of a line.
 */
export function jsonForYaml(value: unknown): string {
  return JSON.stringify(value).replaceAll(NOT_IN_YAML, escaped);
}

/** The character as texts of JSON, and of YAML in double quotes, may hold it. */
export function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Characters that some reader of YAML refuses, or takes for the end of a line. */
export const NOT_IN_YAML = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

const { rawJSON } = JSON as typeof JSON & { rawJSON(this: void, text: string): unknown };

// JSON.stringify asks even a primitive BigInt for its toJSON; without one it throws.
Object.defineProperty(BigInt.prototype, "toJSON", {
  configurable: true,
  writable: true,
  value(this: bigint): unknown {
    return rawJSON(this.toString());
  },
});
