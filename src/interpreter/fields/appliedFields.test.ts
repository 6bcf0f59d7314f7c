import { describe, expect, test } from "vitest";
import type { FieldsV1, KubeObject, ManagedFieldsEntry } from "../../apis/index.ts";
import { withoutGivenUp } from "./givenUp.ts";
import { appliedAtOf, elementOf, hasApplied, lostFields, ownsAnnotation, pathText } from "./ownership.ts";

const entry = (more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  manager: "meridian",
  operation: "Apply",
  time: "2026-11-21T13:00:00Z",
  fieldsV1: { "f:metadata": { "f:annotations": { ".": {}, "f:example.com/a": {} } } },
  ...more,
});
const object = (fields: Record<string, unknown>): KubeObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "x" },
  ...fields,
});

describe("what a manager applied", () => {
  const others: ManagedFieldsEntry[] = [
    entry({ manager: "kubectl", time: "other" }),
    entry({ operation: "Update", time: "other" }),
    entry({ subresource: "status", time: "other" }),
  ];

  test("is found among what others wrote, and what it wrote otherwise", () => {
    const all = [...others, entry({ subresource: "" })];
    expect(hasApplied(all, "meridian")).toBe(true);
    expect(appliedAtOf(all, "meridian")).toBe("2026-11-21T13:00:00Z");
    expect(ownsAnnotation(all, "meridian", "example.com/a")).toBe(true);
  });

  test.each<[string, ManagedFieldsEntry[] | undefined]>([
    ["others wrote it", others],
    ["nobody wrote anything", []],
    ["nobody says who wrote", undefined],
  ])("is nothing where %s", (_name, entries) => {
    expect(hasApplied(entries, "meridian")).toBe(false);
    expect(appliedAtOf(entries, "meridian")).toBeUndefined();
    expect(ownsAnnotation(entries, "meridian", "example.com/a")).toBe(false);
  });

  test.each<[string, FieldsV1 | undefined]>([
    ["another annotation", { "f:metadata": { "f:annotations": { "f:example.com/b": {} } } }],
    ["a label of that name", { "f:metadata": { "f:labels": { "f:example.com/a": {} } } }],
    ["no metadata", { "f:spec": {} }],
    ["no fields", undefined],
  ])("is not the annotation, where it is %s", (_name, fieldsV1) => {
    const own: ManagedFieldsEntry[] = [
      { manager: "meridian", operation: "Apply", ...(fieldsV1 === undefined ? {} : { fieldsV1 }) },
    ];
    expect(hasApplied(own, "meridian")).toBe(true);
    expect(ownsAnnotation(own, "meridian", "example.com/a")).toBe(false);
  });
});

describe("the fields that are lost", () => {
  const lost = (desired: KubeObject, fields: FieldsV1, ...more: ManagedFieldsEntry[]) =>
    lostFields(desired, [entry({ fieldsV1: fields }), ...more], "meridian");

  test("are never those of an object's identity, whatever is written there", () => {
    const metadata = {
      name: "x",
      namespace: "n",
      uid: "u",
      resourceVersion: "1",
      generation: 1,
      creationTimestamp: "t",
      managedFields: [{ manager: "x" }],
      annotations: { a: "1" },
    };
    expect(lost({ ...object({}), metadata }, {})).toEqual([{ path: "metadata.annotations.a" }]);
  });

  test("are those that nobody owns, though a map above them is ours", () => {
    const fields = { "f:spec": { "f:a": { ".": {} }, "f:l": { ".": {} } } };
    expect(lost(object({ spec: { a: { b: 1, c: {} }, l: [{ name: "x" }] } }), fields)).toEqual([
      { path: "spec.a.b" },
      { path: "spec.a.c" },
      { path: "spec.l[0]" },
    ]);
  });

  test("have their names and their takers though others stand beside them", () => {
    const theirs = entry({
      manager: "kubectl",
      operation: "Update",
      time: "2026-11-21T12:00:00Z",
      fieldsV1: { "f:spec": { "f:ports": { 'k:{"port":80}': { "f:name": {} } } } },
    });
    const ports = [
      { port: 80, name: "a", other: 1 },
      { port: 81, name: "b" },
    ];
    const fields = { "f:spec": { "f:ports": { 'k:{"port":80}': { "f:port": {} }, 'k:{"port":81}': {} } } };
    expect(lost(object({ spec: { ports } }), fields, theirs)).toEqual([
      { path: "spec.ports[port=80].name", takenBy: "kubectl" },
      { path: "spec.ports[port=80].other" },
    ]);
  });

  test("were taken by no one who wrote before us, and may be by who wrote within the same second", () => {
    const removed = (time?: string) =>
      lost(
        object({ data: { a: "1" } }),
        {},
        {
          manager: "kubectl",
          operation: "Update",
          fieldsV1: { "f:x": {} },
          ...(time === undefined ? {} : { time }),
        },
      )[0]?.takenBy;
    expect(removed("2026-11-21T12:59:59Z")).toBeUndefined();
    expect(removed()).toBeUndefined();
    expect(removed("2026-11-21T13:00:00Z")).toBe("kubectl");
    expect(removed("2026-11-21T13:00:01Z")).toBe("kubectl");
  });

  test("were taken by a status report only where it has them", () => {
    const theirs = (fieldsV1: FieldsV1): ManagedFieldsEntry => ({
      manager: "kubelet",
      subresource: "status",
      time: "2026-11-21T14:00:00Z",
      fieldsV1,
    });
    const desired = object({ data: { a: "1" } });
    expect(lost(desired, {}, theirs({ "f:data": { "f:a": {} } }))[0]?.takenBy).toBe("kubelet");
    expect(lost(desired, {}, theirs({ "f:other": {} }))[0]?.takenBy).toBeUndefined();
    expect(lost(desired, {}, { manager: "x", time: "2026-11-21T14:00:00Z" })[0]?.takenBy).toBe("x");
  });
});

describe("the element under which an item of a list is owned", () => {
  test.each<{ name: string; item: unknown; fields: FieldsV1; want: string | undefined }>([
    { name: "its key", item: { name: "a" }, fields: { ".": {}, 'k:{"name":"a"}': {} }, want: 'k:{"name":"a"}' },
    { name: "its value", item: "a", fields: { 'v:"a"': {}, "i:1": {} }, want: 'v:"a"' },
    { name: "its value, a number", item: 1, fields: { "v:1": {} }, want: "v:1" },
    { name: "its place", item: "b", fields: { 'v:"a"': {}, "i:1": {} }, want: "i:1" },
    { name: "its place, an object", item: { a: 1 }, fields: { 'k:{"name":"a"}': {}, "i:1": {} }, want: "i:1" },
    { name: "none", item: { name: "b" }, fields: { 'k:{"name":"a"}': {}, "i:0": {} }, want: undefined },
  ])("is $name", ({ item, fields, want }) => expect(elementOf(item, 1, fields)).toBe(want));
});

test("a path is written with dots, and in brackets what is no word", () => {
  const item = (value: unknown, fields: FieldsV1 = {}) => ({ item: value, index: 4, fields });
  expect(pathText(["spec", "a-b_C9", "x.y", "[name=z]", "b"])).toBe('spec.a-b_C9["x.y"][name=z].b');
  expect(pathText(["l", item("a"), item(null)])).toBe('l["a"][null]');
  const key: FieldsV1 = { ".": {}, 'k:{"name":"q","port":1}': {} };
  expect(pathText(["l", item({ name: "q", port: 80 }, key)])).toBe("l[name=q,port=80]");
  expect(pathText(["l", item({ name: { deep: 1 }, port: 80 }, key)])).toBe("l[port=80]");
  expect(pathText(["l", item({ other: 1 }, key)])).toBe("l[4]");
  expect(pathText(["é"])).toBe('["é"]');
});

describe("what is given up", () => {
  const spec = (fields: object): KubeObject => object({ spec: fields });

  test("leaves the entries of others as they are, and every other part of our own", () => {
    const theirs = entry({ manager: "kubectl", fieldsV1: { "f:spec": { "f:a": {} } } });
    const bare: ManagedFieldsEntry = { manager: "meridian", operation: "Apply" };
    const ours = entry({ fieldsV1: { "f:spec": { ".": {}, "f:a": {}, "f:b": { "f:c": {} } } } });
    const found = withoutGivenUp([theirs, bare, ours], "meridian", spec({ a: 1, b: { c: 1 } }), spec({ b: { c: 2 } }));
    expect(found).toEqual([theirs, bare, { ...ours, fieldsV1: { "f:spec": { ".": {}, "f:b": { "f:c": {} } } } }]);
    expect(found?.[0]).toBe(theirs);
    expect(found?.[1]).toBe(bare);
  });

  test("is all of it where nothing of the object is left", () => {
    const ours = entry({ fieldsV1: { "f:spec": { ".": {}, "f:a": {} } } });
    expect(withoutGivenUp([ours], "meridian", spec({ a: 1 }), spec({}))).toEqual([{ ...ours, fieldsV1: {} }]);
  });

  test("is nothing where an item only moved, or has another value", () => {
    const fields = { "f:spec": { "f:l": { 'v:"a"': {}, 'v:"b"': {} }, "f:x": {} } };
    const given = [entry({ fieldsV1: fields })];
    expect(
      withoutGivenUp(given, "meridian", spec({ l: ["a", "b"], x: 1 }), spec({ l: ["b", "a"], x: 2 })),
    ).toBeUndefined();
    expect(withoutGivenUp(given, "meridian", spec({ l: ["a", "b"], x: 1 }), spec({ l: ["a"], x: 1 }))).toEqual([
      entry({ fieldsV1: { "f:spec": { "f:l": { 'v:"a"': {} }, "f:x": {} } } }),
    ]);
  });

  test("is nothing within a value that became another sort of value", () => {
    const given = [entry({ fieldsV1: { "f:spec": { "f:a": { "f:b": {} }, "f:l": { 'v:"a"': {} } } } })];
    expect(
      withoutGivenUp(given, "meridian", spec({ a: { b: 1 }, l: ["a"] }), spec({ a: ["b"], l: { 0: "a" } })),
    ).toBeUndefined();
  });
});
