import { describe, expect, test } from "vitest";
import { exactQuantity, parseQuantity } from "./quantity.ts";

describe("parseQuantity", () => {
  test.each([
    { text: "200m", want: 0.2 },
    { text: ".5", want: 0.5 },
    { text: "2.", want: 2 },
    { text: "1Gi", want: 1_073_741_824 },
    { text: "1k", want: 1000 },
    { text: "2E-1", want: 0.2 },
    { text: "-1", want: -1 },
    { text: ".25Mi", want: 262_144 },
    { text: "1e+10", want: 1e10 },
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

describe("exactQuantity", () => {
  test.each([
    { text: "0", want: 0n },
    { text: "100m", want: 100_000_000n },
    { text: "2.", want: 2_000_000_000n },
    { text: "7u", want: 7_000n },
    { text: "3n", want: 3n },
    { text: "1k", want: 1_000n * 1_000_000_000n },
    { text: "1Ki", want: 1_024n * 1_000_000_000n },
    { text: "1.5Gi", want: 1_610_612_736n * 1_000_000_000n },
    { text: "2E", want: 2n * 10n ** 18n * 1_000_000_000n },
    { text: "1Mi", want: 2n ** 20n * 1_000_000_000n },
    { text: "1Ti", want: 2n ** 40n * 1_000_000_000n },
    { text: "1Pi", want: 2n ** 50n * 1_000_000_000n },
    { text: "1Ei", want: 2n ** 60n * 1_000_000_000n },
    { text: "1M", want: 10n ** 15n },
    { text: "1G", want: 10n ** 18n },
    { text: "1T", want: 10n ** 21n },
    { text: "1P", want: 10n ** 24n },
    { text: "1e012", want: 10n ** 21n },
    { text: "12E-1", want: 1_200_000_000n },
    { text: "0.25Ki", want: 256n * 1_000_000_000n },
    { text: "-1.5", want: -1_500_000_000n },
    { text: "+4", want: 4_000_000_000n },
  ])("reads $text", ({ text, want }) => expect(exactQuantity(text)).toBe(want));

  test.each([
    { text: "0.0000000001", want: 1n },
    { text: "1.0000000001", want: 1_000_000_001n },
    { text: "-0.0000000001", want: -1n },
  ])("rounds what is finer than a billionth away from nothing: $text", ({ text, want }) =>
    expect(exactQuantity(text)).toBe(want),
  );

  test.each([5, null, {}, [], true])("refuses %j, which is no text", (value) => {
    expect(exactQuantity(value)).toBeUndefined();
  });

  test.each(["", "m", ".", "1 Gi", "1.2.3", "x1", "1e", "1e1234", "0x10", "1Kim", "--1", "1".repeat(65)])(
    "refuses text %#",
    (text) => expect(exactQuantity(text)).toBeUndefined(),
  );

  test("is bounded as Kubernetes bounds it", () => {
    const most = (2n ** 63n - 1n) * 1_000_000_000n;
    expect([exactQuantity("1e999"), exactQuantity("-1e999"), exactQuantity("9223372036854775807")]).toEqual([
      most,
      -most,
      most,
    ]);
  });
});
