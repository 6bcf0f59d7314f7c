import { describe, expect, test } from "vitest";
import { FIELD_MANAGER, type FieldsV1, type KubeObject, type ManagedFieldsEntry } from "../../apis/index.ts";
import { lostFields } from "./ownership.ts";
import captured from "../testdata/ownership.json" with { type: "json" };
import type { LostField } from "../types.ts";

// What a real API server answered after each change of an object that had been applied by `meridian`.
const objects = captured as unknown as { Deployment: KubeObject; Service: KubeObject };
const cases = captured.cases as unknown as {
  name: string;
  object: "Deployment" | "Service";
  lost: LostField[];
  managedFields: ManagedFieldsEntry[];
}[];

function ours(fieldsV1: FieldsV1, more: ManagedFieldsEntry[] = []): ManagedFieldsEntry[] {
  return [{ manager: FIELD_MANAGER, operation: "Apply", time: "2026-11-21T13:00:00Z", fieldsV1 }, ...more];
}

const object = (fields: Record<string, unknown>): KubeObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "x" },
  ...fields,
});

describe("lostFields", () => {
  test.each(cases)("a real server: $name", ({ object: kind, lost, managedFields }) => {
    expect(lostFields(objects[kind], managedFields, FIELD_MANAGER)).toEqual(lost);
  });

  const only = (name: string): LostField[] => cases.find((c) => c.name === name)?.lost ?? [];
  test("names the field and the manager that a person would look for", () => {
    expect(only("a Deployment as applied")).toEqual([]);
    expect(only("a Service as applied")).toEqual([]);
    expect(only("another container injected")).toEqual([]);
    expect(only("kubectl scale")).toEqual([{ path: "spec.replicas", takenBy: "kubectl" }]);
    expect(only("kubectl set image")).toEqual([
      { path: "spec.template.spec.containers[name=shop].image", takenBy: "kubectl-set" },
    ]);
    expect(only("an env entry removed by a JSON patch")).toEqual([
      { path: "spec.template.spec.containers[name=shop].env[name=MODE]" },
    ]);
    expect(only("an annotation changed")).toEqual([
      { path: 'metadata.annotations["federation.paas.cmft.com/desired-hash"]', takenBy: "kubectl-annotate" },
    ]);
  });

  test.each<{ name: string; desired: Record<string, unknown>; fields: FieldsV1; want: string[] }>([
    {
      name: "an atomic map covers all beneath it",
      desired: { spec: { a: { b: 1 } } },
      fields: { "f:spec": { "f:a": {} } },
      want: [],
    },
    {
      name: "an atomic list covers all beneath it",
      desired: { spec: { a: [{ b: 1 }] } },
      fields: { "f:spec": { "f:a": {} } },
      want: [],
    },
    {
      name: "a set is compared by value",
      desired: { s: ["x", "y"] },
      fields: { "f:s": { 'v:"x"': {} } },
      want: ['s["y"]'],
    },
    {
      name: "a default in the key need not be in the object",
      desired: { ports: [{ containerPort: 80 }] },
      fields: { "f:ports": { 'k:{"containerPort":80,"protocol":"TCP"}': { "f:containerPort": {} } } },
      want: [],
    },
    {
      name: "a missing protocol means TCP and nothing else",
      desired: { ports: [{ port: 53 }, { port: 53, protocol: "UDP" }] },
      fields: { "f:ports": { 'k:{"port":53,"protocol":"UDP"}': { "f:port": {}, "f:protocol": {} } } },
      want: ["ports[port=53]"],
    },
    { name: "null and empty lists cannot be owned", desired: { spec: { a: null, b: [] } }, fields: {}, want: [] },
    { name: "an empty map can", desired: { spec: { emptyDir: {} } }, fields: {}, want: ["spec.emptyDir"] },
    { name: "status is not ours to own", desired: { status: { phase: "x" } }, fields: {}, want: [] },
    {
      name: "everything is lost without an entry of ours",
      desired: { data: { a: "1", b: "2" } },
      fields: {},
      want: ["data.a", "data.b"],
    },
    {
      name: "who and what an object is can be nobody's",
      desired: {
        metadata: { name: "x", namespace: "n", uid: "u", resourceVersion: "1", generation: 1, labels: { a: "1" } },
      },
      fields: {},
      want: ["metadata.labels.a"],
    },
    {
      name: "an item whose key nobody owns is named by its key, and by its place where it has none",
      desired: { ports: [{ port: 80, name: "a" }, { other: 1 }] },
      fields: { "f:ports": { ".": {}, 'k:{"port":81,"protocol":"TCP"}': { "f:port": {} } } },
      want: ["ports[port=80]", "ports[1]"],
    },
    {
      name: "a key of two fields names both that the item has",
      desired: { ports: [{ port: 80, protocol: "UDP" }] },
      fields: { "f:ports": { 'k:{"port":80,"protocol":"TCP"}': {} } },
      want: ["ports[port=80,protocol=UDP]"],
    },
    {
      name: "a number and its text are one key",
      desired: { ports: [{ port: 80 }] },
      fields: { "f:ports": { 'k:{"port":"80"}': { "f:port": {} } } },
      want: [],
    },
    {
      name: "a field of the key that is null counts like none, and one field at least has to be there",
      desired: { ports: [{ port: 80, name: null }, { name: "x" }] },
      fields: { "f:ports": { 'k:{"name":"y","port":80}': { "f:port": {} } } },
      want: ["ports[name=x]"],
    },
    {
      name: "an empty list beneath a list is nobody's, and an item that is owned whole covers all of it",
      desired: { l: [{ name: "a", args: [], env: { x: 1 } }] },
      fields: { "f:l": { 'k:{"name":"a"}': {} } },
      want: [],
    },
    { name: "a list of which nothing is owned is lost as one", desired: { l: [1, 2] }, fields: {}, want: ["l"] },
    {
      name: "an empty map that is ours",
      desired: { spec: { emptyDir: {} } },
      fields: { "f:spec": { "f:emptyDir": {} } },
      want: [],
    },
    {
      name: "names that are no words are quoted",
      desired: { "a.b": 1, c: { "d/e": 2 } },
      fields: {},
      want: ['["a.b"]', 'c["d/e"]'],
    },
    { name: "an item by position", desired: { l: [1, 2] }, fields: { "f:l": { "i:0": {} } }, want: ["l[2]"] },
  ])("$name", ({ desired, fields, want }) => {
    expect(lostFields(object(desired), ours(fields), FIELD_MANAGER).map(({ path }) => path)).toEqual(want);
  });

  test("an Update entry of our name and the status entry do not count as ours", () => {
    const fieldsV1 = { "f:data": { "f:a": {} } };
    const entries: ManagedFieldsEntry[] = [
      { manager: FIELD_MANAGER, operation: "Update", fieldsV1 },
      { manager: FIELD_MANAGER, operation: "Apply", subresource: "status", fieldsV1 },
    ];
    expect(lostFields(object({ data: { a: "1" } }), entries, FIELD_MANAGER)).toEqual([{ path: "data.a" }]);
  });

  test("of several managers that have the field, the latest took it", () => {
    const fieldsV1 = { "f:data": { "f:a": {} } };
    const entries = ours({}, [
      { manager: "early", operation: "Update", time: "2026-11-21T13:00:01Z", fieldsV1 },
      { manager: "late", operation: "Update", time: "2026-11-21T13:00:09Z", fieldsV1 },
      {
        manager: "latest, of something else",
        operation: "Update",
        time: "2026-11-21T13:01:00Z",
        fieldsV1: { "f:x": {} },
      },
    ]);
    expect(lostFields(object({ data: { a: "1" } }), entries, FIELD_MANAGER)).toEqual([
      { path: "data.a", takenBy: "late" },
    ]);
  });

  test("what nobody has was removed by the last who wrote after us, never by a status report", () => {
    const entries = ours({}, [
      { manager: "before", operation: "Update", time: "2026-11-21T12:00:00Z", fieldsV1: { "f:x": {} } },
      { manager: "remover", operation: "Update", time: "2026-11-21T13:00:05Z", fieldsV1: { "f:x": {} } },
      {
        manager: "kcm",
        operation: "Update",
        subresource: "status",
        time: "2026-11-21T13:09:00Z",
        fieldsV1: { "f:x": {} },
      },
    ]);
    expect(lostFields(object({ data: { a: "1" } }), entries, FIELD_MANAGER)).toEqual([
      { path: "data.a", takenBy: "remover" },
    ]);
  });

  test("an item of a list that is ours no more is found with whoever has it, by its content or its value", () => {
    const list = (path: string): FieldsV1 => ({ "f:l": { [path]: { ".": {} } } });
    const taker = (item: unknown, path: string) =>
      lostFields(
        object({ l: [item] }),
        ours({ "f:l": { 'k:{"name":"other"}': {} } }, [
          { manager: "other list", operation: "Update", time: "2026-11-21T14:00:00Z", fieldsV1: { "f:x": {} } },
          { manager: "taker", operation: "Update", time: "2026-11-21T13:30:00Z", fieldsV1: list(path) },
        ]),
        FIELD_MANAGER,
      )[0]?.takenBy;
    expect(taker({ name: "web", image: "i" }, 'k:{"name":"web"}')).toBe("taker");
    expect(taker({ name: "web", image: "i" }, 'k:{"name":"api"}')).toBe("other list");
    expect(taker("x", 'v:"x"')).toBe("taker");
    expect(taker("x", 'v:"y"')).toBe("other list");
  });

  test("whoever owns a map as a whole has all beneath it, and who owns beside it has nothing of it", () => {
    const taker = (fieldsV1: FieldsV1) =>
      lostFields(
        object({ data: { a: "1" } }),
        ours({ "f:x": {} }, [{ manager: "taker", operation: "Update", time: "2026-11-21T12:00:00Z", fieldsV1 }]),
        FIELD_MANAGER,
      )[0]?.takenBy;
    expect(taker({ "f:data": {} })).toBe("taker");
    expect(taker({ "f:data": { "f:a": {} } })).toBe("taker");
    expect(taker({ "f:data": { "f:b": {} } })).toBeUndefined();
  });

  test("of two who wrote at the same time the first counts, and a time before none", () => {
    const fieldsV1 = { "f:data": { "f:a": {} } };
    const taker = (...times: (string | undefined)[]) =>
      lostFields(
        object({ data: { a: "1" } }),
        ours(
          {},
          times.map((time, i) => ({
            manager: `m${i}`,
            operation: "Update",
            fieldsV1,
            ...(time === undefined ? {} : { time }),
          })),
        ),
        FIELD_MANAGER,
      )[0]?.takenBy;
    expect(taker("2026-11-21T13:00:09Z", "2026-11-21T13:00:09Z")).toBe("m0");
    expect(taker(undefined, "2026-11-21T13:00:09Z")).toBe("m1");
    expect(taker("2026-11-21T13:00:09Z", undefined)).toBe("m0");
  });

  test("Meridian takes nothing from itself under another operation", () => {
    const fieldsV1 = { "f:data": { "f:a": {} } };
    const entries = ours({}, [{ manager: FIELD_MANAGER, operation: "Update", time: "2026-11-21T14:00:00Z", fieldsV1 }]);
    expect(lostFields(object({ data: { a: "1" } }), entries, FIELD_MANAGER)).toEqual([{ path: "data.a" }]);
  });
});
