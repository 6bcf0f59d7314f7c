/**
 * Regular expressions as the API server understands them (RE2), made into those of JavaScript. Neither backreferences nor looking around exist
 * in RE2, so they are refused; what RE2 has and JavaScript writes otherwise is translated.
 */

/** A pattern that RE2 does not take, in the words of Go's compiler. */
export class PatternError extends Error {
  override readonly name = "PatternError";
}

const compiled = new Map<string, RegExp | PatternError>();
const MOST_COMPILED = 5000;

/**
 * Compiles once per pattern and process. The flags are `u` and, when the pattern says so, `i`, `m` and `s`; `g` makes it find all.
 *
 * @throws PatternError
 */
export function compilePattern(pattern: string): RegExp {
  let result = compiled.get(pattern);
  if (result === undefined) {
    result = translated(pattern);
    if (compiled.size >= MOST_COMPILED) compiled.clear();
    compiled.set(pattern, result);
  }
  if (result instanceof PatternError) throw result;
  return result;
}

function translated(pattern: string): RegExp | PatternError {
  try {
    return new RegExp(new Translation(pattern).run(), "gu");
  } catch (error) {
    if (error instanceof PatternError) return error;
    return new PatternError(`error parsing regexp: invalid character class: \`${pattern}\``, { cause: error });
  }
}

const POSIX: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: "\\x00-\\x7F",
  blank: "\\t ",
  cntrl: "\\x00-\\x1F\\x7F",
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: "!-\\/:-@\\[-`{-~",
  space: "\\t\\n\\v\\f\\r ",
  upper: "A-Z",
  word: "0-9A-Za-z_",
  xdigit: "0-9A-Fa-f",
};

const CLASSES: Readonly<Record<string, string>> = { d: "0-9", s: "\\t\\n\\f\\r ", w: "0-9A-Za-z_" };
const SYNTAX = "^$\\.*+?()[]{}|/";
const REPEAT = /^\{(\d+)(?:(,)(\d*))?\}/;
const MOST_REPEATS = 1000;

interface Flags {
  i: boolean;
  m: boolean;
  s: boolean;
  U: boolean;
}

class Translation {
  readonly #pattern: string;
  #at = 0;
  #flags: Flags = { i: false, m: false, s: false, U: false };
  readonly #open: { flags: Flags; closes: string }[] = [];

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  run(): string {
    let out = "";
    let repeatable = false;
    let repeated = "";
    while (this.#at < this.#pattern.length) {
      const start = this.#at;
      const char = this.#take();
      if (char === "*" || char === "+" || char === "?" || (char === "{" && REPEAT.test(this.#pattern.slice(start)))) {
        const operator = this.#repeat(char, start);
        if (repeated !== "")
          this.#fail("invalid nested repetition operator", repeated + this.#pattern.slice(start, this.#at));
        if (!repeatable) this.#fail("missing argument to repetition operator", operator.text);
        out += operator.js;
        repeated = operator.text;
        continue;
      }
      repeated = "";
      repeatable = true;
      if (char === "(") {
        out += this.#group();
        repeatable = false;
      } else if (char === ")") {
        const group = this.#open.pop();
        if (group === undefined) this.#fail("unexpected )", this.#pattern);
        this.#flags = group.flags;
        out += group.closes;
      } else if (char === "|") {
        out += "|";
        repeatable = false;
      } else out += this.#single(char);
    }
    if (this.#open.length > 0) this.#fail("missing closing )", this.#pattern);
    return out;
  }

  #take(): string {
    const char = String.fromCodePoint(this.#pattern.codePointAt(this.#at) ?? 0);
    this.#at += char.length;
    return char;
  }

  #fail(why: string, what: string): never {
    throw new PatternError(`error parsing regexp: ${why}: \`${what}\``);
  }

  #repeat(char: string, start: number): { js: string; text: string } {
    let js = char;
    if (char === "{") {
      const [text = "", low = "0", comma, high = ""] = REPEAT.exec(this.#pattern.slice(start)) ?? [];
      this.#at = start + text.length;
      const most = Math.max(Number(low), high === "" ? 0 : Number(high));
      if (most > MOST_REPEATS || (comma !== undefined && high !== "" && Number(high) < Number(low))) {
        this.#fail("invalid repeat count", text);
      }
      js = text;
    }
    let lazy = this.#flags.U;
    if (this.#pattern[this.#at] === "?") {
      this.#at++;
      lazy = !lazy;
    }
    return { js: lazy ? `${js}?` : js, text: this.#pattern.slice(start, this.#at) };
  }

  #group(): string {
    const flags = { ...this.#flags };
    if (this.#pattern[this.#at] !== "?") {
      this.#open.push({ flags, closes: ")" });
      return "(";
    }
    const rest = this.#pattern.slice(this.#at - 1);
    const named = /^\(\?P?<([A-Za-z0-9_]+)>/.exec(rest);
    if (named !== null) {
      this.#at += named[0].length - 1;
      this.#open.push({ flags, closes: ")" });
      return "(";
    }
    if (/^\(\?(?:P?<(?![=!])|P=|P>)/.test(rest))
      this.#fail("invalid named capture", /^[^>)]*>?/.exec(rest)?.[0] ?? rest);
    const options = /^\(\?([imsU]*)(-[imsU]+)?([:)])/.exec(rest);
    if (options === null) {
      this.#fail("invalid or unsupported Perl syntax", /^\(\?(<?.?)/u.exec(rest)?.[0] ?? rest);
    }
    this.#at += options[0].length - 1;
    for (const flag of options[1] ?? "") this.#flags[flag as keyof Flags] = true;
    for (const flag of options[2]?.slice(1) ?? "") this.#flags[flag as keyof Flags] = false;
    if (options[3] === ":") {
      this.#open.push({ flags, closes: ")" });
      return "(?:";
    }
    return "";
  }

  /** One character, class or assertion, with what the flags make of it. */
  #single(char: string): string {
    switch (char) {
      case ".":
        return this.#flags.s ? "[^]" : "[^\\n]";
      case "^":
        return this.#flags.m ? "(?<=^|\\n)" : "(?<![^])";
      case "$":
        return this.#flags.m ? "(?=\\n|(?![^]))" : "(?![^])";
      case "[":
        return this.#cased(this.#class());
      case "\\":
        return this.#escape();
      default:
        return this.#cased(literal(char));
    }
  }

  #cased(js: string): string {
    return this.#flags.i ? `(?i:${js})` : js;
  }

  #escape(): string {
    if (this.#at >= this.#pattern.length) this.#fail("trailing backslash at end of expression", "");
    const start = this.#at - 1;
    const char = this.#take();
    switch (char) {
      case "A":
        return "(?<![^])";
      case "z":
        return "(?![^])";
      case "b":
      case "B":
        return `\\${char}`;
      case "Q": {
        const end = this.#pattern.indexOf("\\E", this.#at);
        const quoted = this.#pattern.slice(this.#at, end === -1 ? undefined : end);
        this.#at = end === -1 ? this.#pattern.length : end + 2;
        return this.#cased(
          Array.from(quoted)
            .map((one) => literal(one))
            .join(""),
        );
      }
      case "C":
        return "[^]";
      default:
        return this.#cased(this.#escapedSet(char, start));
    }
  }

  /** An escape that may stand in a class or outside of one; outside, a set gets its brackets. */
  #escapedSet(char: string, start: number, inClass = false): string {
    const lower = char.toLowerCase();
    const set = "dsw".includes(lower) ? CLASSES[lower] : undefined;
    if (set !== undefined) {
      if (char === lower) return inClass ? set : `[${set}]`;
      return inClass ? (lower === "s" ? "\\x00-\\x08\\v\\x0E-\\x1F!-\\u{10FFFF}" : `\\${char}`) : `[^${set}]`;
    }
    if (lower === "p") return this.#property(char, start);
    if (char === "x" || /[0-7]/.test(char)) return this.#code(char, start);
    const control: Readonly<Record<string, string>> = { a: "\\x07", f: "\\f", t: "\\t", n: "\\n", r: "\\r", v: "\\v" };
    const plain = control[char];
    if (plain !== undefined) return plain;
    if (/[A-Za-z0-9]/.test(char) || (char.codePointAt(0) ?? 0) >= 0x80)
      this.#fail("invalid escape sequence", this.#pattern.slice(start, this.#at));
    return literal(char, inClass);
  }

  #code(char: string, start: number): string {
    const rest = this.#pattern.slice(start);
    const digits =
      char === "x"
        ? /^\\x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))/.exec(rest)
        : /^\\(0[0-7]{0,2}|[1-7][0-7]{1,2})/.exec(rest);
    if (digits === null) this.#fail("invalid escape sequence", this.#pattern.slice(start, this.#at));
    this.#at = start + digits[0].length;
    const code = char === "x" ? Number.parseInt(digits[1] ?? digits[2] ?? "", 16) : Number.parseInt(digits[1] ?? "", 8);
    if (code > 0x10ffff) this.#fail("invalid escape sequence", digits[0]);
    return `\\u{${code.toString(16)}}`;
  }

  #property(char: string, start: number): string {
    const text = /^\\[pP](\^?)(?:\{(\^?)([^}]+)\}|([A-Za-z]))/.exec(this.#pattern.slice(start));
    if (text === null) this.#fail("invalid character class range", this.#pattern.slice(start, this.#at));
    this.#at = start + text[0].length;
    const name = text[3] ?? text[4] ?? "";
    const negated = (char === "P") !== (text[2] === "^");
    for (const property of [name, `Script=${name}`]) {
      const js = `\\${negated ? "P" : "p"}{${property}}`;
      try {
        new RegExp(js, "u");
        return js;
      } catch {
        continue;
      }
    }
    return this.#fail("invalid character class range", text[0]);
  }

  #class(): string {
    const start = this.#at - 1;
    let out = "[";
    if (this.#pattern[this.#at] === "^") {
      this.#at++;
      out = "[^";
    }
    let first = true;
    for (;;) {
      if (this.#at >= this.#pattern.length) this.#fail("missing closing ]", this.#pattern.slice(start));
      const itemStart = this.#at;
      const char = this.#take();
      if (char === "]" && !first) return `${out}]`;
      first = false;
      const posix = char === "[" ? /^\[:(\^?)([a-z]*):\]/.exec(this.#pattern.slice(itemStart)) : null;
      if (posix !== null) {
        const set = POSIX[posix[2] ?? ""];
        if (set === undefined) this.#fail("invalid character class range", posix[0]);
        this.#at = itemStart + posix[0].length;
        out += posix[1] === "^" ? complement(set) : set;
        continue;
      }
      const low = this.#member(char, itemStart);
      if (
        this.#pattern[this.#at] === "-" &&
        this.#at + 1 < this.#pattern.length &&
        this.#pattern[this.#at + 1] !== "]"
      ) {
        this.#at++;
        const highStart = this.#at;
        const high = this.#member(this.#take(), highStart);
        const range = `${low}-${high}`;
        try {
          new RegExp(`[${range}]`, "u");
        } catch {
          this.#fail("invalid character class range", this.#pattern.slice(itemStart, this.#at));
        }
        out += range;
      } else out += low;
    }
  }

  #member(char: string, start: number): string {
    if (char !== "\\") return literal(char, true);
    if (this.#at >= this.#pattern.length) this.#fail("missing closing ]", this.#pattern.slice(start));
    return this.#escapedSet(this.#take(), start, true);
  }
}

function literal(char: string, inClass = false): string {
  if (SYNTAX.includes(char) || (inClass && char === "-")) return `\\${char}`;
  return char === "\n" ? "\\n" : char;
}

/** The characters that a set of ASCII characters leaves out, as they stand in a class. */
function complement(set: string): string {
  const within = new RegExp(`[${set}]`, "u");
  let out = "";
  for (let code = 0; code < 0x80; code++) {
    if (!within.test(String.fromCharCode(code))) out += `\\u{${code.toString(16)}}`;
  }
  return `${out}\\u{80}-\\u{10FFFF}`;
}

/** Whether the pattern is found anywhere in the text. */
export function matchesPattern(pattern: string, text: string): boolean {
  const expression = compilePattern(pattern);
  expression.lastIndex = 0;
  return expression.test(text);
}
