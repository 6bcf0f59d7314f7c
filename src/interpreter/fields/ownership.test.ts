import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { FIELD_MANAGER, type FieldsV1, type KubeObject, type ManagedFieldsEntry } from "../../apis/index.ts";
import type { LostField } from "../types.ts";
import { appliedAtOf, hasApplied, lostFields, ownsAnnotation } from "./ownership.ts";
import captured from "../testdata/ownership.json" with { type: "json" };

// Answers of a real API server after each change of an object that Meridian had applied.
const objects = captured as unknown as { Deployment: KubeObject; Service: KubeObject };
const cases = captured.cases as unknown as {
  name: string;
  object: "Deployment" | "Service";
  lost: LostField[];
  managedFields: ManagedFieldsEntry[];
}[];

const object = (fields: object): KubeObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "x" },
  ...fields,
});
const spec = (value: unknown): KubeObject => object({ spec: value });
const entry = (fieldsV1: FieldsV1, more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  manager: FIELD_MANAGER,
  operation: "Apply",
  time: "2026-11-21T13:00:00Z",
  fieldsV1,
  ...more,
});
/** Entry of another manager that wrote within the hour of Meridian's apply: at `08:30` of it, say. */
const other = (manager: string, fieldsV1: FieldsV1, at?: string): ManagedFieldsEntry => ({
  manager,
  operation: "Update",
  fieldsV1,
  ...(at === undefined ? {} : { time: `2026-11-21T13:${at}Z` }),
});
const lost = (desired: KubeObject, owned: FieldsV1, ...others: ManagedFieldsEntry[]): LostField[] =>
  lostFields(desired, [entry(owned), ...others], FIELD_MANAGER);
const takerOf = (desired: KubeObject, owned: FieldsV1, ...others: ManagedFieldsEntry[]): string | undefined =>
  lost(desired, owned, ...others)[0]?.takenBy;

test.each(cases)("lost on a real server: $name", ({ object: kind, lost: want, managedFields }) => {
  expect(lostFields(objects[kind], managedFields, FIELD_MANAGER)).toEqual(want);
});

test.each<[name: string, desired: Record<string, unknown>, want: string[], owned?: FieldsV1]>([
  ["nothing for a null", { a: null }, []],
  ["nothing for an empty list", { a: [] }, []],
  ["an empty text", { a: "" }, ["a"]],
  ["an empty map", { a: {} }, ["a"]],
  ["no empty map that is owned as a whole", { a: {} }, [], { "f:a": {} }],
  ["nothing below an atomic map", { a: { b: 1 } }, [], { "f:a": {} }],
  ["nothing below an atomic list", { a: [{ b: 1 }] }, [], { "f:a": {} }],
  ["no status", { status: { phase: "x" } }, []],
  [
    "no identity",
    {
      metadata: {
        ...{ name: "x", namespace: "n", uid: "u", resourceVersion: "1", generation: 1, creationTimestamp: "t" },
        ...{ managedFields: [{ manager: "x" }], labels: { a: "1" } },
      },
    },
    ["metadata.labels.a"],
  ],
  ["names that are no words, in quotes", { "a.b": 1, c: { "d/e": 2 } }, ['["a.b"]', 'c["d/e"]']],
  ["a list without owned items as one field", { l: [1, 2] }, ["l"]],
  ["an item by its position", { l: [1, 2] }, ["l[2]"], { "f:l": { "i:0": {} } }],
  ["an item of a set", { s: ["x", "y"] }, ['s["y"]'], { "f:s": { 'v:"x"': {} } }],
  [
    "an item by its key, or by its position if it has none",
    { ports: [{ port: 80, name: "a" }, { other: 1 }] },
    ["ports[port=80]", "ports[1]"],
    { "f:ports": { ".": {}, 'k:{"port":81,"protocol":"TCP"}': { "f:port": {} } } },
  ],
  [
    "an item whose key has nothing but a null in common",
    { ports: [{ port: 80, name: null }, { name: "x" }] },
    ["ports[name=x]"],
    { "f:ports": { 'k:{"name":"y","port":80}': { "f:port": {} } } },
  ],
  [
    "a field within an owned item",
    { l: [{ name: "a", image: "i" }] },
    ["l[name=a].image"],
    { "f:l": { 'k:{"name":"a"}': { ".": {}, "f:name": {} } } },
  ],
])("reports %s", (_name, desired, want, owned = {}) => {
  expect(lost(object(desired), owned).map(({ path }) => path)).toEqual(want);
});

describe("the manager that took a field", () => {
  const desired = object({ data: { a: "1" } });
  const a: FieldsV1 = { "f:data": { "f:a": {} } };
  const x: FieldsV1 = { "f:x": {} };

  test("is the latest of its owners; of two at the same time, the first", () => {
    const early = other("early", a, "00:01");
    const late = other("late", a, "00:09");
    expect(takerOf(desired, {}, early, late, other("later, another field", x, "01:00"))).toBe("late");
    expect(takerOf(desired, {}, late, early)).toBe("late");
    expect(takerOf(desired, {}, late, { ...late, manager: "second" })).toBe("late");
    expect(takerOf(desired, {}, other("without a time", a), late)).toBe("late");
    expect(takerOf(desired, {}, late, other("without a time", a))).toBe("late");
  });

  test("is, where nobody owns the field, the last who wrote since the second of Meridian's apply", () => {
    const before = { ...other("before", x), time: "2026-11-21T12:59:59Z" };
    const removers = [other("in the same second", x, "00:00"), other("remover", x, "00:05")];
    const report = { ...other("kcm", x, "09:00"), subresource: "status" };
    expect(takerOf(desired, {}, before, other("without a time", x), report)).toBeUndefined();
    expect(takerOf(desired, {}, before, ...removers.slice(0, 1), report)).toBe("in the same second");
    expect(takerOf(desired, {}, before, ...removers, report)).toBe("remover");
  });

  test("is never Meridian under another operation or for the status, whose fields do not count as its own", () => {
    const entries = [entry(a, { operation: "Update" }), entry(a, { subresource: "status" })];
    expect(lostFields(desired, entries, FIELD_MANAGER)).toStrictEqual([{ path: "data.a" }]);
  });

  test("is the last writer if Meridian has no entry, or one without fields", () => {
    expect(lostFields(desired, [other("kubectl", x)], FIELD_MANAGER)).toStrictEqual([
      { path: "data.a", takenBy: "kubectl" },
    ]);
    const bare = { manager: FIELD_MANAGER, operation: "Apply" as const };
    expect(lostFields(desired, [bare], FIELD_MANAGER)).toStrictEqual([{ path: "data.a" }]);
  });

  test.each<{ name: string; fields: FieldsV1; want: string | undefined }>([
    { name: "owns the map as a whole", fields: { "f:data": {} }, want: "taker" },
    { name: "owns the field", fields: a, want: "taker" },
    { name: "owns parts of it", fields: { "f:data": { "f:a": { "f:b": {} } } }, want: "taker" },
    { name: "owns a field beside it", fields: { "f:data": { "f:b": {} } }, want: undefined },
  ])("$name: $want", ({ fields, want }) => {
    expect(takerOf(desired, x, { ...other("taker", fields), time: "2026-11-21T12:00:00Z" })).toBe(want);
  });

  test.each<{ item: unknown; path: string; want: string }>([
    { item: { name: "web", image: "i" }, path: 'k:{"name":"web"}', want: "taker" },
    { item: { name: "web", image: "i" }, path: 'k:{"name":"api"}', want: "last" },
    { item: "x", path: 'v:"x"', want: "taker" },
  ])("of the item $item is $want, where it owns $path", ({ item, path, want }) => {
    const owned: FieldsV1 = { "f:l": { 'k:{"name":"other"}': {} } };
    const taker = other("taker", { "f:l": { [path]: { ".": {} } } }, "30:00");
    expect(takerOf(object({ l: [item] }), owned, other("last", x, "40:00"), taker)).toBe(want);
  });
});

describe("a null or an empty list", () => {
  test.each<[name: string, value: unknown, fields: FieldsV1, live: unknown, want: string[]]>([
    ["a null with a value of others", null, { "f:a": {} }, "x", ["spec.a"]],
    ["a list with items of others", [], { "f:a": {} }, ["x"], ["spec.a"]],
    ["no list with keys", [], { "f:a": { 'k:{"name":"x"}': { ".": {} } } }, [{ name: "x" }], []],
    ["no set", [], { "f:a": { 'v:"x"': {} } }, ["x"], []],
    ["no list beside a field of others", [], { "f:b": {} }, ["x"], []],
  ])("is lost: %s", (_name, value, fields, live, want) => {
    const entries = [entry({ "f:spec": { ".": {} } }), other("kubectl", { "f:spec": fields }, "01:00")];
    const found = lostFields(spec({ a: value }), entries, FIELD_MANAGER, spec({ a: live }));
    expect(found.map(({ path }) => path)).toEqual(want);
  });

  test("is found within an item of a list", () => {
    const list = (l: unknown): KubeObject => spec({ list: [{ name: "a", l }] });
    const item = (fields: object): FieldsV1 => ({
      "f:spec": { "f:list": { 'k:{"name":"a"}': { ".": {}, ...fields } } },
    });
    const entries = [entry(item({ "f:name": {} })), other("kubectl", item({ "f:l": {} }), "01:00")];
    expect(lostFields(list([]), entries, FIELD_MANAGER, list([1]))).toEqual([
      { path: "spec.list[name=a].l", takenBy: "kubectl" },
    ]);
    expect(lostFields(list([]), entries, FIELD_MANAGER, list([]))).toEqual([]);
  });
});

test("an integer that no number holds is found in a set and in the key of an item", () => {
  const [one, two] = [9007199254740993n, 9007199254740992n];
  const owned: FieldsV1 = {
    "f:set": { "v:9007199254740993": {} },
    "f:l": { 'k:{"id":9007199254740993}': { ".": {}, "f:id": {} } },
  };
  expect(lost(object({ set: [one], l: [{ id: one }] }), owned)).toEqual([]);
  expect(lost(object({ set: [two], l: [{ id: two }] }), owned).map(({ path }) => path)).toEqual([
    "set[9007199254740992]",
    "l[id=9007199254740992]",
  ]);
});

const tree = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", maxDepth: 3 },
    fc.constantFrom<unknown>("a", 1, true),
    fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"), { minKeys: 1 }),
  ),
})).value;

/** Ownership of every leaf of a tree of maps. */
function ownedBy(value: unknown): FieldsV1 {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [`f:${key}`, ownedBy(member)])) as FieldsV1;
}

function leavesOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, member) => sum + leavesOf(member), 0);
}

test.prop([fc.dictionary(fc.constantFrom("a", "b", "c"), tree, { minKeys: 1 })])(
  "nothing of what is owned is lost, and each leaf of what is not",
  (value) => {
    expect(lost(spec(value), { "f:spec": ownedBy(value) })).toEqual([]);
    expect(lost(spec(value), { "f:spec": { "f:other": {} } })).toHaveLength(leavesOf(value));
  },
);

describe("the fields that a manager applied", () => {
  const annotation = (fieldsV1: FieldsV1): ManagedFieldsEntry => entry({ "f:metadata": fieldsV1 });
  const own = annotation({ "f:annotations": { ".": {}, "f:example.com/a": {} } });
  const others = [
    { ...own, manager: "kubectl" },
    { ...own, operation: "Update" as const },
    { ...own, subresource: "status" },
  ];

  test.each<[name: string, entries: ManagedFieldsEntry[] | undefined, applied: boolean, owns: boolean]>([
    ["its entry among others", [...others, { ...own, subresource: "" }], true, true],
    ["entries of others", others, false, false],
    ["no entries", undefined, false, false],
    ["another annotation", [annotation({ "f:annotations": { "f:example.com/b": {} } })], true, false],
    ["a label of that name", [annotation({ "f:labels": { "f:example.com/a": {} } })], true, false],
  ])("%s", (_name, entries, applied, owns) => {
    expect(hasApplied(entries, FIELD_MANAGER)).toBe(applied);
    expect(appliedAtOf(entries, FIELD_MANAGER)).toBe(applied ? "2026-11-21T13:00:00Z" : undefined);
    expect(ownsAnnotation(entries, FIELD_MANAGER, "example.com/a")).toBe(owns);
  });
});
