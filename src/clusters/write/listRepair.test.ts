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

describe("listRepairs", () => {
  test("each list that lost something is put back once, whole", () => {
    const drift = [
      { path: "spec.ports[port=80,protocol=TCP].name" },
      { path: "spec.ports[port=80,protocol=TCP]" },
      { path: "spec.type" },
    ];
    expect(listRepairs(drift, service)).toEqual([{ op: "replace", path: "/spec/ports", value: ports }]);
  });

  test("a list of which nothing is ours any more is put back too", () => {
    expect(listRepairs([{ path: "spec.ports" }], service)).toEqual([
      { op: "replace", path: "/spec/ports", value: ports },
    ]);
  });

  test("drift outside of lists needs no repair", () =>
    expect(listRepairs([{ path: "spec.type" }], service)).toEqual([]));
});

describe("emptiesLeft", () => {
  const doc = (spec: object, fields: FieldsV1 = {}): KubeObject => ({
    apiVersion: "example.com/v1",
    kind: "Doc",
    metadata: {
      name: "d",
      managedFields: [{ manager: FIELD_MANAGER, operation: "Apply", fieldsV1: { "f:spec": fields } }],
    },
    spec,
  });

  test("is what is empty, nobody's, and not wanted; also in an item of a list with keys", () => {
    const fields = { "f:n": {}, "f:keyed": { 'k:{"name":"a"}': { ".": {}, "f:name": {} } } };
    const live = doc({ n: 1, set: [], map: {}, keyed: [{ name: "b" }, { name: "a", tags: [] }] }, fields);
    expect(emptiesLeft(doc({ n: 1, keyed: [{ name: "a" }] }), live)).toEqual([
      { op: "remove", path: "/spec/set" },
      { op: "remove", path: "/spec/map" },
      { op: "test", path: "/spec/keyed/1/name", value: "a" },
      { op: "remove", path: "/spec/keyed/1/tags" },
    ]);
  });

  test("is nothing that is wanted, that somebody owns, that holds anything, or that is part of a whole", () => {
    expect(emptiesLeft(doc({ n: 1, set: [] }), doc({ n: 1, set: [] }, { "f:n": {} }))).toEqual([]);
    expect(emptiesLeft(doc({ n: 1 }), doc({ n: 1, atomic: [] }, { "f:n": {}, "f:atomic": {} }))).toEqual([]);
    expect(emptiesLeft(doc({ n: 1 }), doc({ n: 1, set: ["a"] }, { "f:n": {} }))).toEqual([]);
    expect(emptiesLeft(doc({ whole: {} }), doc({ whole: { a: [] } }, { "f:whole": {} }))).toEqual([]);
    const builtIn = (spec: object) => ({ ...doc(spec, { "f:n": {} }), apiVersion: "apps/v1" });
    expect(emptiesLeft(builtIn({ n: 1 }), builtIn({ n: 1, list: [] }))).toEqual([]);
  });
});

describe("withoutUpdateEntry", () => {
  const applied = { manager: "meridian", operation: "Apply" } as const;
  const status = { manager: "meridian", operation: "Update", subresource: "status" } as const;
  const left = { manager: "meridian", operation: "Update" } as const;

  test("takes out what the repair left, and nothing else, from the version that was seen", () => {
    const object = {
      ...service,
      metadata: { name: "shop", resourceVersion: "7", managedFields: [applied, left, status] },
    };
    expect(withoutUpdateEntry(object)).toEqual([
      { op: "test", path: "/metadata/resourceVersion", value: "7" },
      { op: "replace", path: "/metadata/managedFields", value: [applied, status] },
    ]);
  });

  test("does nothing where nothing was left", () => {
    expect(withoutUpdateEntry({ ...service, metadata: { name: "shop", managedFields: [applied] } })).toBeUndefined();
  });
});

describe("emptiedAgain", () => {
  const doc = (spec: object, ...managedFields: ManagedFieldsEntry[]): KubeObject => ({
    apiVersion: "example.com/v1",
    kind: "Doc",
    metadata: { name: "d", managedFields },
    spec,
  });
  const empty = { keyed: [], map: {}, deep: { "a/b~": [] }, n: 1 };
  const filled = { keyed: [{ name: "d" }], map: { d: "d" }, deep: { "a/b~": ["d"] }, n: 1 };
  const ours: ManagedFieldsEntry = {
    manager: FIELD_MANAGER,
    operation: "Apply",
    fieldsV1: { "f:spec": { "f:map": {}, "f:n": {}, "f:deep": {} } },
  };

  test("is what the server filled with a default", () => {
    expect(emptiedAgain(doc(empty), doc(filled, ours))).toEqual([
      { op: "replace", path: "/spec/keyed", value: [] },
      { op: "replace", path: "/spec/map", value: {} },
      { op: "replace", path: "/spec/deep/a~1b~0", value: [] },
    ]);
  });

  test("is what the server made null of with the last member", () => {
    const nulls = { keyed: null, map: null, deep: { "a/b~": null }, n: 1 };
    expect(emptiedAgain(doc(empty), doc(nulls, ours))).toEqual([
      { op: "replace", path: "/spec/keyed", value: [] },
      { op: "replace", path: "/spec/map", value: {} },
      { op: "replace", path: "/spec/deep/a~1b~0", value: [] },
    ]);
  });

  test("is what the server has taken away with the last member", () => {
    expect(emptiedAgain(doc(empty), doc({ n: 1, deep: {} }, ours))).toEqual([
      { op: "add", path: "/spec/keyed", value: [] },
      { op: "add", path: "/spec/map", value: {} },
      { op: "add", path: "/spec/deep/a~1b~0", value: [] },
    ]);
    expect(emptiedAgain(doc(empty), { ...doc({}, ours), spec: undefined })).toEqual([]);
  });

  test("is what was emptied in an item of a list with keys, which is named by its key", () => {
    const item = { name: "a", port: 80 };
    const fields = { 'k:{"name":"a","port":80}': { ".": {}, "f:name": {}, "f:tags": {} } };
    const applied: ManagedFieldsEntry = { ...ours, fieldsV1: { "f:spec": { "f:list": fields } } };
    const other = { name: "other", tags: ["x"] };
    const desired = doc({ list: [{ ...item, tags: [] }] });
    expect(emptiedAgain(desired, doc({ list: [other, { ...item, tags: null }] }, applied))).toEqual([
      { op: "test", path: "/spec/list/1/name", value: "a" },
      { op: "test", path: "/spec/list/1/port", value: 80 },
      { op: "replace", path: "/spec/list/1/tags", value: [] },
    ]);
    expect(emptiedAgain(desired, doc({ list: [other] }, applied))).toEqual([]);
    expect(emptiedAgain(desired, doc({ list: [{ ...item, tags: [] }] }, applied))).toEqual([]);
  });

  test("is not what is empty, what others have put there, nor anything of a built-in kind", () => {
    const theirs: ManagedFieldsEntry = {
      manager: "other",
      operation: "Update",
      fieldsV1: { "f:spec": { "f:keyed": { 'k:{"name":"d"}': { ".": {} } }, "f:map": { "f:d": {} } } },
    };
    expect(emptiedAgain(doc(empty), doc(empty, ours))).toEqual([]);
    expect(emptiedAgain(doc(empty), doc(filled, ours, theirs)).map(({ path }) => path)).toEqual(["/spec/deep/a~1b~0"]);
    const builtIn = (spec: object): KubeObject => ({ ...doc(spec, ours), apiVersion: "apps/v1" });
    expect(emptiedAgain(builtIn(empty), builtIn(filled))).toEqual([]);
  });
});

describe("emptiedFirst", () => {
  const doc = (spec: object, ...managedFields: ManagedFieldsEntry[]): KubeObject => ({
    apiVersion: "example.com/v1",
    kind: "Doc",
    metadata: { name: "d", managedFields },
    spec,
  });
  const desired = doc({ map: {}, keyed: [], both: {}, deep: { free: {} }, full: { a: "1" }, already: {} });
  const live = {
    map: { a: "1" },
    keyed: [{ name: "a" }],
    both: { a: "1", b: "2" },
    deep: { free: { x: { y: 1 } } },
    full: { a: "2" },
    already: {},
  };
  const fieldsV1 = {
    "f:spec": {
      "f:map": { ".": {}, "f:a": {} },
      "f:keyed": { ".": {}, 'k:{"name":"a"}': { ".": {}, "f:name": {} } },
      "f:both": { "f:a": {} },
      "f:deep": { "f:free": { "f:x": { "f:y": {} } } },
      "f:full": { "f:a": {} },
    },
  };
  const ours: ManagedFieldsEntry = { manager: FIELD_MANAGER, operation: "Apply", fieldsV1 };
  const theirs: ManagedFieldsEntry = {
    manager: "other",
    operation: "Update",
    fieldsV1: { "f:spec": { "f:both": { "f:b": {} } } },
  };

  test("is what is to be empty and holds nothing but what Meridian applied", () => {
    expect(emptiedFirst(desired, doc(live, ours, theirs))).toEqual([
      { op: "replace", path: "/spec/map", value: {} },
      { op: "replace", path: "/spec/keyed", value: [] },
      { op: "replace", path: "/spec/deep/free", value: {} },
    ]);
  });

  test("is nothing of a built-in kind, whose server takes null for empty", () => {
    const builtIn = { ...desired, apiVersion: "apps/v1" };
    expect(emptiedFirst(builtIn, doc(live, ours))).toEqual([]);
  });
});
