import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { builtinResources } from "../kinds/index.ts";
import { StatusError } from "../statusError.ts";
import type { Json, Schema } from "../types.ts";
import { jsonPatch, mergePatch, strategicMergePatch } from "./index.ts";

/** The texts and codes are what kube-apiserver 1.35.4 answered. */

const REJECTED = { code: 422, message: "the server rejected our request due to an error in our request" };

function refusalOf(action: () => unknown): { code: number; message: string } {
  try {
    action();
  } catch (error) {
    if (error instanceof StatusError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error("it was not refused");
}

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) for (const child of Object.values(value)) frozen(child);
  return Object.freeze(value);
}

const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
const object = fc.dictionary(fc.constantFrom("a", "b", "c"), json, { maxKeys: 3 }) as fc.Arbitrary<{
  [key: string]: Json;
}>;

describe("a JSON patch", () => {
  const document: Json = frozen({ data: { x: "1", "a/b": "2", "~": "3" }, list: [1, 2, 3], nothing: null });

  test.each<{ name: string; operations: Json; result: Json }>([
    { name: "adds a member", operations: [{ op: "add", path: "/data/y", value: 1 }], result: part("data", { y: 1 }) },
    { name: "adds before an item", operations: [{ op: "add", path: "/list/1", value: 9 }], result: list(1, 9, 2, 3) },
    { name: "adds at the end", operations: [{ op: "add", path: "/list/-", value: 9 }], result: list(1, 2, 3, 9) },
    { name: "counts from the end", operations: [{ op: "add", path: "/list/-1", value: 9 }], result: list(1, 2, 3, 9) },
    { name: "removes an item", operations: [{ op: "remove", path: "/list/0" }], result: list(2, 3) },
    {
      name: "replaces what is absent",
      operations: [{ op: "replace", path: "/data/y", value: 1 }],
      result: part("data", { y: 1 }),
    },
    {
      name: "understands escapes",
      operations: [
        { op: "replace", path: "/data/a~1b", value: 0 },
        { op: "replace", path: "/data/~0", value: 0 },
      ],
      result: part("data", { "a/b": 0, "~": 0 }),
    },
    { name: "moves", operations: [{ op: "move", from: "/list/0", path: "/list/2" }], result: list(2, 3, 1) },
    {
      name: "copies",
      operations: [{ op: "copy", from: "/list", path: "/data/x" }],
      result: part("data", { x: [1, 2, 3] }),
    },
    {
      name: "copies what is absent as null",
      operations: [{ op: "copy", from: "/data/q", path: "/data/x" }],
      result: part("data", { x: null }),
    },
    { name: "replaces all", operations: [{ op: "replace", path: "", value: { a: 1 } }], result: { a: 1 } },
    { name: "passes a test", operations: [{ op: "test", path: "/list", value: [1, 2, 3] }], result: document },
    {
      name: "takes null and absent for the same in a test",
      operations: [{ op: "test", path: "/absent", value: null }],
      result: document,
    },
    { name: "that is null does nothing", operations: null, result: document },
  ])("$name", ({ operations, result }) => expect(jsonPatch(document, operations)).toEqual(result));

  function part(name: string, more: Record<string, Json>): Json {
    const fields = document as Record<string, Record<string, Json>>;
    return { ...fields, [name]: { ...fields[name], ...more } };
  }

  function list(...items: number[]): Json {
    return { ...(document as object), list: items };
  }

  test.each<{ name: string; operation: Json }>([
    { name: "a test that fails", operation: { op: "test", path: "/data/x", value: "2" } },
    { name: "a path through nothing", operation: { op: "replace", path: "/foo/x", value: 1 } },
    { name: "a path through null", operation: { op: "add", path: "/nothing/x", value: 1 } },
    { name: "the removal of what is absent", operation: { op: "remove", path: "/data/y" } },
    { name: "an index beyond the end", operation: { op: "add", path: "/list/4", value: 1 } },
    { name: "an index that is none", operation: { op: "add", path: "/list/x", value: 1 } },
    { name: "an unknown operation", operation: { op: "frob", path: "/data/x" } },
    { name: "a move of what is absent", operation: { op: "move", from: "/data/y", path: "/data/z" } },
    { name: "no operation at all", operation: null },
    { name: "a path without a slash", operation: { op: "add", path: "data", value: 1 } },
    { name: "a document that becomes a text", operation: { op: "replace", path: "", value: "x" } },
  ])("refuses $name without a reason", ({ operation }) => {
    expect(refusalOf(() => jsonPatch(document, [operation]))).toEqual(REJECTED);
  });

  test.each<Json>([{ a: 1 }, [1], [{ op: 1, path: "/data/a" }]])("refuses %j", (operations) => {
    expect(refusalOf(() => jsonPatch(document, operations)).code).toBe(400);
  });

  test("refuses more than ten thousand operations", () => {
    const operations = Array.from({ length: 10_001 }, () => ({ op: "test", path: "/data/x", value: "1" }));
    const message = "Request entity is too large: The allowed maximum operations in a JSON patch is 10000, got 10001";
    expect(refusalOf(() => jsonPatch(document, operations))).toEqual({ code: 413, message });
  });

  test.prop([object, json])("adds and removes without a trace", (fields, value) => {
    const before = frozen({ ...fields });
    const after = jsonPatch(before, [
      { op: "add", path: "/new", value },
      { op: "remove", path: "/new" },
    ]);
    expect(after).toEqual(before);
  });
});

describe("a merge patch", () => {
  test.each<{ name: string; document: Json; patch: Json; result: Json }>([
    { name: "merges objects", document: { a: { x: 1 } }, patch: { a: { y: 2 } }, result: { a: { x: 1, y: 2 } } },
    { name: "removes by null", document: { a: 1, b: 2 }, patch: { a: null, c: null }, result: { b: 2 } },
    { name: "replaces lists", document: { a: [1, 2] }, patch: { a: [3] }, result: { a: [3] } },
    {
      name: "forgets nulls in what is new",
      document: {},
      patch: { a: { x: null, y: [{ z: null }] } },
      result: { a: { y: [{}] } },
    },
    {
      name: "keeps nulls in a list instead of an object",
      document: { a: {} },
      patch: { a: [{ z: null }] },
      result: { a: [{ z: null }] },
    },
    { name: "puts an object instead of a text", document: { a: "x" }, patch: { a: { y: null } }, result: { a: {} } },
  ])("$name", ({ document, patch, result }) => expect(mergePatch(frozen(document), frozen(patch))).toEqual(result));

  test.each<{ patch: Json }>([{ patch: [1] }, { patch: "x" }, { patch: null }])("refuses $patch", ({ patch }) => {
    expect(refusalOf(() => mergePatch({}, patch)).code).toBe(400);
  });

  const value = fc.object({ values: [fc.integer(), fc.string()], maxDepth: 2 }) as fc.Arbitrary<Json>;
  const patches = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.option(value)) as fc.Arbitrary<{
    [key: string]: Json;
  }>;

  test.prop([object, patches])("gives the same when it is laid over twice", (document, patch) => {
    const once = mergePatch(frozen(document), frozen(patch));
    expect(mergePatch(once, patch)).toEqual(once);
    for (const [key, wanted] of Object.entries(patch)) expect(key in once).toBe(wanted !== null);
  });
});

describe("a strategic merge patch", () => {
  const { schema, definitions } = typeOf("services");
  const service = (ports: Json, more: Record<string, Json> = {}): Json => frozen({ spec: { ports, ...more } });
  const live = service([
    { name: "http", port: 80, protocol: "TCP" },
    { name: "https", port: 443 },
    { name: "metrics", port: 9090 },
  ]);

  const patched = (document: Json, patch: Json) => strategicMergePatch(document, frozen(patch), schema, definitions);

  test.each<{ name: string; ports: Record<string, Json>; result: Json }>([
    {
      name: "merges items by key",
      ports: { ports: [{ port: 443, targetPort: 8443 }] },
      result: [
        { name: "http", port: 80, protocol: "TCP" },
        { name: "https", port: 443, targetPort: 8443 },
        { name: "metrics", port: 9090 },
      ],
    },
    {
      name: "puts new items first",
      ports: { ports: [{ port: 8080 }] },
      result: [
        { port: 8080 },
        { name: "http", port: 80, protocol: "TCP" },
        { name: "https", port: 443 },
        { name: "metrics", port: 9090 },
      ],
    },
    {
      name: "deletes items",
      ports: { ports: [{ port: 443, $patch: "delete" }] },
      result: [
        { name: "http", port: 80, protocol: "TCP" },
        { name: "metrics", port: 9090 },
      ],
    },
    { name: "replaces the list", ports: { ports: [{ port: 1 }, { $patch: "replace" }] }, result: [{ port: 1 }] },
    { name: "empties the list", ports: { ports: [{ $patch: "replace" }] }, result: [] },
    {
      name: "brings named items into the order given, others before what they stood before",
      ports: { "$setElementOrder/ports": [{ port: 9090 }, { port: 80 }] },
      result: [
        { name: "https", port: 443 },
        { name: "metrics", port: 9090 },
        { name: "http", port: 80, protocol: "TCP" },
      ],
    },
    {
      name: "replaces an item",
      ports: { ports: [{ port: 443, name: null }] },
      result: [{ name: "http", port: 80, protocol: "TCP" }, { port: 443 }, { name: "metrics", port: 9090 }],
    },
  ])("$name", ({ ports, result }) => expect(patched(live, { spec: ports })).toEqual({ spec: { ports: result } }));

  test("puts a new item where a deleted one stood, when an order is given", () => {
    const document = service([{ port: 1 }, { port: 2 }]);
    const patch = {
      "$setElementOrder/ports": [{ port: 1 }, { port: 3 }],
      ports: [{ port: 3 }, { port: 1, $patch: "delete" }],
    };
    expect(patched(document, { spec: patch })).toEqual({ spec: { ports: [{ port: 2 }, { port: 3 }] } });
  });

  test.each<{ name: string; patch: Json; result: Json }>([
    { name: "deletes an object", patch: { spec: { $patch: "delete" } }, result: { spec: {} } },
    {
      name: "replaces an object",
      patch: { spec: { $patch: "replace", type: "NodePort" } },
      result: { spec: { type: "NodePort" } },
    },
    { name: "retains keys", patch: { spec: { $retainKeys: ["type"], type: "X" } }, result: { spec: { type: "X" } } },
    { name: "removes by null", patch: { spec: { ports: null, x: null } }, result: { spec: {} } },
    {
      name: "forgets nulls in what is new",
      patch: { metadata: { labels: { a: null, b: "1" } } },
      result: { ...(live as object), metadata: { labels: { b: "1" } } },
    },
    {
      name: "replaces a list without a key",
      patch: { spec: { externalIPs: ["a"] } },
      result: { spec: { ...(live as { spec: object }).spec, externalIPs: ["a"] } },
    },
  ])("$name", ({ patch, result }) => expect(patched(live, patch)).toEqual(result));

  test("merges lists of scalars, and deletes from them", () => {
    const document = frozen({ metadata: { finalizers: ["a", "b", "c"] } });
    expect(patched(document, { metadata: { finalizers: ["c", "d"] } })).toEqual({
      metadata: { finalizers: ["a", "b", "c", "d"] },
    });
    expect(patched(document, { metadata: { "$deleteFromPrimitiveList/finalizers": ["a", "c"] } })).toEqual({
      metadata: { finalizers: ["b"] },
    });
  });

  test.each<{ patch: Json; code: number }>([
    { patch: [1], code: 400 },
    { patch: { spec: { $retainKeys: {} } }, code: 400 },
    { patch: { spec: { $retainKeys: ["a"], type: "x" } }, code: 400 },
    { patch: { spec: { $patch: "frob" } }, code: 500 },
    { patch: { metadata: { "$setElementOrder/finalizers": {} } }, code: 500 },
    { patch: { "$setElementOrder/foo": ["a"] }, code: 500 },
    { patch: { spec: { ports: [{ name: "x" }] } }, code: 500 },
    { patch: { spec: { ports: [{ $patch: "merge", port: 80 }] } }, code: 500 },
    { patch: { spec: { ports: [{ $patch: "x", port: 80 }] } }, code: 500 },
    { patch: { spec: { ports: [{ $patch: "delete" }] } }, code: 500 },
    { patch: { spec: { ports: [[1]] } }, code: 500 },
    { patch: { spec: { ports: [{ port: 80 }, 1] } }, code: 500 },
    { patch: { spec: { "$setElementOrder/ports": [{ port: 81 }], ports: [{ port: 80, name: "q" }] } }, code: 500 },
    { patch: { spec: { "$setElementOrder/ports": [{ name: "81" }], ports: [{ port: 80, name: "q" }] } }, code: 500 },
  ])("refuses $patch", ({ patch, code }) => {
    const document = { metadata: {}, spec: { ports: [{ port: 80 }] } };
    expect(refusalOf(() => patched({ ...document, spec: { ...document.spec } }, patch)).code).toBe(code);
  });

  const port = fc.record({ port: fc.integer({ min: 1, max: 5 }), name: fc.constantFrom("a", "b") });
  const ports = fc.uniqueArray(port, { selector: ({ port: number }) => number, maxLength: 5 });

  test.prop([ports, ports])("holds every item of document and patch once, the patch's in its order", (mine, theirs) => {
    const { spec } = patched(service(mine), { spec: { ports: theirs } }) as { spec: { ports: { port: number }[] } };
    const numbers = spec.ports.map((one) => one.port);
    expect(numbers).toHaveLength(new Set(numbers).size);
    expect(new Set(numbers)).toEqual(new Set([...mine, ...theirs].map((one) => one.port)));
    expect(numbers.filter((number) => theirs.some((one) => one.port === number))).toEqual(
      theirs.map((one) => one.port),
    );
  });

  test.prop([ports, ports])("gives the same when it is laid over twice", (mine, theirs) => {
    const once = patched(service(mine), { spec: { ports: theirs } });
    expect(patched(once, { spec: { ports: theirs } })).toEqual(once);
  });
});

function typeOf(plural: string): { schema: Schema; definitions: Readonly<Record<string, Schema>> } {
  const resource = builtinResources().find((one) => one.plural === plural);
  const schema = resource?.versions[0]?.schema;
  if (resource === undefined || schema === undefined) throw new Error(`no resource ${plural}`);
  return { schema, definitions: resource.definitions };
}
