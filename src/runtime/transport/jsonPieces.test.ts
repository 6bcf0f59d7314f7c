import { fc, test as fuzz } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { parseJson } from "../../apis/index.ts";
import { JsonTooLargeError, parseJsonInPieces } from "./jsonPieces.ts";

const unbounded = { levels: 1_000_000, values: 10_000_000 };
const never = (): undefined => undefined;

/** In pieces of a few characters. */
const parse = (text: string, piece = 4) => parseJsonInPieces(text, unbounded, never, { short: 0, piece });

describe("JSON that is parsed in pieces", () => {
  const spaced = fc.tuple(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 1, "\t"));
  fuzz.prop([spaced, fc.integer({ min: 1, max: 30 })])(
    "is what the parser makes of it",
    async ([value, space], piece) => {
      const text = ` ${JSON.stringify(value, undefined, space)}\n`;
      expect(await parse(text, piece)).toStrictEqual(parseJson(text));
    },
  );

  const form = fc.constantFrom(...'[ ] { } , : " "a" "\\"" \\ 1 null - {"a":[1,2]}'.split(" "), " ");
  fuzz.prop([fc.array(form, { maxLength: 14 })], { numRuns: 2_000 })(
    "is refused where the parser refuses it",
    async (parts) => {
      const text = parts.join("");
      let wanted: unknown = SyntaxError;
      try {
        wanted = parseJson(text);
      } catch {
        // Not JSON.
      }
      if (wanted === SyntaxError) await expect(parse(text, 1)).rejects.toBeInstanceOf(SyntaxError);
      else expect(await parse(text, 1)).toStrictEqual(wanted);
    },
  );

  test.each(['[,"a"]', '["a",,"b"]', '{,"a":1}', '["a", ]', '[ ,"aaaa"]'])(
    "%s misses a member, and is refused",
    async (text) => {
      for (const piece of [1, 2, 4]) await expect(parse(text, piece)).rejects.toBeInstanceOf(SyntaxError);
    },
  );

  test.each([
    '{"__proto__":{"a":[1,2,3,4]},"b":[[[["x"]]]]}',
    '{"a":[1,2],"a":[3,4]}',
    "[        ]",
    "[ ]",
    "{ }",
    '{"":[[1],[2]]}',
  ])("keeps the fields of %s", async (text) => {
    const parsed = await parse(text);
    expect(JSON.stringify(parsed)).toBe(JSON.stringify(JSON.parse(text)));
    expect(Object.getPrototypeOf(parsed)).toBe(Object.getPrototypeOf(JSON.parse(text)));
  });

  test("leaves the event loop to others after each piece", async () => {
    const text = JSON.stringify(Array.from({ length: 100 }, (_, n) => ({ n })));
    let pauses = 0;
    const pause = () => {
      pauses += 1;
      return Promise.resolve();
    };
    expect(await parseJsonInPieces(text, unbounded, pause, { short: 0, piece: 100 })).toHaveLength(100);
    expect(pauses).toBeGreaterThan(15);
  });

  test("goes as deep as it likes without a recursion", async () => {
    const levels = 20_000;
    let at: unknown = await parse("[".repeat(levels) + "]".repeat(levels), 1_000);
    let depth = 0;
    for (; Array.isArray(at); depth += 1) [at] = at as unknown[];
    expect(depth).toBe(levels);
  });
});

describe("the bounds of JSON", () => {
  const bounds = { levels: 3, values: 10 };
  const within = (text: string) => parseJsonInPieces(text, bounds, never, { short: 0 });

  test.each(["[[[]]]", "[1,2,3,4,5,6,7,8,9]", '["[[[[,,,,,,,,,,,,,,,"]', '["\\"[[[["]'])(
    "let %s pass",
    async (text) => {
      expect(await within(text)).toEqual(JSON.parse(text));
    },
  );

  test.each([
    ["[[[[]]]]", "levels"],
    ['{"a":{"a":{"a":{}}}}', "levels"],
    ["[1,2,3,4,5,6,7,8,9,0,1]", "values"],
    ["[[],[],[],[],[],[]]", "values"],
    // Before anything tells that this is no JSON.
    ["[".repeat(1_000_000), "levels"],
  ])("keep out %j", async (text, passed) => {
    const failure: unknown = await within(text).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(JsonTooLargeError);
    expect(failure).toMatchObject({ passed });
  });
});
