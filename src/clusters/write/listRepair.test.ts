import { describe, expect, test } from "vitest";
import { FIELD_MANAGER, type FieldsV1, type KubeObject, type ManagedFieldsEntry } from "../../apis/index.ts";
import { emptiedAgain, emptiedFirst, emptiesLeft, listRepairs, withoutUpdateEntry } from "./listRepair.ts";

const ports = [{ port: 80, name: "http" }];
const service: KubeObject = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "shop" },
  spec: { ports, type: "ClusterIP" },
};

/** Object of a custom kind. */
const doc = (spec: object, ...managedFields: ManagedFieldsEntry[]): KubeObject => ({
  apiVersion: "example.com/v1",
  kind: "Doc",
  metadata: { name: "d", managedFields },
  spec,
});
const builtIn = (object: KubeObject): KubeObject => ({ ...object, apiVersion: "apps/v1" });
const ours = (fields: FieldsV1): ManagedFieldsEntry => ({
  ...{ manager: FIELD_MANAGER, operation: "Apply", fieldsV1: { "f:spec": fields } },
});
const theirs = (fields: FieldsV1): ManagedFieldsEntry => ({
  ...{ manager: "other", operation: "Update", fieldsV1: { "f:spec": fields } },
});
const pathsOf = (operations: { path: string }[]): string[] => operations.map(({ path }) => path);

test.each([
  [["spec.ports[port=80,protocol=TCP].name", "spec.ports[port=80,protocol=TCP]", "spec.type"], ["/spec/ports"]],
  [["spec.ports"], ["/spec/ports"]],
  [["spec.type"], []],
])("listRepairs replaces each list that lost an item, once and whole: %j", (paths, want) => {
  const repairs = want.map((path) => ({ op: "replace", path, value: ports }));
  expect(
    listRepairs(
      paths.map((path) => ({ path })),
      service,
    ),
  ).toEqual(repairs);
});

describe("emptiesLeft", () => {
  test("removes empty fields that nobody owns or wants, also in an item of a keyed list", () => {
    const fields = { "f:n": {}, "f:keyed": { 'k:{"name":"a"}': { ".": {}, "f:name": {} } } };
    const live = { n: 1, set: [], map: {}, keyed: [{ name: "b" }, { name: "a", tags: [] }] };
    expect(emptiesLeft(doc({ n: 1, keyed: [{ name: "a" }] }), doc(live, ours(fields)))).toEqual([
      { op: "remove", path: "/spec/set" },
      { op: "remove", path: "/spec/map" },
      { op: "test", path: "/spec/keyed/1/name", value: "a" },
      { op: "remove", path: "/spec/keyed/1/tags" },
    ]);
  });

  test.each<[string, object, object, FieldsV1]>([
    ["wanted", { n: 1, set: [] }, { n: 1, set: [] }, { "f:n": {} }],
    ["owned", { n: 1 }, { n: 1, atomic: [] }, { "f:n": {}, "f:atomic": {} }],
    ["filled", { n: 1 }, { n: 1, set: ["a"] }, { "f:n": {} }],
    ["part of a field that is owned as a whole", { whole: {} }, { whole: { a: [] } }, { "f:whole": {} }],
  ])("keeps a field that is %s", (_, desired, live, fields) =>
    expect(emptiesLeft(doc(desired), doc(live, ours(fields)))).toEqual([]),
  );

  test("ignores built-in kinds", () => {
    expect(emptiesLeft(builtIn(doc({ n: 1 })), builtIn(doc({ n: 1, list: [] }, ours({ "f:n": {} }))))).toEqual([]);
  });
});

test("withoutUpdateEntry removes our Update entry from the version that was read", () => {
  const applied = { manager: "meridian", operation: "Apply" } as const;
  const status = { manager: "meridian", operation: "Update", subresource: "status" } as const;
  const repair = { manager: "meridian", operation: "Update" } as const;
  const having = (...managedFields: ManagedFieldsEntry[]) => ({
    ...service,
    metadata: { name: "shop", resourceVersion: "7", managedFields },
  });
  expect(withoutUpdateEntry(having(applied, repair, status))).toEqual([
    { op: "test", path: "/metadata/resourceVersion", value: "7" },
    { op: "replace", path: "/metadata/managedFields", value: [applied, status] },
  ]);
  expect(withoutUpdateEntry(having(applied))).toBeUndefined();
});

describe("emptiedAgain", () => {
  const empty = { keyed: [], map: {}, deep: { "a/b~": [] }, n: 1 };
  const filled = { keyed: [{ name: "d" }], map: { d: "d" }, deep: { "a/b~": ["d"] }, n: 1 };
  const fields = ours({ "f:map": {}, "f:n": {}, "f:deep": {} });

  test.each([
    ["filled with a default", "replace", filled],
    ["set to null", "replace", { keyed: null, map: null, deep: { "a/b~": null }, n: 1 }],
    ["removed", "add", { n: 1, deep: {} }],
  ])("empties fields that the server has %s", (_, op, live) => {
    expect(emptiedAgain(doc(empty), doc(live, fields))).toEqual([
      { op, path: "/spec/keyed", value: [] },
      { op, path: "/spec/map", value: {} },
      { op, path: "/spec/deep/a~1b~0", value: [] },
    ]);
  });

  test("finds an item of a keyed list by its key", () => {
    const item = { name: "a", port: 80 };
    const keyed = ours({ "f:list": { 'k:{"name":"a","port":80}': { ".": {}, "f:name": {}, "f:tags": {} } } });
    const other = { name: "other", tags: ["x"] };
    const repairs = (...list: object[]) => emptiedAgain(doc({ list: [{ ...item, tags: [] }] }), doc({ list }, keyed));
    expect(repairs(other, { ...item, tags: null })).toEqual([
      { op: "test", path: "/spec/list/1/name", value: "a" },
      { op: "test", path: "/spec/list/1/port", value: 80 },
      { op: "replace", path: "/spec/list/1/tags", value: [] },
    ]);
    expect([repairs(other), repairs({ ...item, tags: [] })]).toEqual([[], []]);
  });

  test("adds only the maps that are missing, for built-in kinds", () => {
    const item = { name: "a" };
    const keyed = ours({ "f:list": { 'k:{"name":"a"}': { ".": {}, "f:name": {} } } });
    const desired = doc({ ...empty, list: [{ ...item, tags: [] }, { name: "b" }], deep: { behavior: {} } });
    expect(emptiedAgain(builtIn(desired), builtIn(doc({ n: 1, deep: {}, list: [item] }, keyed)))).toEqual([
      { op: "add", path: "/spec/map", value: {} },
      { op: "add", path: "/spec/deep/behavior", value: {} },
    ]);
    const mapOfItem = builtIn(doc({ list: [{ ...item, from: {} }] }));
    expect(emptiedAgain(mapOfItem, builtIn(doc({ list: [item] }, keyed)))).toEqual([
      { op: "test", path: "/spec/list/0/name", value: "a" },
      { op: "add", path: "/spec/list/0/from", value: {} },
    ]);
  });

  test("leaves empty fields, a missing parent, values of other owners, and built-in kinds", () => {
    const others = theirs({ "f:keyed": { 'k:{"name":"d"}': { ".": {} } }, "f:map": { "f:d": {} } });
    expect(emptiedAgain(doc(empty), doc(empty, fields))).toEqual([]);
    expect(emptiedAgain(doc(empty), { ...doc({}, fields), spec: undefined })).toEqual([]);
    expect(pathsOf(emptiedAgain(doc(empty), doc(filled, fields, others)))).toEqual(["/spec/deep/a~1b~0"]);
    expect(emptiedAgain(builtIn(doc(empty)), builtIn(doc(filled, fields)))).toEqual([]);
  });
});

test("emptiedFirst empties fields that hold only what Meridian applied, for custom kinds", () => {
  const desired = doc({ map: {}, keyed: [], both: {}, deep: { free: {} }, full: { a: "1" }, already: {}, missing: {} });
  const live = {
    ...{ map: { a: "1" }, keyed: [{ name: "a" }], both: { a: "1", b: "2" }, deep: { free: { x: { y: 1 } } } },
    ...{ full: { a: "2" }, already: {} },
  };
  const fields = ours({
    "f:map": { ".": {}, "f:a": {} },
    "f:keyed": { ".": {}, 'k:{"name":"a"}': { ".": {}, "f:name": {} } },
    "f:both": { "f:a": {} },
    "f:deep": { "f:free": { "f:x": { "f:y": {} } } },
    "f:full": { "f:a": {} },
  });
  expect(emptiedFirst(desired, doc(live, fields, theirs({ "f:both": { "f:b": {} } })))).toEqual([
    { op: "replace", path: "/spec/map", value: {} },
    { op: "replace", path: "/spec/keyed", value: [] },
    { op: "replace", path: "/spec/deep/free", value: {} },
  ]);
  expect(emptiedFirst(builtIn(desired), doc(live, fields))).toEqual([]);
});
