import { describe, expect, test } from "vitest";
import type { Schema } from "../types.ts";
import { builtinResources, definitions, kindRules, kubernetesVersion } from "./index.ts";

const resource = (group: string, plural: string) => {
  const found = builtinResources().find((one) => one.group === group && one.plural === plural);
  if (found === undefined) throw new Error(`${plural} is not there`);
  return found;
};

describe("the built-in resources", () => {
  test("are the same objects for every cluster of a process", () => {
    expect(builtinResources()).toBe(builtinResources());
    expect(kindRules("apps", "deployments")).toBe(kindRules("apps", "deployments"));
    expect(() => kindRules("apps", "nothings")).toThrow("nothings of apps is not built in");
  });

  test("know what discovery said of them", () => {
    expect(kubernetesVersion).toMatch(/^v1\.\d+\.\d+$/);
    expect(resource("apps", "deployments")).toMatchObject({
      kind: "Deployment",
      singular: "deployment",
      shortNames: ["deploy"],
      categories: ["all"],
      namespaced: true,
      versions: [{ name: "v1", storage: true, hasStatus: true, scale: { specReplicasPath: ".spec.replicas" } }],
    });
    expect(
      resource("autoscaling", "horizontalpodautoscalers").versions.map(({ name, storage }) => ({ name, storage })),
    ).toEqual([{ name: "v2", storage: true }]);
    expect(resource("authorization.k8s.io", "subjectaccessreviews").verbs).toEqual(["create"]);
    expect(resource("", "pods").versions[0]?.subresources?.map(({ name }) => name)).toContain("eviction");
  });

  test("have schemas whose references all lead somewhere", () => {
    const missing = new Set<string>();
    const visit = (schema: Schema) => {
      const name = schema.$ref?.split("/").at(-1);
      if (typeof name === "string" && definitions[name] === undefined) missing.add(name);
      for (const inner of Object.values(schema.properties ?? {})) visit(inner);
      if (schema.items !== undefined) visit(schema.items);
      if (typeof schema.additionalProperties === "object") visit(schema.additionalProperties);
    };
    for (const schema of Object.values(definitions)) visit(schema);
    for (const { versions } of builtinResources()) for (const { schema } of versions) visit(schema);
    expect([...missing]).toEqual([]);
  });

  test("keep the keys of lists, which applying needs", () => {
    const { properties = {} } = definitions["io.k8s.api.core.v1.ServiceSpec"] ?? {};
    expect(properties["ports"]).toMatchObject({
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["port", "protocol"],
      "x-kubernetes-patch-merge-key": "port",
      "x-kubernetes-patch-strategy": "merge",
    });
    const port = definitions["io.k8s.api.core.v1.ServicePort"]?.properties?.["protocol"];
    expect(port).toMatchObject({ default: "TCP" });
  });

  test("say what stands in each column", () => {
    for (const { versions, plural } of builtinResources()) {
      for (const { columns } of versions) {
        for (const { name, value } of columns) expect(value, `${plural}: ${name}`).toBeTypeOf("function");
      }
    }
  });
});
