import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { customResourceDefinitions, isConverted, servingPatch, servingAllVersions, versionsOf } from "./crds.ts";
import type { KubeObject } from "../metadata/meta.ts";
import { sameValue } from "../values/sameValue.ts";

const CHART = join(import.meta.dirname, "../../../charts/meridian/files/crds");

type Node = Record<string, unknown>;

/** Every schema node with its path. */
function* nodes(node: Node, path: string): Generator<{ path: string; node: Node }> {
  yield { path, node };
  for (const [name, child] of Object.entries((node["properties"] as Record<string, Node> | undefined) ?? {})) {
    yield* nodes(child, `${path}.${name}`);
  }
  if (node["items"] !== undefined) yield* nodes(node["items"] as Node, `${path}[]`);
  if (node["additionalProperties"] !== undefined) yield* nodes(node["additionalProperties"] as Node, `${path}{}`);
}

interface Version {
  name: string;
  served: boolean;
  storage: boolean;
  schema: { openAPIV3Schema: Node };
  subresources: Node;
}

const crds = customResourceDefinitions().map((crd) => ({
  name: crd.metadata.name,
  spec: crd["spec"] as { versions: Version[]; names: { categories: string[] }; scope: string },
}));
const all = crds.flatMap(({ name, spec }) =>
  spec.versions.flatMap((version) => [...nodes(version.schema.openAPIV3Schema, `${name}/${version.name}`)]),
);
const specs = all.filter(({ path }) => path.includes(".spec"));

describe("the versions of a CRD", () => {
  const [crd] = customResourceDefinitions();
  if (crd === undefined) throw new Error("there is no CRD");
  const served = (object: KubeObject): string[] => versionsOf(object).flatMap((one) => (one.served ? [one.name] : []));

  test("are all served where a webhook converts between them, and the stored one alone elsewhere", () => {
    expect(served(crd)).toEqual(["v1"]);
    expect(served(servingAllVersions(crd))).toEqual(["v1", "v1beta1"]);
  });

  test("are served by a patch that tests what it is about, and by none where they are", () => {
    expect(servingPatch(crd)).toEqual([
      { op: "test", path: "/spec/versions/1/name", value: "v1beta1" },
      { op: "replace", path: "/spec/versions/1/served", value: true },
    ]);
    expect(servingPatch(servingAllVersions(crd))).toBeUndefined();
  });

  test("are none, and not converted, where a CRD says nothing of them", () => {
    const empty = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: { name: "x" } };
    expect(versionsOf(empty)).toEqual([]);
    expect(versionsOf({ ...empty, spec: {} })).toEqual([]);
    expect(isConverted(empty)).toBe(false);
    expect(isConverted({ ...empty, spec: { conversion: { strategy: "None" } } })).toBe(false);
    expect(isConverted({ ...empty, spec: { conversion: { strategy: "Webhook" } } })).toBe(true);
  });
});

describe("the CRDs", () => {
  test("are those that the chart installs: `npm run generate` writes them there", () => {
    const installed = new Map(
      readdirSync(CHART).map((file) => [file, parse(readFileSync(join(CHART, file), "utf8")) as unknown]),
    );
    const made = new Map(customResourceDefinitions().map((crd) => [`${crd.metadata.name}.yaml`, crd]));
    const files = new Set([...installed.keys(), ...made.keys()]);
    expect([...files].filter((file) => !sameValue(made.get(file), installed.get(file)))).toEqual([]);
  });

  test("store exactly one version, which alone is served without webhooks, and have a status", () => {
    for (const { name, spec } of crds) {
      expect(
        spec.versions.filter(({ storage }) => storage),
        name,
      ).toHaveLength(1);
      expect(
        spec.versions.every(
          ({ served, storage, subresources }) => served === storage && subresources["status"] !== undefined,
        ),
        name,
      ).toBe(true);
      expect(spec.names.categories, name).toContain("meridian");
    }
  });

  test.each([
    { what: "list", type: "array", bound: "maxItems" },
    { what: "text", type: "string", bound: "maxLength" },
  ])("bound every $what that a person writes, so that the cost of every rule can be reckoned", ({ type, bound }) => {
    const unbounded = specs.filter(
      ({ node }) => node["type"] === type && !(bound in node) && !("enum" in node) && !("format" in node),
    );
    expect(unbounded.map(({ path }) => path)).toEqual([]);
  });

  test("give every number a width, and bounds where a person writes it", () => {
    const numbers = specs.filter(({ node }) => node["type"] === "integer");
    expect(numbers.length).toBeGreaterThan(20);
    expect(numbers.filter(({ node }) => node["format"] !== "int32").map(({ path }) => path)).toEqual([]);
    expect(numbers.filter(({ node }) => !("minimum" in node && "maximum" in node)).map(({ path }) => path)).toEqual([]);
  });

  test("have a message for every rule", () => {
    const rules = all.flatMap(
      ({ node }) => (node["x-kubernetes-validations"] as { message?: string }[] | undefined) ?? [],
    );
    expect(rules.length).toBeGreaterThan(30);
    expect(rules.filter(({ message = "" }) => message.length < 10)).toEqual([]);
  });

  test("put no rule on a status, which must never be refused", () => {
    const ruled = all.filter(({ path, node }) => path.includes(".status") && "x-kubernetes-validations" in node);
    expect(ruled.map(({ path }) => path)).toEqual([]);
  });

  test("let reporters share the lists of a status", () => {
    const lists = all.filter(({ path }) => /\.status\.(conditions|clusters|summary)$/.test(path));
    expect(lists.length).toBeGreaterThanOrEqual(11);
    expect(lists.filter(({ node }) => node["x-kubernetes-list-type"] !== "map").map(({ path }) => path)).toEqual([]);
    const clusters = lists.filter(({ path }) => path.endsWith(".clusters"));
    expect(clusters.map(({ node }) => (node["items"] as Node)["x-kubernetes-map-type"])).toEqual(
      Array.from({ length: 5 }, () => "atomic"),
    );
  });
});
