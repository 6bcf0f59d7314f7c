import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { FieldsV1, KubeObject, ManagedFieldsEntry } from "../../apis/index.ts";
import { lostFields } from "./ownership.ts";

const OURS = "meridian";
const object = (spec: unknown): KubeObject => ({ apiVersion: "v1", kind: "Thing", metadata: { name: "x" }, spec });
const apply = (fieldsV1: FieldsV1): ManagedFieldsEntry => ({
  manager: OURS,
  operation: "Apply",
  time: "2026-11-21T13:00:00Z",
  fieldsV1,
});
const update = (manager: string, fieldsV1: FieldsV1, time = "2026-11-21T14:00:00Z"): ManagedFieldsEntry => ({
  manager,
  operation: "Update",
  time,
  fieldsV1,
});
const lost = (spec: unknown, owned: object, ...others: ManagedFieldsEntry[]) =>
  lostFields(object(spec), [apply({ "f:spec": owned as FieldsV1 }), ...others], OURS);

describe("a field that is lost", () => {
  test.each<{ name: string; spec: unknown; owned: object; want: string[] }>([
    { name: "is none that is null", spec: { a: null }, owned: { ".": {} }, want: [] },
    { name: "is none that nobody has set", spec: { a: undefined }, owned: { ".": {} }, want: [] },
    { name: "is none that is an empty list", spec: { a: [] }, owned: { ".": {} }, want: [] },
    { name: "is an empty text", spec: { a: "" }, owned: { ".": {} }, want: ["spec.a"] },
    { name: "is a zero", spec: { a: 0 }, owned: { ".": {} }, want: ["spec.a"] },
    { name: "is a no", spec: { a: false }, owned: { ".": {} }, want: ["spec.a"] },
    { name: "is an empty map", spec: { a: {} }, owned: { ".": {} }, want: ["spec.a"] },
    { name: "is no empty map that is ours as a whole", spec: { a: {} }, owned: { "f:a": {} }, want: [] },
    { name: "is no empty map of which others have parts", spec: { a: {} }, owned: { "f:a": { ".": {} } }, want: [] },
    { name: "is no scalar whose field is ours", spec: { a: 1 }, owned: { "f:a": {} }, want: [] },
    {
      name: "is the one item of several that is not ours",
      spec: { l: [{ name: "a" }, { name: "b" }] },
      owned: { "f:l": { 'k:{"name":"a"}': { ".": {}, "f:name": {} } } },
      want: ["spec.l[name=b]"],
    },
    {
      name: "is within an item that is ours",
      spec: { l: [{ name: "a", image: "i" }] },
      owned: { "f:l": { 'k:{"name":"a"}': { ".": {}, "f:name": {} } } },
      want: ["spec.l[name=a].image"],
    },
    {
      name: "is an item that is null",
      spec: { l: ["a", null] },
      owned: { "f:l": { 'v:"a"': {} } },
      want: ["spec.l[null]"],
    },
  ])("$name", ({ spec, owned, want }) => expect(lost(spec, owned).map(({ path }) => path)).toEqual(want));

  test("was taken by who wrote, though we have no entry of our own at all", () => {
    expect(lostFields(object({ a: 1 }), [], OURS)).toStrictEqual([{ path: "spec.a" }]);
    const theirs = update("kubectl", { "f:spec": { "f:b": {} } });
    expect(lostFields(object({ a: 1 }), [theirs], OURS)).toStrictEqual([{ path: "spec.a", takenBy: "kubectl" }]);
    expect(lostFields(object({ a: 1 }), [{ manager: OURS, operation: "Apply" }], OURS)).toStrictEqual([
      { path: "spec.a" },
    ]);
  });

  test("was taken by who has parts of it, where it was one value", () => {
    const before = "2026-11-21T12:00:00Z";
    const takerOf = (fields: FieldsV1) => lost({ a: 1 }, { ".": {} }, update("kubectl", { "f:spec": fields }, before));
    expect(takerOf({ "f:a": { "f:b": {} } })).toStrictEqual([{ path: "spec.a", takenBy: "kubectl" }]);
    expect(takerOf({ "f:b": { "f:a": {} } })).toStrictEqual([{ path: "spec.a" }]);
  });

  test("was taken by who has it in the metadata, and not by who has the same name elsewhere", () => {
    const desired = { ...object({}), metadata: { name: "x", labels: { a: "1" } } };
    const takerOf = (fields: FieldsV1) =>
      lostFields(desired, [apply({ "f:spec": {} }), update("kubectl", fields, "2026-11-21T12:00:00Z")], OURS);
    expect(takerOf({ "f:metadata": { "f:labels": { "f:a": {} } } })).toStrictEqual([
      { path: "metadata.labels.a", takenBy: "kubectl" },
    ]);
    expect(takerOf({ "": { "f:labels": { "f:a": {} } }, "f:labels": { "f:a": {} } })).toStrictEqual([
      { path: "metadata.labels.a" },
    ]);
  });

  test("was taken by the latest who has it, and not by a later one who has another", () => {
    const spec = (name: string): FieldsV1 => ({ "f:spec": { [`f:${name}`]: {} } });
    const entries = [
      update("third", spec("a"), "2026-11-21T14:00:03Z"),
      update("first", spec("a"), "2026-11-21T14:00:01Z"),
      update("last", spec("b"), "2026-11-21T14:00:09Z"),
    ];
    expect(lost({ a: 1 }, { ".": {} }, ...entries)).toStrictEqual([{ path: "spec.a", takenBy: "third" }]);
    expect(lost({ a: 1 }, { ".": {} }, ...entries.toReversed())).toStrictEqual([{ path: "spec.a", takenBy: "third" }]);
    expect(lost({ c: 1 }, { ".": {} }, ...entries)).toStrictEqual([{ path: "spec.c", takenBy: "last" }]);
  });
});

describe("a null or an empty list", () => {
  const takenFrom = (value: unknown, fields: FieldsV1, there: unknown): string[] => {
    const others = [update("kubectl", { "f:spec": fields })];
    const entries = [apply({ "f:spec": { ".": {} } }), ...others];
    return lostFields(object({ a: value }), entries, OURS, object({ a: there })).map(({ path }) => path);
  };
  test("is lost to whoever sets a value instead", () => {
    expect(takenFrom(null, { "f:a": {} }, "x")).toEqual(["spec.a"]);
    expect(takenFrom([], { "f:a": {} }, ["x"])).toEqual(["spec.a"]);
  });

  test("is not lost to items of others in a list with keys or a set, nor to another field", () => {
    expect(takenFrom([], { "f:a": { 'k:{"name":"x"}': { ".": {} } } }, [{ name: "x" }])).toEqual([]);
    expect(takenFrom([], { "f:a": { 'v:"x"': {} } }, ["x"])).toEqual([]);
    expect(takenFrom([], { "f:b": {} }, ["x"])).toEqual([]);
    expect(takenFrom(null, { "f:b": {} }, "x")).toEqual([]);
  });

  test("is not lost where others own the same: the server makes nobody the owner of an empty list with keys", () => {
    expect(takenFrom([], { "f:a": {} }, [])).toEqual([]);
  });

  test("is found within an item of a list", () => {
    const spec = (l: unknown) => ({ list: [{ name: "a", l }] });
    const item = (fields: object): FieldsV1 => ({
      "f:spec": { "f:list": { 'k:{"name":"a"}': { ".": {}, ...fields } } },
    });
    const entries = [apply(item({ "f:name": {} })), update("kubectl", item({ "f:l": {} }))];
    expect(lostFields(object(spec([])), entries, OURS, object(spec([1])))).toEqual([
      { path: "spec.list[name=a].l", takenBy: "kubectl" },
    ]);
    expect(lostFields(object(spec([])), entries, OURS, object(spec([])))).toEqual([]);
  });
});

test("an integer that no number holds is found in a set and in the key of an item", () => {
  const [one, other] = [9007199254740993n, 9007199254740992n];
  const owned = {
    "f:set": { "v:9007199254740993": {} },
    "f:l": { 'k:{"id":9007199254740993}': { ".": {}, "f:id": {} } },
  };
  expect(lost({ set: [one], l: [{ id: one }] }, owned)).toEqual([]);
  expect(lost({ set: [other], l: [{ id: other }] }, owned).map(({ path }) => path)).toEqual([
    "spec.set[9007199254740992]",
    "spec.l[id=9007199254740992]",
  ]);
});

const leaf = fc.constantFrom<unknown>("a", 1, true);
const tree = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", maxDepth: 3 },
    leaf,
    fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"), { minKeys: 1 }),
  ),
})).value;

/** Every leaf of a tree of maps, owned. */
function ownedBy(value: unknown): FieldsV1 {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [`f:${key}`, ownedBy(member)])) as FieldsV1;
}

test.prop([fc.dictionary(fc.constantFrom("a", "b", "c"), tree, { minKeys: 1 })])(
  "nothing of what is owned is lost, and each leaf of what is not",
  (spec) => {
    const leaves = (value: unknown): number =>
      typeof value === "object" && value !== null
        ? Object.values(value).reduce((sum: number, one) => sum + leaves(one), 0)
        : 1;
    expect(lost(spec, ownedBy(spec))).toEqual([]);
    expect(lost(spec, { "f:other": {} })).toHaveLength(leaves(spec));
  },
);
