import { fc } from "@fast-check/vitest";
import type { KindDefinition, KindVersion } from "../served/kinds.ts";
import type { KubeObject } from "../metadata/meta.ts";
import { openApiSchema, type OpenApiSchema } from "../schema/openapi.ts";

/**
 * Random objects of a version, with any fields that its schema has, of the types that the schema says: JSON, as a server would send it.
 * Rules and patterns of the schema are not kept to, which no conversion may rely on.
 */
export function anyObject(kind: KindDefinition, version: KindVersion): fc.Arbitrary<KubeObject> {
  return fc
    .record(
      {
        metadata: anyMetadata(kind.namespaced),
        spec: anyValue(openApiSchema(version.spec)),
        status: anyValue(openApiSchema(version.status)),
      },
      { requiredKeys: ["metadata", "spec"], noNullPrototype: true },
    )
    .map((rest) => ({ apiVersion: `${kind.group}/${version.name}`, kind: kind.kind, ...rest }) as KubeObject);
}

interface Schema {
  type?: string;
  enum?: unknown[];
  properties?: Record<string, OpenApiSchema>;
  required?: string[];
  items?: OpenApiSchema;
  additionalProperties?: OpenApiSchema | boolean;
  minimum?: number;
  maximum?: number;
  "x-kubernetes-int-or-string"?: boolean;
}

const text = fc.string({ unit: "grapheme", maxLength: 8 });
const key = fc.constantFrom("a", "tier", "example.com/owner", "constructor");

function anyValue(given: OpenApiSchema): fc.Arbitrary<unknown> {
  const schema = given as Schema;
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema["x-kubernetes-int-or-string"] === true) return fc.oneof(integer(schema), text);
  switch (schema.type) {
    case "string":
      return text;
    case "boolean":
      return fc.boolean();
    case "integer":
      return integer(schema);
    case "array":
      return fc.array(anyValue(schema.items ?? {}), { maxLength: 2 });
    case "object": {
      if (schema.properties === undefined) return anyMap(schema);
      const fields = Object.entries(schema.properties).map(([name, field]) => [name, anyValue(field)] as const);
      const requiredKeys = schema.required ?? [];
      return fc.record(Object.fromEntries(fields), { requiredKeys, noNullPrototype: true });
    }
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function integer({ minimum = 0, maximum = 1_000_000 }: Schema): fc.Arbitrary<number> {
  return fc.integer({ min: Math.max(minimum, -1_000_000), max: Math.min(maximum, 1_000_000) });
}

function anyMap({ additionalProperties }: Schema): fc.Arbitrary<unknown> {
  const value = typeof additionalProperties === "object" ? anyValue(additionalProperties) : text;
  return fc.dictionary(key, value, { maxKeys: 2, noNullPrototype: true });
}

function anyMetadata(namespaced: boolean): fc.Arbitrary<unknown> {
  const map = fc.dictionary(key, text, { minKeys: 1, maxKeys: 2, noNullPrototype: true });
  return fc.record(
    {
      name: fc.constantFrom("shop", "all"),
      ...(namespaced ? { namespace: fc.constantFrom("default", "team") } : {}),
      uid: fc.uuid(),
      resourceVersion: fc.nat().map(String),
      generation: fc.nat(),
      labels: map,
      annotations: map,
      finalizers: fc.array(text, { maxLength: 1 }),
    },
    { requiredKeys: ["name"], noNullPrototype: true },
  );
}
