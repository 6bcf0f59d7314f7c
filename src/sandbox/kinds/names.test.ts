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
  nameIsDnsSubdomain,
  nameIsPathSegment,
  portName,
  wildcardSubdomain,
} from "./names.ts";

const SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

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

  test("the text of a finding is the server's", () => {
    expect(dnsSubdomain("Bad_Name")).toEqual([SUBDOMAIN_TEXT]);
    expect(dnsLabel("a.b")).toEqual(["must not contain dots"]);
    expect(labelKey("a b")).toEqual([
      "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ]);
    expect(labelValue("a".repeat(64))).toEqual(["must be no more than 63 bytes"]);
  });

  test("a prefix may end with a dash, a name may not", () => {
    expect(nameIsDnsSubdomain("web-", true)).toEqual([]);
    expect(nameIsDnsSubdomain("web-", false)).not.toEqual([]);
  });

  test("a segment of a path holds nothing that a URL would read otherwise", () => {
    expect(nameIsPathSegment("system:node", false)).toEqual([]);
    expect(nameIsPathSegment("a/b%", false)).toEqual(["may not contain '/'", "may not contain '%'"]);
    expect(nameIsPathSegment("..", false)).toEqual(["may not be '..'"]);
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
