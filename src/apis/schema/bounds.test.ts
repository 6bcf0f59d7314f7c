import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { excess, extentOf, OBJECT_BOUNDS } from "./bounds.ts";

const unbounded = { bytes: Infinity, levels: Infinity };

function nested(levels: number, wrap: (inner: unknown) => unknown = (inner) => ({ a: inner })): unknown {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = wrap(value);
  return value;
}

describe("extentOf", () => {
  test.prop([fc.jsonValue()])("counts about what the text of the value has", (value) => {
    const { bytes, exceeds } = extentOf(value, unbounded);
    const text = JSON.stringify(value);
    expect(exceeds).toBeUndefined();
    expect(bytes).toBeGreaterThanOrEqual(text.replaceAll(/\\.|\d/g, "").length / 2);
    expect(bytes).toBeLessThanOrEqual(4 * text.length + 4);
  });

  test.each([
    { what: "maps", wrap: (inner: unknown) => ({ a: inner }) },
    { what: "lists", wrap: (inner: unknown) => [inner] },
  ])("counts the levels of $what, however many there are", ({ wrap }) => {
    expect(excess(nested(100, wrap))).toBeUndefined();
    expect(excess(nested(101, wrap))).toBe("is nested deeper than 100 levels");
    expect(excess(nested(100_000, wrap))).toBe("is nested deeper than 100 levels");
  });

  test("ends at the bound where one part stands in 2^60 places", () => {
    let reads = 0;
    let value: object = {
      get leaf() {
        reads += 1;
        return "x";
      },
    };
    for (let i = 0; i < 60; i++) value = { left: value, right: value };
    expect(extentOf(value, OBJECT_BOUNDS).exceeds).toBe("bytes");
    expect(reads).toBeLessThan(OBJECT_BOUNDS.bytes);
  });

  test("goes through empty maps and lists", () => {
    expect(extentOf({ a: [], b: {}, c: [[], {}] }, unbounded).exceeds).toBeUndefined();
    expect(extentOf([], { bytes: 2, levels: 1 })).toEqual({ bytes: 2 });
  });
});
