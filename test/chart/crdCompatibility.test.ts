import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../src/apis/index.ts";
import { customResourceDefinitions } from "../../src/apis/served/crds.ts";
import { breakingChanges } from "./crdCompatibility.ts";
import { holdsWithout } from "./newFields.ts";

type Json = Record<string, unknown>;

const schema: Json = {
  type: "object",
  required: ["image"],
  properties: {
    image: { type: "string", maxLength: 100 },
    replica: { type: "integer", minimum: 1, maximum: 100, default: 1 },
    mode: { type: "string", enum: ["A", "B"] },
    labels: { type: "object", additionalProperties: { type: "string" } },
    ports: { type: "array", items: { type: "object", properties: { port: { type: "integer" } } } },
  },
};

function crd(
  changes: (schema: { required: string[]; properties: Record<string, Json> }) => void = () => undefined,
): KubeObject {
  const spec = structuredClone(schema) as never;
  changes(spec);
  const version = {
    name: "v1",
    served: true,
    storage: true,
    subresources: { status: {} },
    schema: { openAPIV3Schema: spec },
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "apps.example.com" },
    spec: { group: "example.com", scope: "Namespaced", names: { kind: "App", plural: "apps" }, versions: [version] },
  };
}

function versionsOf(object: KubeObject): Json[] {
  return (object["spec"] as { versions: Json[] }).versions;
}

describe("a change that breaks somebody", () => {
  test.each<{ name: string; change: Parameters<typeof crd>[0]; says: string }>([
    { name: "a field that is gone", change: ({ properties }) => delete properties["mode"], says: "mode: is gone" },
    {
      name: "a field that becomes required",
      change: ({ required }) => required.push("mode"),
      says: "mode: is required now",
    },
    {
      name: "another type",
      change: ({ properties }) => (properties["image"] = { type: "integer" }),
      says: "image: type string became integer",
    },
    {
      name: "a lower maximum",
      change: ({ properties }) => Object.assign(properties["replica"] ?? {}, { maximum: 50 }),
      says: "replica: maximum became 50",
    },
    {
      name: "a new minimum",
      change: ({ properties }) => Object.assign(properties["image"] ?? {}, { minLength: 1 }),
      says: "image: minLength became 1",
    },
    {
      name: "a new pattern",
      change: ({ properties }) => Object.assign(properties["image"] ?? {}, { pattern: "^a" }),
      says: "image: pattern became ^a",
    },
    {
      name: "a value that is gone",
      change: ({ properties }) => Object.assign(properties["mode"] ?? {}, { enum: ["A", "C"] }),
      says: "mode: no longer takes B",
    },
    {
      name: "another default",
      change: ({ properties }) => Object.assign(properties["replica"] ?? {}, { default: 2 }),
      says: "replica: default 1 became 2",
    },
    {
      name: "a new rule",
      change: ({ properties }) =>
        Object.assign(properties["image"] ?? {}, { "x-kubernetes-validations": [{ rule: "self != ''" }] }),
      says: "image: new rule self != ''",
    },
    {
      name: "keys that are no longer free",
      change: ({ properties }) => (properties["labels"] = { type: "object" }),
      says: "labels: takes no keys of one's own any more",
    },
    {
      name: "something inside a list",
      change: ({ properties }) => (properties["ports"] = { type: "array", items: { type: "object", properties: {} } }),
      says: "ports[].port: is gone",
    },
  ])("$name", ({ change, says }) => {
    expect(breakingChanges(crd(), crd(change))).toEqual([`apps.example.com v1: ${says}`]);
  });

  test("a version that is no longer served, and a subresource that is gone", () => {
    const without = crd();
    Object.assign(versionsOf(without)[0] ?? {}, { served: false });
    expect(breakingChanges(crd(), without)).toEqual(["apps.example.com v1: is no longer served"]);
    const bare = crd();
    Object.assign(versionsOf(bare)[0] ?? {}, { subresources: {} });
    expect(breakingChanges(crd(), bare)).toEqual(["apps.example.com v1: has no /status any more"]);
  });
});

describe("a change that breaks nobody", () => {
  test.each<{ name: string; change: Parameters<typeof crd>[0] }>([
    { name: "none", change: () => undefined },
    {
      name: "a new field",
      change: ({ properties }) =>
        (properties["env"] = { type: "array", items: { type: "object", required: ["name"] } }),
    },
    {
      name: "a higher maximum",
      change: ({ properties }) => Object.assign(properties["replica"] ?? {}, { maximum: 1000 }),
    },
    {
      name: "one more value",
      change: ({ properties }) => Object.assign(properties["mode"] ?? {}, { enum: ["A", "B", "C"] }),
    },
    { name: "a field that is no longer required", change: ({ required }) => required.pop() },
    { name: "a bound that is gone", change: ({ properties }) => delete properties["image"]?.["maxLength"] },
  ])("$name", ({ change }) => expect(breakingChanges(crd(), crd(change))).toEqual([]));
});

test("the CRDs are compatible with themselves", () => {
  for (const object of customResourceDefinitions() as unknown as KubeObject[]) {
    expect(breakingChanges(object, structuredClone(object))).toEqual([]);
  }
});

describe("a new rule that comes with a field", () => {
  const added = new Set(["fields", "ingress"]);
  test.each([
    "!has(self.ingress) || has(self.ports)",
    "self.mode == 'Auto' || !has(self.fields)",
    "!(has(self.mode) && has(self.fields))",
    "!self.spec.items.exists(item, has(item.fields))",
    "!has(self.ingress) || !has(self.ports) || self.ports.exists(p, p == 1)",
  ])("refuses nothing of before: %s", (rule) => expect(holdsWithout(rule, added)).toBe(true));

  test.each([
    "has(self.fields)",
    "has(self.ingress) || has(self.ports)",
    "!has(self.ports)",
    "!(has(self.mode) && has(self.ports))",
    "(!has(self.fields)) && self.mode == 'Auto'",
    "!(has(self.ports) || has(self.fields))",
    "!has(self.fields) && self.mode == 'Auto'",
  ])("may refuse something: %s", (rule) => expect(holdsWithout(rule, added)).toBe(false));
});
