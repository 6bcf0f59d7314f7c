import { describe, expect, test } from "vitest";
import type { Schema } from "../types.ts";
import { builtinResources, definitions, kindRules } from "./index.ts";

describe("the built-in resources", () => {
  test("are the same objects for every cluster of a process", () => {
    expect(builtinResources()).toBe(builtinResources());
    expect(kindRules("apps", "deployments")).toBe(kindRules("apps", "deployments"));
    expect(() => kindRules("apps", "nothings")).toThrow("nothings of apps is not built in");
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

  test("say what stands in each column", () => {
    for (const { versions, plural } of builtinResources()) {
      for (const { columns } of versions) {
        for (const { name, value } of columns) expect(value, `${plural}: ${name}`).toBeTypeOf("function");
      }
    }
  });
});
