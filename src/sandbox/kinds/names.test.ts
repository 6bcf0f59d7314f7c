import { test as propertyTest, fc } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import {
  configMapKey,
  dns1035Label,
  dnsLabel,
  dnsSubdomain,
  environmentVariableName,
  generateName,
  labelKey,
  labelValue,
  portName,
  wildcardSubdomain,
} from "./names.ts";

describe("forms of names", () => {
  test.each([
    {
      form: dnsSubdomain,
      good: ["a", "a.b", "0-a.b", "a".repeat(253)],
      bad: ["", "A", "a_b", "-a", "a.", "a".repeat(254)],
    },
    { form: dnsLabel, good: ["a", "0", "a-b", "a".repeat(63)], bad: ["", "a.b", "A", "a-", "a".repeat(64)] },
    { form: dns1035Label, good: ["a", "a1-b"], bad: ["", "1a", "a.b", "a-"] },
    { form: labelKey, good: ["a", "A_b.c", "x.y/Z"], bad: ["", "/a", "a/", "a/b/c", "X.y/z", "a b", "a".repeat(64)] },
    { form: labelValue, good: ["", "A_b.c", "1"], bad: ["a b", "-a", "a-", "a".repeat(64)] },
    { form: configMapKey, good: ["a", ".x", "A-b_c.d"], bad: ["", "a b", ".", "..", "..a", "a/b"] },
    { form: portName, good: ["http", "a-1"], bad: ["", "1", "A", "a--b", "-a", "a-", "a".repeat(16)] },
    { form: environmentVariableName, good: ["A", "a b", "1.x"], bad: ["", "a=b", "é", "a\n"] },
    { form: wildcardSubdomain, good: ["*.a", "*.a.b"], bad: ["a", "*", "*.*.a", "*a"] },
  ])("$form.name distinguishes good from bad", ({ form, good, bad }) => {
    for (const value of good) expect(form(value), value).toEqual([]);
    for (const value of bad) expect(form(value), value).not.toEqual([]);
  });

  propertyTest.prop([fc.stringMatching(/^[a-z0-9]{1,70}-$/)])(
    "a generated name is a valid one of at most 63 characters",
    (prefix) => {
      const name = generateName(prefix);
      expect(dnsSubdomain(name)).toEqual([]);
      expect(name.length).toBe(Math.min(prefix.length, 58) + 5);
      expect(name.startsWith(prefix.slice(0, 58))).toBe(true);
    },
  );
});
