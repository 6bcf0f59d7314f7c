import type { z } from "zod";

const TYPES: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a map",
  record: "a map",
  null: "null",
};

const typeOf = (name: string): string => TYPES[name] ?? name;

/** What is wrong with the field, and what to write instead. A schema's own messages stay as they are. */
export function issueText(issue: z.core.$ZodIssue): string {
  if (!/^(Invalid|Too|Unrecognized)/.test(issue.message)) return issue.message;
  switch (issue.code) {
    case "invalid_type": {
      const received = /received (\w+)$/.exec(issue.message)?.[1] ?? "";
      const wanted = typeOf(issue.expected);
      return received === "undefined" ? `is missing; give ${wanted}` : `must be ${wanted}, and is ${typeOf(received)}`;
    }
    case "invalid_value":
      return `must be ${issue.values.length === 1 ? "" : "one of "}${issue.values.map(String).join(", ")}`;
    case "too_small":
      return `must ${verbOf(issue.origin)} at least ${amountOf(issue.minimum, issue.origin)}`;
    case "too_big":
      return `must ${verbOf(issue.origin)} at most ${amountOf(issue.maximum, issue.origin)}`;
    case "invalid_union": {
      const forms = new Set(
        issue.errors.flat().flatMap((one) => (one.code === "invalid_type" ? typeOf(one.expected) : [])),
      );
      return forms.size === 0 ? issue.message : `must be ${[...forms].join(" or ")}`;
    }
    default:
      return issue.message;
  }
}

const UNITS: Readonly<Record<string, [one: string, many: string]>> = {
  string: ["character", "characters"],
  array: ["entry", "entries"],
  record: ["entry", "entries"],
  map: ["entry", "entries"],
};

function verbOf(origin: string): string {
  return origin in UNITS ? "have" : "be";
}

function amountOf(amount: number | bigint, origin: string): string {
  const unit = UNITS[origin];
  return unit === undefined ? String(amount) : `${amount} ${Number(amount) === 1 ? unit[0] : unit[1]}`;
}
