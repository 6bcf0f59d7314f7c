import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { builtinResources } from "../kinds/index.ts";
import { StatusError } from "../statusError.ts";
import type { Json, Schema } from "../types.ts";
import { jsonPatch, mergePatch, strategicMergePatch } from "./index.ts";

/** The texts and codes are what kube-apiserver 1.35.4 answered. */

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

  test("understands escapes", () => {
    const escaped = ["/data/a~1b", "/data/~0"].map((path) => ({ op: "replace", path, value: 0 }));
    expect(jsonPatch(document, escaped)).toMatchObject({ data: { x: "1", "a/b": 0, "~": 0 } });
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

  const patched = (document: Json, patch: Json) => strategicMergePatch(document, frozen(patch), schema, definitions);

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
