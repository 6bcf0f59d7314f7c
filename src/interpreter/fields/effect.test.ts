import { describe, expect } from "vitest";
import { fc, test } from "@fast-check/vitest";
import type { FieldsV1, KubeObject } from "../../apis/index.ts";
import { alteredFields, evidenceOf } from "./effect.ts";

/** An entry that owns these fields, and the parts of a live object. */
function live(object: Partial<KubeObject>, fields: object): KubeObject {
  const entry = { manager: "meridian", operation: "Apply" as const, apiVersion: "v1", fieldsV1: fields as FieldsV1 };
  const { metadata, ...rest } = object;
  return { apiVersion: "v1", kind: "Thing", ...rest, metadata: { name: "shop", ...metadata, managedFields: [entry] } };
}

const thing = (object: Partial<KubeObject>): KubeObject => ({
  apiVersion: "v1",
  kind: "Thing",
  ...object,
  metadata: { name: "shop", ...object.metadata },
});

/** The altered fields where `spec.value` is wanted, and owned as a whole or by its leaves. */
const altered = (wanted: unknown, there: unknown, owned: object = {}): string[] =>
  alteredFields(
    thing({ spec: { value: wanted } }),
    live({ spec: { value: there } }, { "f:spec": { "f:value": owned } }),
    "meridian",
  );

describe("what the member made something else of", () => {
  test.each<[name: string, wanted: unknown, there: unknown]>([
    ["the same text", "a", "a"],
    ["a quantity in another form", "0.5", "500m"],
    ["a quantity that is no sum of powers of two", "0.3", "300m"],
    ["a negative quantity in another form", "-0.5", "-500m"],
    ["a text and its number", "80", 80],
    ["nothing said", null, "Always"],
    ["an empty list, where the server has another", [], ["x"]],
    ["an empty text that the server filled in", "", "Always"],
    ["a zero that the server left out", 0, undefined],
    ["a zero that the server calls nothing", 0, null],
    ["a port in a map that is left to the server", { nodePort: 0 }, { nodePort: 30002 }],
    ["an empty map that the server left out", {}, undefined],
    ["what an admission added to a list of objects", [{ a: 1 }], [{ z: 1 }, { a: 1, b: 2 }]],
  ])("%s is the same value", (_name, wanted, there) => expect(altered(wanted, there)).toEqual([]));

  test.each<[name: string, wanted: unknown, there: unknown]>([
    ["another text", "a", "b"],
    ["another number", 3, 1],
    ["a yes instead of a no", false, true],
    ["a text instead of a yes", "true", true],
    ["a quantity of the other sign", "1", "-1"],
    ["a portion, which is no port", { portion: 0 }, { portion: 1 }],
    ["a map inside that is another", { a: { b: 1 } }, { a: { b: 2 } }],
    ["a list in a map that is gone", { a: ["x"] }, { a: "x" }],
    ["a list of objects and texts without the text", [{ a: 1 }, "x"], [{ a: 1 }, "y"]],
    ["a list of an empty text that is gone", [""], undefined],
    ["a command line with more in it", ["a"], ["wrapper", "a"]],
    ["a list without one of its objects", [{ a: 1 }, { a: 2 }], [{ a: 1 }]],
    ["an object instead of a text", "a", { a: 1 }],
  ])("%s is another value", (_name, wanted, there) => expect(altered(wanted, there)).toEqual(["spec.value"]));

  test("a port that is left to the server is any port", () => {
    const of = (nodePort: number): string[] =>
      alteredFields(
        thing({ spec: { nodePort } }),
        live({ spec: { nodePort: 30002 } }, { "f:spec": { "f:nodePort": {} } }),
        "meridian",
      );
    expect([of(0), of(30001)]).toEqual([[], ["spec.nodePort"]]);
    const below = (...names: [string, string]): string[] => {
      const spec = (value: number): object => ({ [names[0]]: { [names[1]]: value } });
      const owned = { "f:spec": { [`f:${names[0]}`]: { [`f:${names[1]}`]: {} } } };
      return alteredFields(thing({ spec: spec(0) }), live({ spec: spec(30002) }, owned), "meridian");
    };
    expect([below("service", "nodePort"), below("port", "service")]).toEqual([[], ["spec.port.service"]]);
  });

  test("names each field with its way, items of lists by their keys, and never a value", () => {
    const wanted = thing({
      metadata: { name: "shop", labels: { "a.b/c": "secret" }, annotations: { d: "e" } },
      spec: {
        replicas: 3,
        containers: [
          { name: "web", image: "secret" },
          { name: "log", image: "x" },
        ],
        args: ["a"],
      },
    });
    const there = live(
      {
        metadata: { name: "shop", annotations: { d: "other" } },
        spec: {
          replicas: 1,
          containers: [
            { name: "log", image: "x" },
            { name: "web", image: "y" },
          ],
          args: ["b"],
        },
      },
      {
        "f:metadata": { "f:labels": { "f:a.b/c": {} }, "f:annotations": { "f:d": {} } },
        "f:spec": {
          "f:replicas": {},
          "f:containers": {
            'k:{"name":"web"}': { ".": {}, "f:name": {}, "f:image": {} },
            'k:{"name":"log"}': { ".": {}, "f:name": {}, "f:image": {} },
          },
          "f:args": {},
        },
      },
    );
    expect(alteredFields(wanted, there, "meridian")).toEqual([
      'metadata.labels["a.b/c"]',
      "metadata.annotations.d",
      "spec.replicas",
      "spec.containers[name=web].image",
      "spec.args",
    ]);
  });

  test("an item that is gone is named by the fields of its key that it has", () => {
    const owned = { "f:spec": { "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { "f:port": {} } } } };
    const wanted = thing({ spec: { ports: [{ port: 80 }] } });
    expect(alteredFields(wanted, live({ spec: {} }, owned), "meridian")).toEqual(["spec.ports[port=80]"]);
  });

  test("an item is compared with the one that stands under the same key, value or place", () => {
    const owned = {
      "f:spec": {
        "f:keyed": { 'k:{"name":"a"}': { "f:size": {} }, 'k:{"name":"b"}': { "f:size": {} } },
        "f:placed": { "i:1": {}, "i:2": {} },
        "f:set": { 'v:"x"': {}, "v:2": {} },
      },
    };
    const wanted = thing({
      spec: {
        keyed: [
          { name: "theirs", size: 1 },
          { name: "a", size: 1 },
          { name: "b", size: 1 },
        ],
        placed: ["theirs", "y", "z"],
        set: ["theirs", "x", 2],
      },
    });
    const found = (spec: object): string[] => alteredFields(wanted, live({ spec }, owned), "meridian");
    const keyed = [null, "text", { name: "b", size: 1 }, { name: "a", size: 1 }];
    expect(found({ keyed, placed: ["x", "y", "z", "w"], set: [2, "x"] })).toEqual([]);
    expect(found({ keyed: [{ name: "a", size: 2 }, { name: "b" }], placed: ["x", "z", "y"], set: ["2"] })).toEqual([
      "spec.keyed[name=a].size",
      "spec.keyed[name=b].size",
      "spec.placed[1]",
      "spec.placed[2]",
      "spec.set[1]",
      "spec.set[2]",
    ]);
    expect(found({ keyed: "none", placed: ["x", "y", "z"], set: ["x", 2] })).toEqual([
      "spec.keyed[name=a]",
      "spec.keyed[name=b]",
    ]);
  });

  test("an item is named by every field of its key that it has, and one without fields by its place", () => {
    const key = 'k:{"port":80,"protocol":"UDP"}';
    const owned = { "f:spec": { "f:ports": { [key]: { "f:port": {} } }, "f:list": { "i:0": { "f:a": {} } } } };
    const wanted = thing({ spec: { ports: [{ port: 80, protocol: "UDP" }], list: [{ a: 1 }] } });
    expect(alteredFields(wanted, live({ spec: { list: [{ a: 2 }] } }, owned), "meridian")).toEqual([
      "spec.ports[port=80,protocol=UDP]",
      "spec.list[0].a",
    ]);
  });

  test("what an object is and how it does is not compared, whoever owns it", () => {
    const owned = {
      "f:apiVersion": {},
      "f:kind": {},
      "f:status": {},
      "f:metadata": { "f:name": {}, "f:generation": {}, "f:labels": {} },
      "f:spec": {},
    };
    const { metadata, ...there } = live({ spec: { a: 1 }, status: { phase: "Ready" } }, owned);
    const wanted = thing({ spec: { a: 1 }, status: { phase: "Failed" } });
    const other = {
      ...there,
      apiVersion: "v2",
      kind: "Other",
      metadata: { ...metadata, name: "other", generation: 2 },
    };
    expect(alteredFields({ ...wanted, metadata: { ...wanted.metadata, generation: 1 } }, other, "meridian")).toEqual(
      [],
    );
    expect(alteredFields({ ...wanted, metadata: { name: "shop", labels: { a: "1" } } }, other, "meridian")).toEqual([
      "metadata.labels",
    ]);
  });

  test("metadata of which nothing is owned is not compared", () => {
    const wanted = thing({ metadata: { name: "shop", labels: { a: "1" } }, spec: { a: 1 } });
    expect(alteredFields(wanted, live({ spec: { a: 1 } }, { "f:spec": {} }), "meridian")).toEqual([]);
  });

  test("when nothing says what is ours, that is what was taken off", () => {
    const { metadata, ...rest } = thing({ spec: { a: 1 } });
    expect(
      alteredFields({ ...rest, metadata }, { ...rest, metadata: { ...metadata, managedFields: [] } }, "meridian"),
    ).toEqual(["metadata.managedFields"]);
    expect(alteredFields({ ...rest, metadata }, { ...rest, metadata }, "meridian")).toEqual(["metadata.managedFields"]);
    const bare = { manager: "meridian", operation: "Apply" as const };
    expect(
      alteredFields({ ...rest, metadata }, { ...rest, metadata: { ...metadata, managedFields: [bare] } }, "meridian"),
    ).toEqual(["metadata.managedFields"]);
    expect(alteredFields({ ...rest, metadata }, live({ spec: { a: 1 } }, { "f:spec": {} }), "other")).toEqual([
      "metadata.managedFields",
    ]);
  });
});

describe("Secrets and ConfigMaps", () => {
  const long = "x".repeat(1000);
  const secret = (data: Record<string, string>, more: object = {}): KubeObject => ({
    ...thing({ data, ...more }),
    kind: "Secret",
  });
  const owned = { "f:data": { "f:a": {}, "f:b": {} }, "f:stringData": { "f:c": {} } };
  const there = (data: Record<string, string>): KubeObject =>
    evidenceOf({ ...live({ data, status: { x: 1 } }, owned), kind: "Secret" });

  test("long values are compared without being kept", () => {
    const evidence = there({ a: long, b: "Yg==" });
    expect(JSON.stringify(evidence)).not.toContain(long);
    expect(evidence).not.toHaveProperty("status");
    expect(alteredFields(secret({ a: long, b: "Yg==" }), evidence, "meridian")).toEqual([]);
    expect(alteredFields(secret({ a: `${long}y`, b: "Yg==" }), evidence, "meridian")).toEqual(["data.a"]);
  });

  test("what is encoded may be written with line breaks, and what can only be written is not compared", () => {
    expect(
      alteredFields(secret({ a: "Y\nQ==\n" }, { stringData: { c: "d" } }), there({ a: "YQ==" }), "meridian"),
    ).toEqual([]);
    expect(alteredFields(secret({ a: `${long}\n` }), there({ a: long }), "meridian")).toEqual([]);
  });

  test("a text of more than 256 characters is not kept, and whatever is no text is", () => {
    const texts = { a: "x".repeat(256), b: "x".repeat(257), c: { deep: long }, d: Array(300).fill("x") };
    const { data, binaryData } = evidenceOf({ ...live({ data: texts, binaryData: texts }, {}), kind: "ConfigMap" });
    expect(data).toEqual({ ...texts, b: expect.not.stringContaining("x") as unknown });
    expect(binaryData).toEqual(data);
    expect(evidenceOf({ ...live({ data: [long] }, {}), kind: "ConfigMap" })["data"]).toEqual([long]);
    expect(evidenceOf({ ...live({ other: { a: long } }, {}), kind: "ConfigMap" })).not.toHaveProperty("data");
  });

  const configMap = (object: Partial<KubeObject>): KubeObject => ({ ...thing(object), kind: "ConfigMap" });
  test("only the bytes of a ConfigMap are encoded, and its texts are its texts", () => {
    const found = (wanted: Partial<KubeObject>, given: Partial<KubeObject>): string[] =>
      alteredFields(
        configMap(wanted),
        evidenceOf({ ...live(given, { "f:binaryData": { "f:a": {} }, "f:data": { "f:b": {} } }), kind: "ConfigMap" }),
        "meridian",
      );
    expect(
      found({ binaryData: { a: "YQ\r\n==" }, data: { b: "x" } }, { binaryData: { a: "YQ==" }, data: { b: "x" } }),
    ).toEqual([]);
    expect(found({ binaryData: { a: `${long}\n` } }, { binaryData: { a: long } })).toEqual([]);
    expect(
      found({ binaryData: { a: "YQ==" }, data: { b: "x\ny" } }, { binaryData: { a: "YQ==" }, data: { b: "xy" } }),
    ).toEqual(["data.b"]);
    expect(found({ data: { b: `${long}\n` } }, { data: { b: long } })).toEqual(["data.b"]);
    expect(found({ data: { b: { deep: long } } }, { data: { b: long } })).toEqual(["data.b"]);
  });

  test("what is encoded is no quantity, though it may look like one", () => {
    expect(alteredFields(secret({ a: "1000" }), there({ a: "1k" }), "meridian")).toEqual(["data.a"]);
    expect(alteredFields(secret({ a: 1000 as unknown as string }), there({ a: "1000" }), "meridian")).toEqual([]);
    expect(alteredFields(secret({ a: 1000 as unknown as string }), there({ a: long }), "meridian")).toEqual(["data.a"]);
  });
});

describe("whatever the values", () => {
  const value = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom("", "a", "1", "500m", 0, 1, 3.5, true, false, null),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "b", "port"), tie("value"), { maxKeys: 3 }),
    ),
  })).value;

  test.prop([value])("an object is what was asked for when nobody changed it", (wanted) => {
    expect(altered(wanted, structuredClone(wanted))).toEqual([]);
  });

  test.prop([value, value])("nothing is changed, and nothing thrown", (wanted, there) => {
    const before = JSON.stringify([wanted, there]);
    const fields = altered(wanted, there);
    expect(JSON.stringify([wanted, there])).toBe(before);
    expect(fields.length).toBeLessThanOrEqual(1);
  });
});
