import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { canonicalJson } from "../values/canonical.ts";
import { ConversionError } from "./conversion.ts";
import type { ObjectMeta } from "../metadata/meta.ts";
import { takeRemainder, withRemainder } from "./remainder.ts";

const KEY = "example.com/v2-fields";
const of = (annotations?: Record<string, string>): ObjectMeta => ({
  name: "shop",
  ...(annotations === undefined ? {} : { annotations }),
});

describe("what another version cannot hold", () => {
  test.prop([
    fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), fc.jsonValue(), { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
    fc.dictionary(fc.constantFrom(KEY, "a", "b"), fc.string(), { minKeys: 1, noNullPrototype: true }),
  ])("travels with the object, over an annotation of that name", (spec, annotations) => {
    const metadata = of(annotations);
    const taken = takeRemainder(withRemainder(metadata, KEY, spec), KEY);
    // A number that has become an integer beyond 2^53 is the same number.
    expect(taken?.metadata).toEqual(metadata);
    expect(canonicalJson(taken?.spec)).toBe(canonicalJson(spec));
  });

  test("is the same text, in whatever order the fields are, so that an object does not change by being read", () => {
    const [one, other] = [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ].map((spec) => withRemainder(of(), KEY, spec));
    expect(one).toEqual(of({ [KEY]: '{"spec":{"a":1,"b":2}}' }));
    expect(other).toEqual(one);
  });

  test("is no annotation where everything can be held", () => {
    const metadata = of({ other: "x" });
    expect(withRemainder(metadata, KEY, {})).toBe(metadata);
    expect(takeRemainder(metadata, KEY)).toBeUndefined();
    expect(takeRemainder(of(), KEY)).toBeUndefined();
  });

  test("leaves no empty map of annotations behind", () => {
    expect(takeRemainder(of({ [KEY]: '{"spec":{"a":1}}' }), KEY)).toEqual({ metadata: of(), spec: { a: 1 } });
  });

  test.each([
    { name: "no JSON", text: "{", message: "is not JSON; remove it" },
    { name: "a list", text: "[]", message: "does not hold fields of a spec; remove it" },
    { name: "no spec", text: '{"annotation":"x"}', message: "does not hold fields of a spec; remove it" },
    { name: "a spec that is a text", text: '{"spec":"x"}', message: "does not hold fields of a spec; remove it" },
  ])("is refused as $name, with the name of the annotation", ({ text, message }) => {
    expect(() => takeRemainder(of({ [KEY]: text }), KEY)).toThrow(ConversionError);
    expect(() => takeRemainder(of({ [KEY]: text }), KEY)).toThrow(`metadata.annotations[${KEY}]: ${message}`);
  });
});
