import { expect, test } from "vitest";
import { associativeKey, fieldElement, matchesKey } from "./fieldPaths.ts";

test("a key is read once, and other path elements are none", () => {
  expect(associativeKey('k:{"name":"a"}')).toEqual({ name: "a" });
  expect(associativeKey('k:{"name":"a"}')).toBe(associativeKey('k:{"name":"a"}'));
  expect(associativeKey('v:{"name":"a"}')).toBeUndefined();
  expect(fieldElement("spec")).toBe("f:spec");
});

test.each([
  ["is no JSON", "k:{"],
  ["is a text", 'k:"name"'],
  ["is null", "k:null"],
  ["has a map in it", 'k:{"name":"a","port":{}}'],
])("a key that %s is none", (_name, path) => expect(associativeKey(path)).toBeUndefined());

test.each<[string, Record<string, unknown>]>([
  ['k:{"port":80,"hostIP":"x","on":true}', { port: 80, hostIP: "x", on: true }],
  ["k:{}", {}],
])("%s is a key", (path, key) => expect(associativeKey(path)).toEqual(key));

test("a key is at most 4096 characters long", () => {
  const path = (length: number): string => `k:{"n":"${"x".repeat(length - 10)}"}`;
  expect([path(4096).length, path(4097).length]).toEqual([4096, 4097]);
  expect(associativeKey(path(4096))).toEqual({ n: "x".repeat(4086) });
  expect(associativeKey(path(4097))).toBeUndefined();
});

test("what is remembered stays within bounds", () => {
  const first = associativeKey('k:{"n":"kept"}');
  for (let i = 0; i < 4000; i++) associativeKey(`k:{"n":${i}}`);
  expect(associativeKey('k:{"n":"kept"}')).toBe(first);
  for (let i = 4000; i < 8300; i++) associativeKey(`k:{"n":${i}}`);
  expect(associativeKey('k:{"n":"kept"}')).not.toBe(first);
});

test.each<[string, Record<string, unknown>, Record<string, unknown>, boolean]>([
  ["the same values", { name: "a", x: 1 }, { name: "a" }, true],
  ["another value", { name: "a" }, { name: "b" }, false],
  ["a number and its text", { port: 80 }, { port: "80" }, true],
  ["one of two fields set, the other a default", { port: 80 }, { port: 80, hostIP: "x" }, true],
  ["one of two fields set to something else", { port: 80, hostIP: "y" }, { port: 80, hostIP: "x" }, false],
  ["no field set", { other: 1 }, { port: 80, hostIP: "x" }, false],
  ["the protocol that is meant without one", { port: 53 }, { port: 53, protocol: "TCP" }, true],
  ["another protocol than is meant without one", { port: 53 }, { port: 53, protocol: "UDP" }, false],
])("%s", (_name, item, key, want) => expect(matchesKey(item, key)).toBe(want));
