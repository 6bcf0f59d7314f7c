import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { OBJECT_BOUNDS, type PatchOperation, sameValue } from "../apis/index.ts";
import { applyOperation, PatchError } from "./jsonPatch.ts";
import { parsePointer } from "./jsonPointer.ts";
import { RuleError } from "./ruleError.ts";
import { frozen } from "./testing.ts";
import { Work } from "./work.ts";

const add = (path: string, value: unknown): PatchOperation => ({ op: "add", path, value });
const replace = (path: string, value: unknown): PatchOperation => ({ op: "replace", path, value });
const remove = (path: string): PatchOperation => ({ op: "remove", path });
const move = (from: string, path: string): PatchOperation => ({ op: "move", from, path });
const copy = (from: string, path: string): PatchOperation => ({ op: "copy", from, path });
const compare = (path: string, value: unknown): PatchOperation => ({ op: "test", path, value });

test.each<[string, readonly string[] | undefined]>([
  ["", []],
  ["/", [""]],
  ["/a~1b/m~0n", ["a/b", "m~n"]],
  ["/~01", ["~1"]],
  ["a/b", undefined],
  ["/a~2", undefined],
])("the parts of the pointer %j are %j", (text, want) => expect(parsePointer(text)).toEqual(want));

// The first rows are the examples of RFC 6902, appendix A.
test.each<[name: string, document: unknown, operation: PatchOperation, want: unknown]>([
  ["adds a member", { foo: "bar" }, add("/baz", "qux"), { baz: "qux", foo: "bar" }],
  ["adds an item", { foo: ["bar", "baz"] }, add("/foo/1", "qux"), { foo: ["bar", "qux", "baz"] }],
  ["removes a member", { baz: "qux", foo: "bar" }, remove("/baz"), { foo: "bar" }],
  ["removes an item", { foo: ["bar", "qux", "baz"] }, remove("/foo/1"), { foo: ["bar", "baz"] }],
  ["replaces a value", { baz: "qux" }, replace("/baz", "boo"), { baz: "boo" }],
  [
    "moves a value",
    { foo: { bar: 1, waldo: 2 }, qux: {} },
    move("/foo/waldo", "/qux/thud"),
    { foo: { bar: 1 }, qux: { thud: 2 } },
  ],
  [
    "moves an item",
    { foo: ["all", "grass", "cows", "eat"] },
    move("/foo/1", "/foo/3"),
    { foo: ["all", "cows", "eat", "grass"] },
  ],
  ["adds one past the end", [1], add("/1", 2), [1, 2]],
  ["adds in place of a member", { a: 1 }, add("/a", 2), { a: 2 }],
  ["replaces a key with a slash", { "a/b": "x" }, replace("/a~1b", "y"), { "a/b": "y" }],
  ["replaces null", { a: null }, replace("/a", 1), { a: 1 }],
  ["copies", { a: { b: 1 } }, copy("/a", "/c"), { a: { b: 1 }, c: { b: 1 } }],
  ["replaces the whole document", { a: 1 }, replace("", [1]), [1]],
  ["adds in place of the whole document", { a: 1 }, add("", { b: 2 }), { b: 2 }],
  ["replaces a member of an item", { a: [{ b: 1 }, { b: 2 }] }, replace("/a/1/b", 3), { a: [{ b: 1 }, { b: 3 }] }],
  ["moves deeper beside itself", { a: { b: 1, c: {} } }, move("/a/b", "/a/c/d"), { a: { c: { d: 1 } } }],
  ["compares in any order of keys", { a: { b: 1, c: [2] } }, compare("/a", { c: [2], b: 1 }), { a: { b: 1, c: [2] } }],
])("an operation %s", (_name, document, operation, want) =>
  expect(applyOperation(frozen(document), frozen(operation))).toStrictEqual(want),
);

test.each<[PatchOperation, message: string]>([
  [replace("/list/2", 1), "replace: /list/2 does not exist"],
  [add("/none/y", 1), "add: /none holds neither fields nor items"],
  [remove("/spec/a~1b~0c"), "remove: /spec/a~1b~0c does not exist"],
  [add("/spec/type/y", 1), "add: /spec/type holds neither fields nor items"],
  [add("/list/3", 1), "add: /list/3 is no place in the array"],
  [replace("/list/01", 1), "replace: /list/01 does not exist"],
  [remove("/list/-"), "remove: /list/- does not exist"],
  [replace("/constructor", 1), "replace: /constructor does not exist"],
  [remove("spec"), "remove: spec is not a JSON pointer"],
  [remove(""), "remove: the whole object cannot be removed"],
  [{ op: "move", path: "/a" }, "move: from is missing for /a"],
  [{ op: "add", path: "/a" }, "add: value is missing for /a"],
  [move("/spec", "/spec/x"), "move: /spec cannot move into itself"],
  [copy("/a/b/c", "/y"), "copy: /a does not exist"],
  // The value stays out of the message: it may be secret.
  [compare("/spec/type", "secret"), "test: /spec/type has another value"],
  [compare("/port", "80"), "test: /port has another value"],
])("%j is refused: %s", (operation, message) => {
  const document = { port: 80, spec: { type: "ClusterIP" }, list: [1, 2], none: null, absent: undefined };
  expect(() => applyOperation(frozen(document), operation)).toThrow(new PatchError(message));
});

test("a long pointer is named by its end", () => {
  const pointer = `/${"abcdefghij".repeat(6)}`;
  const named = (length: number): string => pointer.slice(0, length);
  for (const [length, text] of [
    [56, named(56)],
    [57, `…${named(57).slice(1)}`],
  ] as const)
    expect(() => applyOperation({}, remove(named(length)))).toThrow(`remove: ${text} does not exist`);
});

test("a key that names the prototype is a plain key", () => {
  const result = applyOperation({}, add("/__proto__", { polluted: true })) as object;
  expect(Object.hasOwn(result, "__proto__")).toBe(true);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

const key = fc.stringMatching(/^[a-z/~]{1,3}$/);
const pathTo = (token: string): string => `/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`;

test.prop([fc.dictionary(key, fc.jsonValue()), key, fc.jsonValue()])(
  "remove takes back what add has added",
  (document, name, value) => {
    fc.pre(!Object.hasOwn(document, name));
    const added = applyOperation(frozen(document), add(pathTo(name), value));
    expect(applyOperation(added, compare(pathTo(name), value))).toBe(added);
    expect(sameValue(applyOperation(frozen(added), remove(pathTo(name))), document)).toBe(true);
  },
);

test("a document is never changed, and shares what an operation leaves alone", () => {
  const document = frozen({ list: [{ a: 1 }, { b: 2 }], map: { c: { d: 1 }, e: {} } });
  const run = (operation: PatchOperation) => applyOperation(document, operation) as typeof document;
  const removed = run(remove("/list/0"));
  expect(removed.list).toStrictEqual([{ b: 2 }]);
  expect(removed.list[0]).toBe(document.list[1]);
  expect(removed.map).toBe(document.map);
  const inserted = run(copy("/map/c", "/list/1"));
  expect(inserted.list).toStrictEqual([{ a: 1 }, { d: 1 }, { b: 2 }]);
  expect(inserted.list[1]).toBe(document.map.c);
  const replaced = run(replace("/map/c/d", 2));
  expect(replaced.map.c).not.toBe(document.map.c);
  expect(replaced.map.e).toBe(document.map.e);
  expect(run(compare("", structuredClone(document)))).toBe(document);
});

describe("what an operation costs", () => {
  const MOST_COPIED = 200_000;
  const document = { a: { b: { c: 1, d: 2 }, e: 3 }, list: [1, 2] };

  test.each<[string, PatchOperation, number]>([
    ["the members of each map on the way", add("/a/b/x", 1), 2 + 2 + 2],
    ["little for a list", add("/list/-", 1), 2 + 1 + 2 / 32],
    ["nothing for a test", compare("/a/e", 3), 0],
    ["the way twice for a move", move("/a/e", "/f"), 2 + 2 + 2],
  ])("is %s", (_name, operation, want) => {
    const work = new Work();
    applyOperation(frozen(document), operation, work);
    expect(() => new Work(work).copies(MOST_COPIED - want)).not.toThrow();
    expect(() => new Work(work).copies(MOST_COPIED - want + 1 / 64)).toThrow(RuleError);
  });

  /** A value of so many maps within each other. */
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
  const { levels } = OBJECT_BOUNDS;

  test.each<[string, (value: unknown) => PatchOperation]>([
    ["added", (value) => add("/to/x", value)],
    ["compared", (value) => compare("/to/list", value)],
    ["copied", () => copy("/at", "/to/x")],
  ])("counts the levels of a value that is %s, and those above it", (_name, operation) => {
    const isTooDeep = (depth: number): boolean => {
      try {
        applyOperation({ at: nested(depth), to: { list: [] } }, operation(nested(depth)), new Work());
        return false;
      } catch (error) {
        return error instanceof RuleError && error.reason === "TooLarge";
      }
    };
    expect([levels - 2, levels - 1].map(isTooDeep)).toEqual([false, true]);
  });
});
