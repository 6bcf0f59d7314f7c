import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { REPOSITORY } from "../../envtest/index.ts";

/** A text that stands in the source, without what is only known when the program runs. */
export interface SourceText {
  file: string;
  /** `VALUE` stands for each expression of a template. */
  text: string;
}

/** The texts of the program: literals and templates of every module that is no test, those joined by `+` as one. */
export function sourceTexts(): SourceText[] {
  const files = globSync("src/**/*.ts", { cwd: REPOSITORY }).filter((file) => !file.endsWith(".test.ts"));
  return files.flatMap((file) => {
    const { code } = transformSync(readFileSync(join(REPOSITORY, file), "utf8"), { loader: "ts", target: "esnext" });
    return new Literals(code).read().map((text) => ({ file, text }));
  });
}

/** After these characters and words a slash begins a regular expression. */
const BEFORE_PATTERN = /(?:^|[(,=:[!&|?{};+>]|\breturn)\s*$/;
/** What joins two literals. */
const JOINED = /\s*\+\s*(?=["'`])/y;

/** Reads the literals of code without comments, as esbuild prints it. */
class Literals {
  readonly #code: string;
  readonly #texts: string[] = [];
  #at = 0;

  constructor(code: string) {
    this.#code = code;
  }

  read(): string[] {
    this.#readUntil(undefined);
    return this.#texts;
  }

  #readUntil(end: string | undefined): void {
    let depth = 0;
    for (; this.#at < this.#code.length; this.#at++) {
      const char = this.#code[this.#at] ?? "";
      if (char === end && depth === 0) return;
      if (char === "{") depth++;
      else if (char === "}") depth--;
      else if (char === '"' || char === "'" || char === "`") this.#readLiterals();
      else if (char === "/" && this.#code[this.#at + 1] === "*") this.#at = this.#code.indexOf("*/", this.#at) + 1;
      else if (char === "/" && this.#code[this.#at + 1] === "/") this.#at = this.#code.indexOf("\n", this.#at);
      else if (char === "/" && BEFORE_PATTERN.test(this.#code.slice(Math.max(0, this.#at - 20), this.#at)))
        this.#skipPattern();
    }
  }

  /** Ends on the last character of the last literal. */
  #readLiterals(): void {
    let text = this.#readLiteral();
    for (;;) {
      JOINED.lastIndex = this.#at + 1;
      if (!JOINED.test(this.#code)) break;
      this.#at = JOINED.lastIndex;
      text += this.#readLiteral();
    }
    this.#texts.push(text);
  }

  #readLiteral(): string {
    const quote = this.#code[this.#at] ?? "";
    let text = "";
    for (this.#at++; this.#next() !== quote; this.#at++) {
      const char = this.#code[this.#at] ?? "";
      if (char === "\\") text += unescaped(this.#code[++this.#at] ?? "");
      else if (quote === "`" && char === "$" && this.#code[this.#at + 1] === "{") {
        this.#at += 2;
        this.#readUntil("}");
        text += "VALUE";
      } else text += char;
    }
    return text;
  }

  #next(): string {
    const char = this.#code[this.#at];
    if (char === undefined) throw new Error(`a literal does not end: ${this.#texts.at(-1)}`);
    return char;
  }

  #skipPattern(): void {
    let isInClass = false;
    for (this.#at++; this.#next() !== "/" || isInClass; this.#at++) {
      const char = this.#code[this.#at];
      if (char === "\\") this.#at++;
      else if (char === "[") isInClass = true;
      else if (char === "]") isInClass = false;
    }
  }
}

function unescaped(char: string): string {
  return char === "n" ? "\n" : char;
}
