import { fc, test } from "@fast-check/vitest";
import { InvalidArgumentError } from "@commander-js/extra-typings";
import { describe, expect } from "vitest";
import { parseClusterName, parseDuration, parseLabelValue, parsePort } from "./values.ts";

describe("parseDuration", () => {
  test.each([
    ["500ms", 500],
    ["1.5s", 1_500],
    ["1d", 86_400_000],
    ["0s", 0],
  ])("reads %s as %d ms", (text, ms) => expect(parseDuration(text)).toBe(ms));

  test.each(["", "90", "s", "5 m", "-1s", "1m!", "1mx", "1e3s"])("refuses %j", (text) => {
    expect(() => parseDuration(text)).toThrow(InvalidArgumentError);
  });

  test.prop([fc.nat(99), fc.nat(59), fc.nat(59)])("adds up its parts", (h, m, s) => {
    expect(parseDuration(`${h}h${m}m${s}s`)).toBe(((h * 60 + m) * 60 + s) * 1_000);
  });
});

describe("parseClusterName", () => {
  test.each(["a", "shanghai-1", "0a", "x".repeat(63)])("takes %s", (text) => expect(parseClusterName(text)).toBe(text));
  test.each(["", "-a", "a-", "A", "a.b", "a_b", "x".repeat(64), "a/b"])("refuses %j", (text) => {
    expect(() => parseClusterName(text)).toThrow("at most 63 lower-case letters");
  });
});

test("a port is a number up to 65535", () => {
  expect(parsePort("65535")).toBe(65_535);
  for (const bad of ["65536", "1e3", "-1", ""]) expect(() => parsePort(bad)).toThrow(InvalidArgumentError);
});

test("a region is a label's value and not empty", () => {
  expect(parseLabelValue("cn-shanghai")).toBe("cn-shanghai");
  for (const bad of ["", "a b", "-a"]) expect(() => parseLabelValue(bad)).toThrow(InvalidArgumentError);
});
