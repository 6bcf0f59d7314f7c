import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { canonicalJson, hashOf, hashOfText } from "./canonical.ts";
import { parseJson } from "./json.ts";

function shuffled(value: unknown, seed: number): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, seed + 1));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, shuffled(item, seed + 1)] as const);
  const turn = entries.length === 0 ? 0 : seed % entries.length;
  return Object.fromEntries([...entries.slice(turn), ...entries.slice(0, turn)].toReversed());
}

describe("canonicalJson", () => {
  test("sorts keys at every depth and writes no white space", () => {
    expect(canonicalJson({ b: [{ z: 1, a: null }], a: "x" })).toBe('{"a":"x","b":[{"a":null,"z":1}]}');
  });

  test("leaves out what is undefined, as JSON does", () => {
    expect(canonicalJson({ a: undefined, b: [undefined, 1] })).toBe('{"b":[null,1]}');
    expect(canonicalJson(undefined)).toBe("null");
  });

  test("keeps a key that JavaScript treats as special", () => {
    expect(canonicalJson(JSON.parse('{"__proto__": 1, "10": 2, "9": 3}'))).toBe('{"10":2,"9":3,"__proto__":1}');
  });

  test.prop([fc.jsonValue()])("says what the value is: it reads back as the same", (value) => {
    expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
  });

  test.prop([fc.jsonValue(), fc.nat(20)])("does not depend on the order of keys", (value, seed) => {
    expect(canonicalJson(shuffled(value, seed))).toBe(canonicalJson(value));
  });

  test.prop([fc.jsonValue(), fc.jsonValue()])("differs when the values differ", (a, b) => {
    const equal = canonicalJson(JSON.parse(JSON.stringify(a))) === canonicalJson(JSON.parse(JSON.stringify(b)));
    expect(equal).toBe(equalJson(a, b));
  });
});

describe("hashOf", () => {
  test.each([
    { text: "", want: "b1e9c30f1de81fa1" },
    { text: "a", want: "2bd51cb9df717cd1" },
    { text: '{"replicas":2}', want: "ee08ac76e77c3e2f" },
  ])("stays what it is, because it stands on member objects: $text", ({ text, want }) => {
    expect(hashOfText(text)).toBe(want);
  });

  test.prop([fc.jsonValue(), fc.nat(20)])("is equal for equal values", (value, seed) => {
    expect(hashOf(shuffled(value, seed))).toBe(hashOf(value));
  });

  test.prop([fc.string()])("is 16 hexadecimal digits", (text) => {
    expect(hashOfText(text)).toMatch(/^[0-9a-f]{16}$/);
  });
});

test("an integer that no number holds is written whole, and has a hash of its own", () => {
  const text = '{"id":9007199254740993,"least":-9223372036854775808}';
  expect(canonicalJson(parseJson(text))).toBe(text);
  expect(hashOf(parseJson(text))).not.toBe(hashOf(JSON.parse(text)));
  const plain = '{"a":[1,2.5,"9007199254740993",null],"b":{}}';
  expect(hashOf(parseJson(plain))).toBe(hashOf(JSON.parse(plain)));
});

function equalJson(a: unknown, b: unknown): boolean {
  try {
    expect(JSON.parse(JSON.stringify(a))).toEqual(JSON.parse(JSON.stringify(b)));
    return true;
  } catch {
    return false;
  }
}
