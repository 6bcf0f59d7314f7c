import { describe, expect } from "vitest";
import { fc, test } from "@fast-check/vitest";
import { type PatchOperation, sameValue } from "../apis/index.ts";
import { applyOperation, PatchError } from "./jsonPatch.ts";
import { parsePointer } from "./jsonPointer.ts";

/** Freezes through and through: whoever writes into it throws. */
function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

describe("parsePointer", () => {
  test.each<[string, readonly string[] | undefined]>([
    ["", []],
    ["/", [""]],
    ["/a/b", ["a", "b"]],
    ["/a~1b/m~0n", ["a/b", "m~n"]],
    ["/~01", ["~1"]],
    ["a/b", undefined],
    ["/a~2", undefined],
    ["/a~", undefined],
  ])("%j", (text, want) => expect(parsePointer(text)).toEqual(want));
});

describe("applyOperation", () => {
  interface Case {
    name: string;
    document: unknown;
    operation: PatchOperation;
    want: unknown;
  }
  // The first ones are the examples of RFC 6902, appendix A.
  test.each<Case>([
    {
      name: "adds a member",
      document: { foo: "bar" },
      operation: { op: "add", path: "/baz", value: "qux" },
      want: { baz: "qux", foo: "bar" },
    },
    {
      name: "adds an item",
      document: { foo: ["bar", "baz"] },
      operation: { op: "add", path: "/foo/1", value: "qux" },
      want: { foo: ["bar", "qux", "baz"] },
    },
    {
      name: "removes a member",
      document: { baz: "qux", foo: "bar" },
      operation: { op: "remove", path: "/baz" },
      want: { foo: "bar" },
    },
    {
      name: "removes an item",
      document: { foo: ["bar", "qux", "baz"] },
      operation: { op: "remove", path: "/foo/1" },
      want: { foo: ["bar", "baz"] },
    },
    {
      name: "replaces a value",
      document: { baz: "qux" },
      operation: { op: "replace", path: "/baz", value: "boo" },
      want: { baz: "boo" },
    },
    {
      name: "moves a value",
      document: { foo: { bar: "baz", waldo: "fred" }, qux: { corge: "grault" } },
      operation: { op: "move", from: "/foo/waldo", path: "/qux/thud" },
      want: { foo: { bar: "baz" }, qux: { corge: "grault", thud: "fred" } },
    },
    {
      name: "moves an item",
      document: { foo: ["all", "grass", "cows", "eat"] },
      operation: { op: "move", from: "/foo/1", path: "/foo/3" },
      want: { foo: ["all", "cows", "eat", "grass"] },
    },
    {
      name: "adds a nested object",
      document: { foo: "bar" },
      operation: { op: "add", path: "/child", value: { grandchild: {} } },
      want: { foo: "bar", child: { grandchild: {} } },
    },
    {
      name: "unescapes ~01 as ~1",
      document: { "/": 9, "~1": 10 },
      operation: { op: "replace", path: "/~01", value: 1 },
      want: { "/": 9, "~1": 1 },
    },
    {
      name: "adds an array as one item with -",
      document: { foo: ["bar"] },
      operation: { op: "add", path: "/foo/-", value: ["abc", "def"] },
      want: { foo: ["bar", ["abc", "def"]] },
    },
    {
      name: "adds at the index one past the end",
      document: [1],
      operation: { op: "add", path: "/1", value: 2 },
      want: [1, 2],
    },
    {
      name: "add replaces a member that is there",
      document: { a: 1 },
      operation: { op: "add", path: "/a", value: 2 },
      want: { a: 2 },
    },
    {
      name: "a key with a slash, as annotations have",
      document: { "a/b": "x" },
      operation: { op: "replace", path: "/a~1b", value: "y" },
      want: { "a/b": "y" },
    },
    {
      name: "null is a value",
      document: { a: 1 },
      operation: { op: "replace", path: "/a", value: null },
      want: { a: null },
    },
    {
      name: "a null member can be replaced",
      document: { a: null },
      operation: { op: "replace", path: "/a", value: 1 },
      want: { a: 1 },
    },
    {
      name: "copies",
      document: { a: { b: 1 } },
      operation: { op: "copy", from: "/a", path: "/c" },
      want: { a: { b: 1 }, c: { b: 1 } },
    },
    {
      name: "moving to where it is changes nothing",
      document: { a: 1 },
      operation: { op: "move", from: "/a", path: "/a" },
      want: { a: 1 },
    },
    {
      name: "replaces the whole document",
      document: { a: 1 },
      operation: { op: "replace", path: "", value: [1] },
      want: [1],
    },
    {
      name: "adds in place of the whole document",
      document: { a: 1 },
      operation: { op: "add", path: "", value: { b: 2 } },
      want: { b: 2 },
    },
    {
      name: "replaces an item",
      document: { a: [1, 2, 3] },
      operation: { op: "replace", path: "/a/1", value: 9 },
      want: { a: [1, 9, 3] },
    },
    {
      name: "replaces an item whose number has two digits",
      document: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
      operation: { op: "replace", path: "/10", value: "x" },
      want: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, "x", 11],
    },
    {
      name: "replaces a member of an item",
      document: { a: [{ b: 1 }, { b: 2 }] },
      operation: { op: "replace", path: "/a/1/b", value: 3 },
      want: { a: [{ b: 1 }, { b: 3 }] },
    },
    {
      name: "moves deeper beside itself",
      document: { a: { b: 1, c: {} } },
      operation: { op: "move", from: "/a/b", path: "/a/c/d" },
      want: { a: { c: { d: 1 } } },
    },
    { name: "an empty key is a key", document: { "": 1 }, operation: { op: "remove", path: "/" }, want: {} },
    {
      name: "a test that holds, whatever the order of keys",
      document: { a: { b: 1, c: [2] } },
      operation: { op: "test", path: "/a", value: { c: [2], b: 1 } },
      want: { a: { b: 1, c: [2] } },
    },
  ])("$name", ({ document, operation, want }) => {
    expect(applyOperation(frozen(document), frozen(operation))).toStrictEqual(want);
  });

  test.each<{ name: string; operation: PatchOperation; message: string }>([
    {
      name: "one past the end is no item to replace",
      operation: { op: "replace", path: "/list/2", value: 1 },
      message: "replace: /list/2 does not exist",
    },
    {
      name: "null holds no fields",
      operation: { op: "add", path: "/none/y", value: 1 },
      message: "add: /none holds neither fields nor items",
    },
    {
      name: "a member that is undefined is not there",
      operation: { op: "replace", path: "/absent", value: 1 },
      message: "replace: /absent does not exist",
    },
    {
      name: "a path is named as it was written",
      operation: { op: "remove", path: "/spec/a~1b~0c" },
      message: "remove: /spec/a~1b~0c does not exist",
    },
    {
      name: "a member that is not there is not replaced",
      operation: { op: "replace", path: "/x", value: 1 },
      message: "replace: /x does not exist",
    },
    {
      name: "a member that is not there is not removed",
      operation: { op: "remove", path: "/spec/x" },
      message: "remove: /spec/x does not exist",
    },
    {
      name: "add does not make parents, and names the first that is missing",
      operation: { op: "add", path: "/spec/x/y", value: 1 },
      message: "add: /spec/x does not exist",
    },
    {
      name: "text holds no fields",
      operation: { op: "add", path: "/spec/type/y", value: 1 },
      message: "add: /spec/type holds neither fields nor items",
    },
    {
      name: "an index beyond the end",
      operation: { op: "add", path: "/list/3", value: 1 },
      message: "add: /list/3 is no place in the array",
    },
    {
      name: "an index with a leading zero",
      operation: { op: "replace", path: "/list/01", value: 1 },
      message: "replace: /list/01 does not exist",
    },
    {
      name: "a negative index",
      operation: { op: "remove", path: "/list/-1" },
      message: "remove: /list/-1 does not exist",
    },
    {
      name: "- names no item that is there",
      operation: { op: "remove", path: "/list/-" },
      message: "remove: /list/- does not exist",
    },
    {
      name: "inherited members are not there",
      operation: { op: "replace", path: "/constructor", value: 1 },
      message: "replace: /constructor does not exist",
    },
    {
      name: "a pointer without a leading slash",
      operation: { op: "remove", path: "spec" },
      message: "remove: spec is not a JSON pointer",
    },
    { name: "a lone tilde", operation: { op: "remove", path: "/a~b" }, message: "remove: /a~b is not a JSON pointer" },
    {
      name: "the whole object is not removed",
      operation: { op: "remove", path: "" },
      message: "remove: the whole object cannot be removed",
    },
    { name: "move without from", operation: { op: "move", path: "/a" }, message: "move: from is missing for /a" },
    { name: "add without value", operation: { op: "add", path: "/a" }, message: "add: value is missing for /a" },
    {
      name: "nothing moves into itself",
      operation: { op: "move", from: "/spec", path: "/spec/x" },
      message: "move: /spec cannot move into itself",
    },
    {
      name: "copy from what is not there",
      operation: { op: "copy", from: "/x", path: "/y" },
      message: "copy: /x does not exist",
    },
    {
      name: "a test that fails does not give the value away",
      operation: { op: "test", path: "/spec/type", value: "secret" },
      message: "test: /spec/type has another value",
    },
    {
      name: "text is not the number it looks like",
      operation: { op: "test", path: "/port", value: "80" },
      message: "test: /port has another value",
    },
  ])("$name", ({ operation, message }) => {
    const document = { port: 80, spec: { type: "ClusterIP" }, list: [1, 2], none: null, absent: undefined };
    expect(() => applyOperation(frozen(document), operation)).toThrow(new PatchError(message));
  });

  test("a document that is a text holds nothing", () => {
    const operation: PatchOperation = { op: "add", path: "/a", value: 1 };
    expect(() => applyOperation("text", operation)).toThrow("add: the whole object holds neither fields nor items");
  });

  test("what an operation does not touch is shared with the document", () => {
    const document = frozen({ a: { b: [1] }, c: { d: { e: 1 }, f: {} } });
    const result = applyOperation(document, { op: "replace", path: "/c/d/e", value: 2 }) as typeof document;
    expect(result.a).toBe(document.a);
    expect(result.c.f).toBe(document.c.f);
    expect(result.c.d).not.toBe(document.c.d);
  });

  test("a key that names the prototype is a plain key", () => {
    const result = applyOperation({}, { op: "add", path: "/__proto__", value: { polluted: true } }) as object;
    expect(Object.hasOwn(result, "__proto__")).toBe(true);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  const key = fc.stringMatching(/^[a-z/~]{1,3}$/);
  const pathTo = (token: string): string => `/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`;

  test.prop([fc.dictionary(key, fc.jsonValue()), key, fc.jsonValue()])(
    "remove takes back what add has added",
    (document, name, value) => {
      fc.pre(!Object.hasOwn(document, name));
      const added = applyOperation(frozen(document), { op: "add", path: pathTo(name), value });
      expect(applyOperation(added, { op: "test", path: pathTo(name), value })).toBe(added);
      expect(sameValue(applyOperation(frozen(added), { op: "remove", path: pathTo(name) }), document)).toBe(true);
    },
  );
});
