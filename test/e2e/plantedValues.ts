import { randomInt } from "node:crypto";

const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
/** Characters that JSON, addresses and base64 change. */
const ODD = '<&"\\/+=%é';

/**
 * A secret value of a test. Its first 14 letters and digits are nowhere else, so that a message that cuts the value
 * still gives it away. JSON and percent-encoding leave them as they are; base64 has three forms, by the position.
 */
export class PlantedValue {
  readonly what: string;
  readonly text: string;
  readonly #traces: ReadonlyMap<string, string>;

  /** `tail`: what follows the letters. A token or a name has no odd characters. */
  constructor(what: string, tail = ODD) {
    const core = Array.from({ length: 14 }, () => LETTERS[randomInt(LETTERS.length)]).join("");
    this.what = what;
    this.text = `${core}${tail}`;
    const once = formsInBase64(core);
    const hex = Buffer.from(core).toString("hex");
    this.#traces = new Map([
      [core, "as it is"],
      [hex, "in hex"],
      [hex.toUpperCase(), "in hex"],
      ...once.map((form): [string, string] => [form, "in base64"]),
      ...once.flatMap(formsInBase64).map((form): [string, string] => [form, "in base64, twice"]),
    ]);
  }

  get base64(): string {
    return Buffer.from(this.text).toString("base64");
  }

  /** How and where the text holds the value. Undefined: not at all. */
  traceIn(text: string): string | undefined {
    for (const [trace, how] of this.#traces) {
      const at = text.indexOf(trace);
      if (at >= 0) return `${how}: …${text.slice(Math.max(0, at - 120), at)}[${this.what}]`;
    }
    return undefined;
  }
}

/** The part of each form that does not depend on the characters around. */
function formsInBase64(text: string): string[] {
  return [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]);
    const first = [0, 2, 3][before];
    return bytes.toString("base64").slice(first, Math.floor((bytes.length * 8) / 6));
  });
}

/** What a reader can get in one place. `own`: values that people put there themselves, for whoever may read the place. */
export interface Place {
  text: string;
  own?: readonly PlantedValue[];
}

/** A line for each value in each place that must not have it. */
export function leaks(places: ReadonlyMap<string, Place>, values: readonly PlantedValue[]): string[] {
  return [...places].flatMap(([name, { text, own = [] }]) =>
    values.flatMap((value) => {
      const trace = own.includes(value) ? undefined : value.traceIn(text);
      return trace === undefined ? [] : [`${name} has the ${value.what} ${trace}`];
    }),
  );
}
