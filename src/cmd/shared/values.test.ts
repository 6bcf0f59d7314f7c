import { fc, test } from "@fast-check/vitest";
import { InvalidArgumentError } from "commander";
import { describe, expect } from "vitest";
import {
  parseBindAddress,
  parseBoolean,
  parseClusterName,
  parseControllerClass,
  parseDuration,
  parseLabel,
  parseLabelValue,
  parsePort,
  parseServiceName,
  parseTaint,
  parseWebhookUrl,
} from "./options.ts";

describe("parseDuration", () => {
  test.each([
    ["90s", 90_000],
    ["2m", 120_000],
    ["1h30m", 5_400_000],
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

describe("parseLabel", () => {
  test("collects what is repeated, the later wins", () => {
    expect(parseLabel("tier=edge", parseLabel("example.com/owner=sre", parseLabel("tier=core")))).toEqual({
      tier: "edge",
      "example.com/owner": "sre",
    });
  });

  test("takes an empty value", () => {
    expect(parseLabel("spot=")).toEqual({ spot: "" });
  });

  test.each(["tier", "=x", "a b=c", "a=b=c", "-a=b", "a/b/c=d", "UPPER.com/x=y", `a=${"x".repeat(64)}`])(
    "refuses %j",
    (text) => {
      expect(() => parseLabel(text)).toThrow("looks like tier=edge");
    },
  );
});

describe("parseTaint", () => {
  test.each([
    ["maintenance=true:NoExecute", { key: "maintenance", value: "true", effect: "NoExecute" }],
    ["example.com/gpu:NoSchedule", { key: "example.com/gpu", effect: "NoSchedule" }],
    ["spot=:PreferNoSchedule", { key: "spot", value: "", effect: "PreferNoSchedule" }],
  ])("reads %s", (text, taint) => expect(parseTaint(text)).toEqual([taint]));

  test("keeps those before it", () => {
    expect(parseTaint("b:NoExecute", parseTaint("a:NoExecute"))).toHaveLength(2);
  });

  test.each(["a=b", "a=b:Never", ":NoExecute", "a b:NoExecute", "a=b c:NoExecute"])("refuses %j", (text) => {
    expect(() => parseTaint(text)).toThrow(InvalidArgumentError);
  });
});

describe("parseClusterName", () => {
  test.each(["a", "shanghai-1", "0a", "x".repeat(63)])("takes %s", (text) => expect(parseClusterName(text)).toBe(text));
  test.each(["", "-a", "a-", "A", "a.b", "a_b", "x".repeat(64), "a/b"])("refuses %j", (text) => {
    expect(() => parseClusterName(text)).toThrow("at most 63 lower-case letters");
  });
});

describe("addresses", () => {
  test.each([
    ["127.0.0.1:8383", { host: "127.0.0.1", port: 8383 }],
    [":0", { host: "", port: 0 }],
    ["[::1]:80", { host: "::1", port: 80 }],
  ])("reads %s", (text, address) => expect(parseBindAddress(text)).toEqual(address));

  test.each(["8383", "host:", "host:x", "host:70000", "host:-1"])("refuses %j", (text) => {
    expect(() => parseBindAddress(text)).toThrow(InvalidArgumentError);
  });

  test("a port is a number up to 65535", () => {
    expect(parsePort("65535")).toBe(65_535);
    expect(() => parsePort("1e3")).toThrow(InvalidArgumentError);
  });
});

test("a boolean is true or false and nothing else", () => {
  expect([parseBoolean("true"), parseBoolean("false")]).toEqual([true, false]);
  expect(() => parseBoolean("yes")).toThrow(InvalidArgumentError);
});

test("a region is a label's value and not empty", () => {
  expect(parseLabelValue("cn-shanghai")).toBe("cn-shanghai");
  for (const bad of ["", "a b", "-a"]) expect(() => parseLabelValue(bad)).toThrow(InvalidArgumentError);
});

test("a class of objects is a short DNS label; without a name it is the default one", () => {
  expect(parseControllerClass("v2", ["default"])).toEqual(["default", "v2"]);
  expect(parseControllerClass("v2", ["v2"])).toEqual(["v2"]);
  expect(parseControllerClass("")).toEqual(["default"]);
  for (const bad of ["V2", "-a", "a.b", "a".repeat(41)])
    expect(() => parseControllerClass(bad)).toThrow(InvalidArgumentError);
});

describe("where the hub calls webhooks", () => {
  test("is a Service by namespace and name", () => {
    expect(parseServiceName("meridian-system/meridian-webhook")).toEqual({
      namespace: "meridian-system",
      name: "meridian-webhook",
    });
  });

  test.each(["", "meridian", "/meridian", "a/b/c", "A/b", "a/-b"])("is no Service: %j", (text) => {
    expect(() => parseServiceName(text)).toThrow(InvalidArgumentError);
  });

  test("is an address by https, without a slash at the end", () => {
    expect(parseWebhookUrl("https://192.0.2.7:9443/")).toBe("https://192.0.2.7:9443");
    expect(parseWebhookUrl("https://[::1]:9443/hooks")).toBe("https://[::1]:9443/hooks");
  });

  test.each(["", "192.0.2.7:9443", "http://192.0.2.7", "https://a?b", "https://a#b", "https://u:p@a"])(
    "is no address: %j",
    (text) => expect(() => parseWebhookUrl(text)).toThrow(InvalidArgumentError),
  );
});
