import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { parse } from "yaml";
import { canonicalJson } from "../values/canonical.ts";
import { parseJson } from "../values/json.ts";
import { printYaml } from "./print.ts";
import { parseYaml } from "./read.ts";
import { READ } from "./testdata/kubectlReads.ts";

const WORDS = [
  ...["yes", "no", "on", "off", "y", "n", "true", "null", "~", "", "=", "<<", "0400", "0o400", "1_000", "1:30", "08"],
  ...[".inf", ".nan", "1e3", "1e400", "2001-12-14", "0x1F", "0b1", "-0", "---", "...", "- a", "# a", "a: b", "a #b"],
  ...["__proto__", "a\n", "\na", " a", "a ", "\ta", "a\tb", "a\r\nb", "a\n\n", "a\n b\n", " a\nb", "a\n \nb", "\u0085"],
  ...["\u2028", "\ufeff", "\u0000", "\u007f", "|", ">", "?", ":", "-", "&a", "*a", "!a", "%a", "@a", "`a", "? a"],
  ...["{}", "[]"],
  ...["'", '"', "\\", "a'b", 'a"b', "{{ x }}", "a,b", "x".repeat(200), "word ".repeat(60), "9007199254740993", "1e+21"],
];
const text = fc.oneof(
  fc.constantFrom(...WORDS, ...READ.map(([yaml]) => yaml)),
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.string({ unit: fc.constantFrom(" ", "\n", "\t", "a", ":", "#", "-", '"', "'", "\\", "\r"), maxLength: 8 }),
  fc.stringMatching(/^[-+]?[0-9a-fxob_.:eE+-]{1,8}$/),
);
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    text,
    fc.integer(),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }).filter((large) => !Number.isSafeInteger(Number(large))),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true, false, 1e21, 1e-7, -1e-7, 1.5e300),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(text, tie("value")), { maxLength: 4 }).map((members) => Object.fromEntries(members)),
  ),
})).value;

describe("printed YAML", () => {
  test.prop([json])("is read as the same value by readers of version 1.1 and of version 1.2", (value) => {
    const yaml = printYaml(value);
    const want = canonicalJson(parseJson(JSON.stringify(value)));
    expect(canonicalJson(parseYaml(yaml))).toBe(want);
    for (const version of ["1.1", "1.2"] as const)
      expect(canonicalJson(jsonOf(parse(yaml, { version, intAsBigInt: true, mapAsMap: true })))).toBe(want);
  });

  test.each(WORDS)("of %j alone is read as that", (word) => {
    for (const value of [word, [word], { [word]: word }, { a: { b: [{ c: word }] } }])
      expect(canonicalJson(parseYaml(printYaml(value)))).toBe(canonicalJson(value));
  });

  test("quotes nothing that every reader takes for a text", () => {
    const value = {
      kind: "Deployment",
      ip: "10.0.0.1",
      image: "nginx:1.27",
      text: "two words",
      cpu: "100m",
      id: "12ab",
    };
    expect(printYaml(value)).toBe(
      "kind: Deployment\nip: 10.0.0.1\nimage: nginx:1.27\ntext: two words\ncpu: 100m\nid: 12ab\n",
    );
    expect(printYaml({ data: { file: "a: 1\nb:\n  c\n" } })).toBe("data:\n  file: |\n    a: 1\n    b:\n      c\n");
  });
});

/** Without the types that only the parser has: maps that keep every key, and BigInt for every integer. */
function jsonOf(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, member]) => [String(key), jsonOf(member)]));
  if (Array.isArray(value)) return value.map(jsonOf);
  return typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
