import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { type FieldChange, fieldChanges } from "./fieldChanges.ts";

const object = (content: object, metadata: object = {}, kind = "Deployment"): KubeObject => ({
  apiVersion: kind === "Deployment" ? "apps/v1" : "v1",
  kind,
  metadata: { name: "shop", ...metadata },
  ...content,
});

const pod = (spec: object): object => ({ spec: { template: { spec } } });

interface Case {
  name: string;
  before: KubeObject | undefined;
  after: KubeObject | undefined;
  want: unknown[];
}

describe("fieldChanges", () => {
  test.each<Case>([
    {
      name: "an item of a list, by its name",
      before: object(
        pod({
          containers: [
            { name: "web", image: "a:1" },
            { name: "side", image: "b:1" },
          ],
        }),
      ),
      after: object(
        pod({
          containers: [
            { name: "side", image: "b:1" },
            { name: "web", image: "a:2" },
          ],
        }),
      ),
      want: [{ path: "spec.template.spec.containers[name=web].image", before: "a:1", after: "a:2" }],
    },
    {
      name: "neither the status, nor Meridian's marks, nor what servers write",
      before: object({ status: { replicas: 1 } }, { resourceVersion: "1" }),
      after: object(
        { status: { replicas: 2 } },
        { resourceVersion: "2", annotations: { "federation.paas.cmft.com/desired-hash": "x" } },
      ),
      want: [],
    },
    {
      name: "that pods read other content, and not its hash",
      before: object({ spec: { annotations: { "federation.paas.cmft.com/dependencies-hash": "1" } } }),
      after: object({ spec: { annotations: { "federation.paas.cmft.com/dependencies-hash": "2" } } }),
      want: [{ path: "spec.annotations[federation.paas.cmft.com/dependencies-hash]", masked: true }],
    },
  ])("says $name", ({ before, after, want }) => expect(fieldChanges(before, after)).toEqual(want));
});

/** How a change is named, and how much of it one change holds. */

const between = (before: unknown, after: unknown): FieldChange[] =>
  fieldChanges(object({ spec: { x: before } }), object({ spec: { x: after } }));

describe("items of a list are told apart", () => {
  test.each(["name", "key", "mountPath", "containerPort", "port", "ip", "type"])("by their %s", (key) => {
    expect(between([{ [key]: "a", v: 1 }], [{ [key]: "b" }, { [key]: "a", v: 2 }])).toStrictEqual([
      { path: `spec.x[${key}=a].v`, before: 1, after: 2 },
      { path: `spec.x[${key}=b]`, after: { [key]: "b" } },
    ]);
  });

  test.each<[why: string, before: unknown[], after: unknown[]]>([
    ["two have the same", [{ name: "a", v: 1 }], [{ name: "a", v: 2 }, { name: "a" }]],
    ["one has none", [{ name: "a", v: 1 }], [{ name: "a", v: 2 }, { v: 3 }]],
    ["one is no object", [{ name: "a", v: 1 }], [{ name: "a", v: 2 }, "a"]],
    ["the key is neither text nor number", [{ name: true, v: 1 }], [{ name: true, v: 2 }]],
    ["they are texts", ["a"], ["b"]],
  ])("not where %s: the list changes as a whole", (_why, before, after) => {
    expect(between(before, after)).toStrictEqual([{ path: "spec.x", before, after }]);
  });
});

describe("one change holds", () => {
  test("all of what is missing on one side", () => {
    expect(between(undefined, { a: { b: 1 } })).toStrictEqual([{ path: "spec.x", after: { a: { b: 1 } } }]);
    expect(between({ a: 1 }, undefined)).toStrictEqual([{ path: "spec.x", before: { a: 1 } }]);
    expect(between({ a: 1 }, "text")).toStrictEqual([{ path: "spec.x", before: { a: 1 }, after: "text" }]);
    expect(between({ a: 1 }, [1])).toStrictEqual([{ path: "spec.x", before: { a: 1 }, after: [1] }]);
    expect(between(null, 1)).toStrictEqual([{ path: "spec.x", before: null, after: 1 }]);
  });

  test.each(["spec", "data", "stringData"])("a member of %s, also where one side has none", (field) => {
    expect(fieldChanges(object({}), object({ [field]: { b: 1, a: 2 } }))).toStrictEqual([
      { path: `${field}.a`, after: 2 },
      { path: `${field}.b`, after: 1 },
    ]);
    expect(fieldChanges(object({ [field]: "text" }), object({ [field]: { a: 1 } }))).toStrictEqual([
      { path: field, before: "text", after: { a: 1 } },
    ]);
  });

  test("an annotation, but for the marks that say nothing of what runs", () => {
    const annotations = { "federation.paas.cmft.com/owner": "x", note: "n", "a/b": "c" };
    expect(fieldChanges(object({}), object({}, { annotations }))).toStrictEqual([
      { path: "metadata.annotations[a/b]", after: "c" },
      { path: "metadata.annotations.note", after: "n" },
    ]);
    const labels = { "federation.paas.cmft.com/managed-by": "x" };
    expect(fieldChanges(object({}, { labels }), object({}))).toEqual([]);
  });
});

describe("an object that comes or goes", () => {
  test("is told field by field", () => {
    const whole = object({ spec: { replicas: 1 } }, { namespace: "default" });
    expect(fieldChanges(undefined, whole)).toStrictEqual([
      { path: "apiVersion", after: "apps/v1" },
      { path: "kind", after: "Deployment" },
      { path: "metadata.name", after: "shop" },
      { path: "metadata.namespace", after: "default" },
      { path: "spec.replicas", after: 1 },
    ]);
    expect(fieldChanges(whole, undefined).map(({ path, before }) => [path, before])).toEqual([
      ["apiVersion", "apps/v1"],
      ["kind", "Deployment"],
      ["metadata.name", "shop"],
      ["metadata.namespace", "default"],
      ["spec.replicas", 1],
    ]);
    expect(fieldChanges(undefined, undefined)).toEqual([]);
  });
});

describe("of a Secret", () => {
  const secret = (more: object, metadata: object = {}, kind = "Secret", apiVersion = "v1"): KubeObject => ({
    apiVersion,
    kind,
    metadata: { name: "s", namespace: "default", ...metadata },
    ...more,
  });

  test("what is public is shown, and nothing else", () => {
    const after = secret(
      { type: "Opaque", immutable: true, data: { a: "b" }, typed: "secret" },
      { labels: { l: "1" }, annotations: { n: "1" }, finalizers: ["f"] },
    );
    expect(fieldChanges(undefined, after)).toStrictEqual([
      { path: "apiVersion", after: "v1" },
      { path: "data.a", masked: true },
      { path: "immutable", after: true },
      { path: "kind", after: "Secret" },
      { path: "metadata.annotations.n", masked: true },
      { path: "metadata.finalizers", masked: true },
      { path: "metadata.labels.l", after: "1" },
      { path: "metadata.name", after: "s" },
      { path: "metadata.namespace", after: "default" },
      { path: "type", after: "Opaque" },
      { path: "typed", masked: true },
    ]);
  });

  test("which becomes something else nothing is shown either, on whichever side it is", () => {
    const config = secret({ data: { a: "c" } }, {}, "ConfigMap");
    const one = secret({ data: { a: "b" } });
    for (const changes of [fieldChanges(config, one), fieldChanges(one, config)])
      expect(changes.find(({ path }) => path === "data.a")).toStrictEqual({ path: "data.a", masked: true });
  });
});
