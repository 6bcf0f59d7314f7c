import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { withoutRetained } from "./retain.ts";

const object: KubeObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "x", annotations: { "example.com/a": "1", b: "2" } },
  spec: {
    replicas: 3,
    containers: [
      { name: "a", image: "i", resources: { limits: { cpu: "1" } } },
      { name: "b", image: "j" },
    ],
  },
};

describe("withoutRetained", () => {
  test.each<{ path: string; want: object }>([
    {
      path: "spec.replicas",
      want: { ...object, spec: { containers: (object["spec"] as { containers: unknown }).containers } },
    },
    {
      path: "spec.containers[name=b]",
      want: {
        ...object,
        spec: { replicas: 3, containers: [(object["spec"] as { containers: unknown[] }).containers[0]] },
      },
    },
    {
      path: "spec.containers[1]",
      want: {
        ...object,
        spec: { replicas: 3, containers: [(object["spec"] as { containers: unknown[] }).containers[0]] },
      },
    },
    {
      path: 'metadata.annotations["example.com/a"]',
      want: { ...object, metadata: { name: "x", annotations: { b: "2" } } },
    },
    {
      path: "spec.containers[name=a].resources.limits.cpu",
      want: {
        ...object,
        spec: {
          replicas: 3,
          containers: [
            { name: "a", image: "i" },
            { name: "b", image: "j" },
          ],
        },
      },
    },
  ])("gives up $path, and what held nothing else", ({ path, want }) => {
    const before = structuredClone(object);
    expect(withoutRetained([object], [{ kind: "Deployment", path }])).toEqual([want]);
    expect(object).toEqual(before);
  });

  test.each([
    "spec.nothing",
    "spec.replicas.x",
    "metadata.name",
    "metadata",
    "kind",
    "spec.[",
    "",
    "spec.containers[name=z].image",
    'metadata["name"]',
  ])("%s changes nothing", (path) => expect(withoutRetained([object], [{ kind: "Deployment", path }])[0]).toBe(object));

  const given = (spec: unknown): KubeObject => ({ ...object, spec });
  const left = (spec: unknown, path: string): unknown =>
    withoutRetained([given(spec)], [{ kind: "Deployment", path }])[0]?.["spec"];

  test.each<[string, unknown, string, unknown]>([
    [
      "an item by several fields",
      {
        p: [
          { a: 1, b: "x" },
          { a: 1, b: "y" },
        ],
      },
      "spec.p[a=1,b=y]",
      { p: [{ a: 1, b: "x" }] },
    ],
    ["an item by a number", { p: [{ port: 80 }, { port: 81 }] }, "spec.p[port=80]", { p: [{ port: 81 }] }],
    ["an item of a list in a list", { p: [[1, 2], [3]] }, "spec.p[0][1]", { p: [[1], [3]] }],
    ["a field whose name holds a quotation mark", { 'a"b': 1, c: 2 }, 'spec["a\\"b"]', { c: 2 }],
    ["a field whose name holds a dot", { "a.b": 1, c: 2 }, 'spec["a.b"]', { c: 2 }],
    ["the last field, with all that held nothing else", { a: { b: { c: 1 } }, d: 2 }, "spec.a.b.c", { d: 2 }],
    ["the last item, with the list", { l: [{ a: 1 }], d: 2 }, "spec.l[0]", { d: 2 }],
    ["everything that is there", { a: 1 }, "spec.a", undefined],
    ["a field of an item that has others", { l: [{ a: 1, b: 2 }] }, "spec.l[0].a", { l: [{ b: 2 }] }],
    ["null", { a: null, b: 1 }, "spec.a", { b: 1 }],
  ])("gives up %s", (_what, spec, path, want) => expect(left(spec, path)).toEqual(want));

  test.each<[string, unknown, string]>([
    ["a field of a list", { l: [1] }, "spec.l.length"],
    ["a field of a text", { t: "text" }, "spec.t.length"],
    ["a field of null", { n: null }, "spec.n.x"],
    ["what every object inherits", { a: 1 }, "spec.toString"],
    ["an item of a map", { m: { 0: 1 } }, "spec.m[0]"],
    ["an item of which one field is another", { p: [{ a: 1, b: "x" }] }, "spec.p[a=1,b=y]"],
    ["an item that is no object", { p: ["a=1", null] }, "spec.p[a=1]"],
    ["an item beyond the end", { p: [1] }, "spec.p[1]"],
  ])("leaves the object as it is for %s", (_what, spec, path) => {
    const before = given(spec);
    expect(withoutRetained([before], [{ kind: "Deployment", path }])[0]).toBe(before);
  });

  test.each(["apiVersion", "kind", "metadata.name", "metadata.namespace", "metadata"])(
    "%s is nobody's to give up",
    (path) => {
      const before: KubeObject = { ...object, metadata: { ...object.metadata, namespace: "n" } };
      expect(withoutRetained([before], [{ kind: "Deployment", path }])[0]).toBe(before);
    },
  );

  test("labels are, and so is a field of another name under spec", () => {
    const before = { ...object, metadata: { ...object.metadata, labels: { a: "1" } }, spec: { name: "x", kind: "y" } };
    const after = withoutRetained(
      [before],
      [
        { kind: "Deployment", path: "metadata.labels" },
        { kind: "Deployment", path: "spec.name" },
      ],
    );
    expect(after).toEqual([{ ...object, spec: { kind: "y" } }]);
  });

  const both = { serviceAccountName: "a", serviceAccount: "a" };

  test.each(["serviceAccountName", "serviceAccount", '["serviceAccount"]'])(
    "whoever leaves the service account of pods to the members by %s leaves both of its names",
    (name) => {
      const path = `spec.template.spec${name.startsWith("[") ? "" : "."}${name}`;
      expect(left({ template: { spec: { ...both, containers: [] } } }, path)).toEqual({
        template: { spec: { containers: [] } },
      });
    },
  );

  test("fields of these names elsewhere are two", () => {
    expect(left(both, "spec.serviceAccount")).toEqual({ serviceAccountName: "a" });
    expect(left({ template: { spec: { l: [both] } } }, "spec.template.spec.l[0].serviceAccount")).toEqual({
      template: { spec: { l: [{ serviceAccountName: "a" }] } },
    });
  });

  test("nothing to give up changes nothing", () => {
    const objects = [object];
    expect(withoutRetained(objects, undefined)).toBe(objects);
    expect(withoutRetained(objects, [])).toEqual(objects);
  });

  test("another kind is left alone", () => {
    expect(withoutRetained([object], [{ kind: "Service", path: "spec.replicas" }])[0]).toBe(object);
  });
});

test.each<{ path: string; want: unknown[] }>([
  {
    path: "spec.containers[name=a].image",
    want: [
      { name: "a", resources: { limits: { cpu: "1" } } },
      { name: "b", image: "j" },
    ],
  },
  { path: "spec.containers[*].image", want: [{ name: "a", resources: { limits: { cpu: "1" } } }, { name: "b" }] },
  {
    path: "spec.containers[*].resources.limits",
    want: [
      { name: "a", image: "i" },
      { name: "b", image: "j" },
    ],
  },
])("$path leaves the rest of each item", ({ path, want }) => {
  expect(withoutRetained([object], [{ kind: "Deployment", path }])[0]).toHaveProperty("spec.containers", want);
});
