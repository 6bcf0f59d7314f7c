import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { JsonScan, type ScanBounds } from "./jsonScan.ts";

const unbounded: ScanBounds = { levels: Infinity, values: Infinity };

/** The text in pieces of that many bytes. */
function scan(text: string, piece: number, bounds = unbounded): { scan: JsonScan; passed: string | undefined } {
  const bytes = Buffer.from(text);
  const reading = new JsonScan(bounds);
  for (let at = 0; at < bytes.length; at += piece) {
    const passed = reading.push(bytes.subarray(at, at + piece));
    if (passed !== undefined) return { scan: reading, passed };
  }
  return { scan: reading, passed: undefined };
}

const levelsOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(levelsOf)) : 0;
const valuesOf = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? 1 +
      Math.max(0, Object.keys(value).length - 1) +
      Object.values(value).reduce((sum: number, one) => sum + valuesOf(one), 0)
    : 0;

describe("JsonScan", () => {
  test.prop([fc.jsonValue(), fc.integer({ min: 1, max: 9 }), fc.boolean()])(
    "counts levels and values as the parser would find them, in whatever pieces the text comes",
    (value, piece, isSpaced) => {
      const text = JSON.stringify(value, undefined, isSpaced ? 1 : undefined);
      const [levels, values] = [levelsOf(value), valuesOf(value)];
      expect(scan(text, piece, { levels, values }).passed).toBeUndefined();
      if (levels > 0) expect(scan(text, piece, { levels: levels - 1, values }).passed).toBe("levels");
      if (values > 0) expect(scan(text, piece, { levels, values: values - 1 }).passed).toBe("values");
    },
  );

  test.prop([fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 4 }), fc.integer({ min: 1, max: 9 })])(
    "finds the entries of request.objects",
    (objects, piece) => {
      const review = {
        kind: "a",
        other: { objects: { objects: [{}] } },
        request: { uid: '"objects":[{', objects, last: 1 },
      };
      const text = JSON.stringify(review);
      const found = scan(text, piece, { ...unbounded, entries: true }).scan.entries.map(([begin, end]) => {
        return JSON.parse(Buffer.from(text).subarray(begin, end).toString()) as unknown;
      });
      // As JSON has them: it knows no negative zero.
      expect(found).toEqual(JSON.parse(JSON.stringify(objects)));
    },
  );

  test("counts the values of each entry by itself", () => {
    const objects = Array.from({ length: 50 }, () => ({ a: [1, 2, 3] }));
    expect(
      scan(JSON.stringify({ request: { objects } }), 64, { levels: 9, values: 60, entries: true }).passed,
    ).toBeUndefined();
    expect(scan(JSON.stringify({ request: { objects } }), 64, { levels: 9, values: 60 }).passed).toBe("values");
    expect(scan(JSON.stringify({ request: { objects: [{ a: objects }] } }), 64, { levels: 9, values: 10 }).passed).toBe(
      "values",
    );
  });
});
