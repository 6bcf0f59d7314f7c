import { expect, test } from "vitest";
import { associativeKey, fieldElement, matchesKey, textOfScalar } from "./fieldPaths.ts";

test("a key is read once, and other path elements are none", () => {
  expect(associativeKey('k:{"name":"a"}')).toEqual({ name: "a" });
  expect(associativeKey('k:{"name":"a"}')).toBe(associativeKey('k:{"name":"a"}'));
  expect(associativeKey('v:{"name":"a"}')).toBeUndefined();
  expect(fieldElement("spec")).toBe("f:spec");
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
  ["a null field", { port: 80, hostIP: null }, { port: 80, hostIP: "x" }, true],
  ["the protocol that is meant without one", { port: 53 }, { port: 53, protocol: "TCP" }, true],
  ["another protocol than is meant without one", { port: 53 }, { port: 53, protocol: "UDP" }, false],
  ["another protocol than a null one", { port: 53, protocol: null }, { port: 53, protocol: "UDP" }, false],
])("%s", (_name, item, key, want) => expect(matchesKey(item, key)).toBe(want));

test("a text is itself, and other scalars are their JSON", () => {
  expect([textOfScalar("a"), textOfScalar(1), textOfScalar(true)]).toEqual(["a", "1", "true"]);
});
