import { test as propertyTest, fc } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { canonicalAmount, canonicalQuantity, quantityError, quantityNanos } from "./quantity.ts";

describe("canonicalQuantity", () => {
  // Recorded from a real server.
  test.each([
    ["0.5", "500m"],
    ["1.5Gi", "1536Mi"],
    ["1024Mi", "1Gi"],
    ["1000m", "1"],
    ["100", "100"],
    ["1000", "1k"],
    ["0", "0"],
    ["-1", "-1"],
    ["1e3", "1e3"],
    ["100e-3", "100e-3"],
    ["0.1m", "100u"],
    ["1.0", "1"],
    [".5", "500m"],
    ["5.", "5."],
    ["512Ki", "512Ki"],
    ["500Gi", "500Gi"],
    ["1.25Ki", "1280"],
    ["12345678901234567890", "12345678901234567890"],
    ["9Ei", "9223372036854775807"],
    ["2E6", "2E6"],
    ["+5", "+5"],
    ["1.500", "1.500"],
    ["1.5000", "1500m"],
    ["1028Ki", "1028Ki"],
    ["16Ki", "16Ki"],
    [" 1 ", "1"],
  ])("%s is written %s", (given, written) => expect(canonicalQuantity(given)).toBe(written));

  test.each(["", "x", "1x", "1.2.3", "1e", "--1", "1Kii", "1K"])("%s is none", (given) => {
    expect(canonicalQuantity(given)).toBeUndefined();
    expect(quantityError(given)).toMatch(/quantit/);
  });

  test("amounts of resources are rounded up to thousandths", () => {
    expect(canonicalAmount("0.1m")).toBe("1m");
    expect(canonicalAmount("1.0001k")).toBe("1000100m");
    expect(canonicalAmount("1.5Gi")).toBe("1536Mi");
  });

  propertyTest.prop([
    fc.tuple(
      fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }),
      fc.nat(999),
      fc.constantFrom("", "m", "k", "M", "Ki", "Mi", "Gi", "e3", "u"),
    ),
  ])("the canonical form means the same, also when it is read again", ([whole, fraction, suffix]) => {
    const given = `${whole}.${fraction}${suffix}`;
    const written = canonicalQuantity(given);
    expect(written).toBeDefined();
    expect(quantityNanos(written ?? "")).toBe(quantityNanos(given));
    // A number of whole bytes loses its suffix and gets a decimal one when read again: 1000.9765625Ki, 1025000, 1025k.
    expect(quantityNanos(canonicalQuantity(written ?? "") ?? "")).toBe(quantityNanos(given));
  });
});
