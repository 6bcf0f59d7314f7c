import { describe, expect } from "vitest";
import { fc, test } from "@fast-check/vitest";
import { shortMessage } from "./message.ts";

describe("shortMessage", () => {
  test.each<[string, number, string]>([
    ["short", 10, "short"],
    ["exactly 10", 10, "exactly 10"],
    ["one two three four", 12, "one two…"],
    ["one two three four", 14, "one two three…"],
    ["one two, three", 10, "one two…"],
    ["onewordthatislong", 10, "onewordth…"],
    ["a verylongwordfollows", 10, "a verylon…"],
    ["abcde fghijk", 10, "abcde…"],
    ["abcd, efghijk", 10, "abcd…"],
    ["one two,; three", 11, "one two…"],
    ["\u{1F600}12345678901", 10, "\u{1F600}1234567…"],
    ["lines\n  are\tjoined ", 40, "lines are joined"],
    ["12345678\u{1F600}90", 10, "12345678…"],
  ])("%j in %i", (text, limit, want) => expect(shortMessage(text, limit)).toBe(want));

  test.prop([fc.string({ unit: "grapheme", maxLength: 400 })])(
    "is one line of at most 120 characters, and stays as it is when cut again",
    (text) => {
      const message = shortMessage(text);
      expect(message.length).toBeLessThanOrEqual(120);
      expect(message).not.toMatch(/[\n\t]/);
      expect(shortMessage(message)).toBe(message);
    },
  );
});
