import { describe, expect } from "vitest";
import { fc, test } from "@fast-check/vitest";
import { jsonForYaml, parseJson } from "./json.ts";
import { parseYaml } from "../yaml/read.ts";

const UNSAFE = fc
  .bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n })
  .filter((integer) => !Number.isSafeInteger(Number(integer)));
const KEY = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("__proto__", "constructor", "hasOwnProperty", "toString", "", "a.b", "a/b", "~1", "9007199254740993"),
);
const TEXT = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom('": 9007199254740993,', "\\", '\\"', "[9007199254740993]", "\\\\", "-9223372036854775808"),
);

/** JSON text made of tokens, so that nothing rounds a number before it is read; `plain` says what JSON.parse may read too. */
const document = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    UNSAFE.map(String),
    fc.integer().map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
    TEXT.map((text) => JSON.stringify(text)),
    fc.constantFrom("null", "true", "false", "[]", "{}"),
    fc.array(tie("value"), { maxLength: 5 }).map((items) => `[${items.join(",")}]`),
    fc
      .uniqueArray(fc.tuple(KEY, tie("value")), { selector: ([key]) => key, maxLength: 5 })
      .map((members) => members.map(([key, value]) => `${JSON.stringify(key)}:${value}`))
      .map((members) => `{${members.join(",")}}`),
  ),
})).value;

describe("JSON of the API", () => {
  test.each([
    "9007199254740992",
    "9007199254740993",
    "-9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    '{"a":[1,{"b":9007199254740993}],"c":"9007199254740993"}',
    '{"a":"\\": 9007199254740993,","b":-9223372036854775808}',
    '{"a":"\\\\","b":9223372036854775807,"d":"\\\\\\""}',
    '[9007199254740993,"x",9007199254740995]',
    '{"__proto__":9007199254740993}',
    '{"__proto__":{"__proto__":9007199254740993}}',
  ])("keeps %s", (text) => expect(JSON.stringify(parseJson(text))).toBe(text));

  test.each([
    "1234567890.123456789012345678",
    "1234567890123456789.5",
    "1234567890123456789e3",
    "1e1234567890123456",
    "18446744073709551616",
    "123456789012345678901234567890",
    "9007199254740991",
  ])("reads %s as a number", (text) => expect(parseJson(`[${text}]`)).toEqual([Number(text)]));

  test("refuses what is no JSON", () => {
    for (const text of ["", "[9007199254740993", '{"a":9007199254740993}x', "09007199254740993", '"9007199254740993'])
      expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  test("is written for readers of YAML without what they refuse or change", () => {
    const value = { ["\u0085"]: "a\u007f\u0085\u2028\u2029\ufeff\uffff\u{1f600}b", id: 9007199254740993n };
    const text = jsonForYaml(value);
    expect(text).toMatch(/^[\u0020-\u007e\u{1f600}]*$/u);
    expect([parseJson(text), parseYaml(text)]).toEqual([value, value]);
  });

  test("has no more levels to spend than JSON.parse", () => {
    const deep = `${"[".repeat(50_000)}9007199254740993${"]".repeat(50_000)}`;
    let value = parseJson(deep);
    while (Array.isArray(value)) [value] = value;
    expect(value).toBe(9007199254740993n);
  });

  test.prop([document])("is written as it was read, and otherwise read as JSON.parse does", (text) => {
    const value = parseJson(text);
    expect(JSON.stringify(value)).toBe(JSON.stringify(parseJson(JSON.stringify(value))));
    const rounded = JSON.parse(JSON.stringify(value)) as unknown;
    expect(rounded).toEqual(JSON.parse(text));
    const large = (json: string) =>
      [...json.replaceAll(/"(?:[^"\\]|\\.)*"/g, "").matchAll(/(?<![\d.e+-])-?\d{16,20}(?![\d.e])/g)].map(String);
    expect(large(JSON.stringify(value)).toSorted()).toEqual(large(text).toSorted());
  });
});
