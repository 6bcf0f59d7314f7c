import { expect, test } from "vitest";
import { z } from "zod";
import { openApiSchema } from "./openapi.ts";

// What a schema becomes stands in the chart's CRDs; see crds.test.ts.
test.each<[string, z.ZodType, RegExp]>([
  ["a union that a CRD cannot say", z.union([z.boolean(), z.string()]), /boolean and string/],
  ["two patterns on one text", z.object({ a: z.string().regex(/a/).regex(/b/) }), /two patterns/],
])("%s is refused", (_what, schema, message) => expect(() => openApiSchema(schema)).toThrow(message));
