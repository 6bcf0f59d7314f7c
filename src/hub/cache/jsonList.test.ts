import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { parseJson } from "../../apis/index.ts";
import { type ListBounds, parseJsonList } from "./jsonList.ts";

const unbounded: ListBounds = { entries: Infinity, levels: Infinity, values: Infinity };
const parse = (text: string, bounds: Partial<ListBounds> = {}): Promise<unknown[]> =>
  parseJsonList(Buffer.from(text), { ...unbounded, ...bounds }, () => undefined);

describe("a JSON list", () => {
  test.prop([fc.array(fc.jsonValue()), fc.constantFrom(0, 2)])(
    "is what the parser makes of it",
    async (list, space) => {
      const text = ` ${JSON.stringify(list, undefined, space)}\n`;
      expect(await parse(text)).toEqual(parseJson(text));
    },
  );

  test.prop([fc.array(fc.constantFrom("[", "]", "{", "}", ",", '"', "\\", ":", "1", " ", "a"))])(
    "that is none is refused as the parser refuses it",
    async (letters) => {
      const text = letters.join("");
      let want: unknown;
      try {
        want = parseJson(text);
      } catch {
        want = undefined;
      }
      const got = await parse(text).catch((error: unknown) => (error instanceof SyntaxError ? undefined : error));
      expect(got).toEqual(Array.isArray(want) ? want : undefined);
    },
  );

  test.each<{ name: string; text: string; bounds: Partial<ListBounds>; passed: string | undefined }>([
    { name: "as many entries as may be", text: "[1,2,3]", bounds: { entries: 3 }, passed: undefined },
    { name: "one more", text: "[1,2,3,4]", bounds: { entries: 3 }, passed: "entries" },
    { name: "as many levels", text: "[[[]]]", bounds: { levels: 2 }, passed: undefined },
    { name: "one level more", text: "[[[[]]]]", bounds: { levels: 2 }, passed: "levels" },
    { name: "as many values in each entry", text: "[[1,1],[1,1],[1,1]]", bounds: { values: 2 }, passed: undefined },
    { name: "one value more in one", text: "[[1,1],[1,1,1]]", bounds: { values: 2 }, passed: "values" },
  ])("has bounds: $name", async ({ text, bounds, passed }) => {
    const result = parse(text, bounds);
    if (passed === undefined) expect(await result).toEqual(parseJson(text));
    else await expect(result).rejects.toMatchObject({ name: "ListTooLargeError", passed });
  });

  test("pauses wherever it is told to", async () => {
    let pauses = 0;
    const pause = (): Promise<void> => Promise.resolve().then(() => void (pauses += 1));
    const list = Array.from({ length: 10 }, () => "x".repeat(20_000));
    expect(await parseJsonList(Buffer.from(JSON.stringify(list)), unbounded, pause)).toEqual(list);
    // Once for each piece of 64 KiB and for each entry.
    expect(pauses).toBe(14);
  });
});
