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

interface Changed {
  required: string[];
  properties: Record<string, Json>;
}
type Change = (schema: Changed) => unknown;
/** The field with these values in the place of its own. */
const set =
  (field: string, values: Json): Change =>
  ({ properties }) =>
    (properties[field] = { ...properties[field], ...values });
const put =
  (field: string, value: Json): Change =>
  ({ properties }) =>
    (properties[field] = value);

function crd(change: Change = () => undefined): KubeObject {
  const spec = structuredClone(schema) as never;
  change(spec);
  const common = { name: "v1", served: true, storage: true, subresources: { status: {} } };
  const version = { ...common, schema: { openAPIV3Schema: spec } };
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
  const noPort = { type: "array", items: { type: "object", properties: {} } };
  const rule = { "x-kubernetes-validations": [{ rule: "self != ''" }] };

  test.each<[name: string, change: Change, says: string]>([
    ["a field that is gone", ({ properties }) => delete properties["mode"], "mode: is gone"],
    ["a field that becomes required", ({ required }) => required.push("mode"), "mode: is required now"],
    ["another type", put("image", { type: "integer" }), "image: type string became integer"],
    ["a lower maximum", set("replica", { maximum: 50 }), "replica: maximum became 50"],
    ["a new minimum", set("image", { minLength: 1 }), "image: minLength became 1"],
    ["a new pattern", set("image", { pattern: "^a" }), "image: pattern became ^a"],
    ["a value that is gone", set("mode", { enum: ["A", "C"] }), "mode: no longer takes B"],
    ["another default", set("replica", { default: 2 }), "replica: default 1 became 2"],
    ["a new rule", set("image", rule), "image: new rule self != ''"],
    ["keys that are no longer free", put("labels", { type: "object" }), "labels: takes no keys of one's own any more"],
    ["something inside a list", put("ports", noPort), "ports[].port: is gone"],
  ])("%s", (_, change, says) => {
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
  test.each<[name: string, change: Change]>([
    ["none", () => undefined],
    ["a new field", put("env", { type: "array", items: { type: "object", required: ["name"] } })],
    ["a higher maximum", set("replica", { maximum: 1000 })],
    ["one more value", set("mode", { enum: ["A", "B", "C"] })],
    ["a field that is no longer required", ({ required }) => required.pop()],
    ["a bound that is gone", ({ properties }) => delete properties["image"]?.["maxLength"]],
  ])("%s", (_, change) => expect(breakingChanges(crd(), crd(change))).toEqual([]));
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
