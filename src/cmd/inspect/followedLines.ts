/**
 * The lines of a log that is followed over several answers. Each line begins with its time. The next answer begins with
 * the second of the last line, so some lines come again. Pure.
 */

const STAMPED = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d) ?(.*)$/s;
const REMARK = /^\[.*\]$/s;

export class FollowedLines {
  /** Time of the last line, as a text that sorts. */
  #last = "";
  /** Texts of that time, in their order. */
  #texts: string[] = [];
  /** Lines of that time that this answer has had. */
  #repeated = 0;
  #isShown = true;
  /** The manager's word on why the present answer ends. */
  remark: string | undefined;

  /** Second of the last line, in RFC 3339. */
  get since(): string | undefined {
    return this.#last === "" ? undefined : `${this.#last.slice(0, 19)}Z`;
  }

  /** Another answer begins. */
  begin(): void {
    this.#repeated = 0;
    this.#isShown = true;
    this.remark = undefined;
  }

  /** The text to print; undefined: the line is known, or no line of the container. */
  take(line: string): string | undefined {
    const [, second = "", fraction = "", zone = "", text = ""] = STAMPED.exec(line) ?? [];
    if (second === "") return this.#unstamped(line);
    const at = `${new Date(`${second}${zone}`).toISOString().slice(0, 19)}.${fraction.padEnd(9, "0")}`;
    const shown = this.#unknownPart(at, text);
    this.#isShown = shown !== undefined;
    return shown;
  }

  #unknownPart(at: string, text: string): string | undefined {
    if (at < this.#last) return undefined;
    if (at > this.#last) {
      this.#last = at;
      this.#texts = [text];
      this.#repeated = 1;
      return text;
    }
    const place = this.#repeated;
    this.#repeated += 1;
    const known = this.#texts[place];
    if (known !== undefined && (text.length <= known.length || !text.startsWith(known))) return undefined;
    this.#texts[place] = text;
    // An answer before ended within this line.
    return text.slice(known?.length ?? 0);
  }

  /** A remark of the manager with the empty line before it, or the rest of a line that is too long. */
  #unstamped(line: string): string | undefined {
    if (line === "") return undefined;
    if (!REMARK.test(line)) return this.#isShown ? line : undefined;
    this.remark = line.slice(1, -1);
    return undefined;
  }
}
