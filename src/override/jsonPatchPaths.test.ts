import { describe, expect, test } from "vitest";
import { OBJECT_BOUNDS, type PatchOperation } from "../apis/index.ts";
import { applyOperation, PatchError } from "./jsonPatch.ts";
import { RuleError } from "./ruleError.ts";
import { frozen } from "./testing.ts";
import { Work } from "./work.ts";

const MOST_COPIED = 200_000;

/** The words in which an operation is refused. */
function refusal(operation: PatchOperation, document: unknown = { spec: { list: [1, 2], text: "x" } }): string {
  try {
    applyOperation(frozen(document), operation);
    return "not refused";
  } catch (error) {
    if (error instanceof PatchError) return error.message;
    throw error;
  }
}

describe("a pointer in the words of a refusal", () => {
  const pointer = (length: number): string => `/${"abcdefghij".repeat(10).slice(0, length - 1)}`;

  test("is told whole up to 56 characters, and else by its last 56", () => {
    expect(pointer(56)).toHaveLength(56);
    expect(refusal({ op: "remove", path: pointer(56) })).toBe(`remove: ${pointer(56)} does not exist`);
    expect(refusal({ op: "remove", path: pointer(57) })).toBe(`remove: …${pointer(57).slice(1)} does not exist`);
    expect(refusal({ op: "remove", path: pointer(58) })).toBe(`remove: …${pointer(58).slice(2)} does not exist`);
  });

  test.each<[string, PatchOperation, string]>([
    ["that is none", { op: "remove", path: pointer(60).slice(1) }, "is not a JSON pointer"],
    ["of a test", { op: "test", path: pointer(60), value: 2 }, "has another value"],
    ["without a value", { op: "add", path: pointer(60) }, "value is missing for"],
    ["without a source", { op: "copy", path: pointer(60) }, "from is missing for"],
    ["that cannot move", { op: "move", from: pointer(60), path: `${pointer(60)}/a` }, "cannot move into itself"],
  ])("%s is cut as well", (_name, operation, words) => {
    const message = refusal(operation, { [pointer(60).slice(1)]: 1 });
    expect(message).toContain(`…${pointer(60).slice(-56)}`);
    expect(message).toContain(words);
    expect(message).not.toContain(pointer(60));
  });

  test.each<[string, PatchOperation, string]>([
    [
      "the first that is missing, on the way to a value",
      { op: "copy", from: "/a/b/c", path: "/x" },
      "copy: /a does not exist",
    ],
    ["the first that is missing, further on", { op: "remove", path: "/spec/a/b" }, "remove: /spec/a does not exist"],
    [
      "the first that is missing, on the way to a place",
      { op: "add", path: "/a/b/c", value: 1 },
      "add: /a does not exist",
    ],
    [
      "what has no parts",
      { op: "add", path: "/spec/text/a", value: 1 },
      "add: /spec/text holds neither fields nor items",
    ],
    [
      "the place in a list",
      { op: "add", path: "/spec/list/9", value: 1 },
      "add: /spec/list/9 is no place in the array",
    ],
    ["an item that is no number", { op: "remove", path: "/spec/list/1x" }, "remove: /spec/list/1x does not exist"],
    [
      "an item within a list",
      { op: "replace", path: "/spec/list/0/a", value: 1 },
      "replace: /spec/list/0/a does not exist",
    ],
    ["a source that is none", { op: "move", from: "a", path: "/x" }, "move: a is not a JSON pointer"],
    ["a source that is not there", { op: "move", from: "/a", path: "/x" }, "move: /a does not exist"],
    [
      "the whole object, which moves nowhere",
      { op: "move", from: "", path: "/x" },
      "move: the whole object cannot move into itself",
    ],
    [
      "the whole object, which is another",
      { op: "test", path: "", value: 1 },
      "test: the whole object has another value",
    ],
    ["the whole object without a value", { op: "add", path: "" }, "add: value is missing for the whole object"],
    ["the whole object without a source", { op: "copy", path: "" }, "copy: from is missing for the whole object"],
    [
      "a value that is missing, of a replacement",
      { op: "replace", path: "/spec" },
      "replace: value is missing for /spec",
    ],
    ["a value that is missing, of a test", { op: "test", path: "/spec" }, "test: value is missing for /spec"],
  ])("names %s", (_name, operation, want) => {
    expect(refusal(operation)).toBe(want);
  });
});

describe("what an operation costs", () => {
  /** How many fields an operation copies, as a Work has it. */
  function cost(document: unknown, operation: PatchOperation): number {
    const work = new Work();
    applyOperation(frozen(document), operation, work);
    for (let copied = 0; ; copied += 1 / 32) {
      const left = new Work(work);
      try {
        left.copies(MOST_COPIED - copied);
        return copied;
      } catch {
        // It has copied more than that.
      }
    }
  }
  const document = { a: { b: { c: 1, d: 2 }, e: 3 }, list: [1, 2] };

  test.each<[string, PatchOperation, number]>([
    ["the members of each map on the way", { op: "add", path: "/a/b/x", value: 1 }, 2 + 2 + 2],
    ["the members of the object", { op: "replace", path: "/list", value: 1 }, 2],
    ["little for a list", { op: "add", path: "/list/-", value: 1 }, 2 + 1 + 2 / 32],
    ["nothing for the whole object", { op: "add", path: "", value: 1 }, 0],
    ["nothing for a test", { op: "test", path: "/a/e", value: 3 }, 0],
    ["the way twice for a move", { op: "move", from: "/a/e", path: "/f" }, 2 + 2 + 2],
  ])("is %s", (_name, operation, want) => expect(cost(document, operation)).toBe(want));

  /** A value of so many maps within each other. */
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
  const ofLevels = (levels: number): object => ({ at: nested(levels), to: { list: [] } });
  const { levels } = OBJECT_BOUNDS;

  test.each<[string, (value: unknown) => PatchOperation]>([
    ["added", (value) => ({ op: "add", path: "/to/x", value })],
    ["put in place of another", (value) => ({ op: "replace", path: "/to/list", value })],
    ["compared", (value) => ({ op: "test", path: "/to/list", value })],
  ])("counts the levels of a value that is %s, and those above it", (_name, operation) => {
    const run = (depth: number): unknown => applyOperation(ofLevels(0), operation(nested(depth)), new Work());
    // A test of it fails, which is another matter.
    const isTooDeep = (depth: number): boolean => {
      try {
        run(depth);
        return false;
      } catch (error) {
        return error instanceof RuleError && error.reason === "TooLarge";
      }
    };
    expect([levels - 2, levels - 1].map(isTooDeep)).toEqual([false, true]);
  });

  test.each<[string, PatchOperation]>([
    ["copied", { op: "copy", from: "/at", path: "/to/x" }],
    ["moved", { op: "move", from: "/at", path: "/to/x" }],
  ])("counts the levels of a value that is %s, and those above it", (_name, operation) => {
    expect(() => applyOperation(ofLevels(levels - 2), operation, new Work())).not.toThrow();
    expect(() => applyOperation(ofLevels(levels - 1), operation, new Work())).toThrow(RuleError);
  });

  test("is no room where there is no value", () => {
    const full = new Work();
    full.brings("x".repeat(OBJECT_BOUNDS.bytes - 2));
    const run = (operation: PatchOperation) => (): unknown => applyOperation({ a: 1 }, operation, full);
    expect(run({ op: "remove", path: "/a" })()).toEqual({});
    expect(run({ op: "add", path: "/b", value: 1 })).toThrow(RuleError);
  });
});

test("a document is never changed, and shares what an operation leaves alone", () => {
  const document = frozen({ list: [{ a: 1 }, { b: 2 }], map: { c: { d: 1 } } });
  const run = (operation: PatchOperation) => applyOperation(document, operation) as typeof document;
  const removed = run({ op: "remove", path: "/list/0" });
  expect(removed.list).toStrictEqual([{ b: 2 }]);
  expect([removed.list[0], removed.map]).toEqual([document.list[1], document.map]);
  expect(removed.map).toBe(document.map);
  const inserted = run({ op: "copy", from: "/map/c", path: "/list/1" });
  expect(inserted.list).toStrictEqual([{ a: 1 }, { d: 1 }, { b: 2 }]);
  expect(inserted.list[1]).toBe(document.map.c);
  expect(run({ op: "test", path: "", value: structuredClone(document) })).toBe(document);
});
