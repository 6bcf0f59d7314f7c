import { z } from "zod";

export type OpenApiSchema = Record<string, unknown>;

const INT32_MAX = 2_147_483_647;

function finishInteger(schema: OpenApiSchema): void {
  const { minimum, maximum } = schema as { minimum?: number; maximum?: number };
  const fits32 = minimum !== undefined && minimum >= -INT32_MAX - 1 && maximum !== undefined && maximum <= INT32_MAX;
  schema["format"] = fits32 ? "int32" : "int64";
  if (minimum === Number.MIN_SAFE_INTEGER) delete schema["minimum"];
  if (maximum === Number.MAX_SAFE_INTEGER) delete schema["maximum"];
}

/** Kubernetes has one type for a number or a string, with the bounds of both side by side. */
function mergeIntOrString(schema: OpenApiSchema, branches: OpenApiSchema[]): void {
  const types = branches.map((branch) => String(branch["type"])).toSorted();
  if (types.join() !== "integer,string") throw new Error(`a union of ${types.join(" and ")} cannot be said in a CRD`);
  delete schema["anyOf"];
  for (const { type: _type, format: _format, ...bounds } of branches) Object.assign(schema, bounds);
  schema["x-kubernetes-int-or-string"] = true;
}

function finish(schema: OpenApiSchema, isUnion: boolean): void {
  if (schema["type"] === "integer") finishInteger(schema);
  if (schema["format"] === "date-time") delete schema["pattern"];
  if (typeof schema["pattern"] === "string") schema["pattern"] = schema["pattern"].replaceAll("\\/", "/");
  if (schema["properties"] !== undefined) delete schema["additionalProperties"];
  delete schema["propertyNames"];
  if (isUnion) mergeIntOrString(schema, schema["anyOf"] as OpenApiSchema[]);
}

/** Throws if a CRD cannot express the schema, which shows when the CRDs are generated. */
export function openApiSchema(schema: z.ZodType): OpenApiSchema {
  const { $schema: _dialect, ...openApi } = z.toJSONSchema(schema, {
    target: "openapi-3.0",
    io: "input",
    reused: "inline",
    override: ({ zodSchema, jsonSchema, path }) => {
      const node = jsonSchema as OpenApiSchema;
      finish(node, zodSchema._zod.def.type === "union");
      if (node["allOf"] !== undefined)
        throw new Error(`${path.join(".")}: two patterns on one text cannot be said in a CRD`);
    },
  }) as OpenApiSchema;
  return openApi;
}
