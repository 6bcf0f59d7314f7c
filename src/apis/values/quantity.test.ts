import { describe, expect, test } from "vitest";
import { parseQuantity } from "./quantity.ts";

describe("parseQuantity", () => {
  test.each([
    { text: "1", want: 1 },
    { text: "200m", want: 0.2 },
    { text: "0.5", want: 0.5 },
    { text: ".5", want: 0.5 },
    { text: "2.", want: 2 },
    { text: "256Mi", want: 268_435_456 },
    { text: "1Gi", want: 1_073_741_824 },
    { text: "1k", want: 1000 },
    { text: "1E", want: 1e18 },
    { text: "2e3", want: 2000 },
    { text: "2E-1", want: 0.2 },
    { text: "-1", want: -1 },
    { text: ".25Mi", want: 262_144 },
    { text: "12.75", want: 12.75 },
    { text: "1e-12", want: 1e-12 },
    { text: "1e+10", want: 1e10 },
    { text: "0", want: 0 },
  ])("reads $text", ({ text, want }) => expect(parseQuantity(text)).toBeCloseTo(want, 9));

  test("takes a number as it is", () => {
    expect(parseQuantity(4)).toBe(4);
    expect(parseQuantity(1e21)).toBe(1e21);
  });

  test.each(["", "m", "1KB", "1ki", "one", "1 Gi", "1__", "1toString", "1e3k", "1e", "Ki"])(
    "finds no quantity in %j",
    (text) => {
      expect(parseQuantity(text)).toBeUndefined();
    },
  );

  test.each(["9".repeat(65), `0.${"0".repeat(70)}1`, `1e${"9".repeat(70)}`, "1".repeat(30_000_000)])(
    "reads no text that is longer than a quantity can be (%#)",
    (text) => expect(parseQuantity(text)).toBeUndefined(),
  );

  test("reads the longest texts that Kubernetes writes", () => {
    expect(parseQuantity("9223372036854775807")).toBeCloseTo(2 ** 63, -3);
    expect(parseQuantity(`-9223372036854775807.${"9".repeat(9)}Ki`)).toBeLessThan(-(2 ** 63));
  });
});
