import { describe, expect, test } from "vitest";
import { z } from "zod";
import { openApiSchema } from "./openapi.ts";
import { exactlyOneOf, listMap, withRules } from "./rules.ts";

describe("openApiSchema", () => {
  test("says a number or a text as one thing, with the bounds of both", () => {
    expect(
      openApiSchema(
        z.union([
          z.int().min(1).max(9),
          z
            .string()
            .max(4)
            .regex(/^a\/b$/),
        ]),
      ),
    ).toEqual({
      "x-kubernetes-int-or-string": true,
      minimum: 1,
      maximum: 9,
      maxLength: 4,
      pattern: "^a/b$",
    });
  });

  test("refuses a union that a CRD cannot say", () => {
    expect(() => openApiSchema(z.union([z.boolean(), z.string()]))).toThrow(/boolean and string/);
  });

  test("refuses two patterns on one text", () => {
    expect(() => openApiSchema(z.object({ a: z.string().regex(/a/).regex(/b/) }))).toThrow(/two patterns/);
  });

  test.each([
    {
      name: "within 32 bits",
      schema: z.int().min(0).max(1000),
      want: { type: "integer", format: "int32", minimum: 0, maximum: 1000 },
    },
    { name: "without bounds", schema: z.int(), want: { type: "integer", format: "int64" } },
    {
      name: "beyond 32 bits",
      schema: z
        .int()
        .min(0)
        .max(2 ** 40),
      want: { type: "integer", format: "int64", minimum: 0, maximum: 2 ** 40 },
    },
  ])("gives the width of a number $name", ({ schema, want }) => expect(openApiSchema(schema)).toEqual(want));

  test("leaves out what structural schemas do not have", () => {
    const schema = z.object({
      labels: z.record(z.string(), z.string()),
      at: z.iso.datetime(),
      more: z.strictObject({ a: z.string().optional() }).optional(),
    });
    expect(openApiSchema(schema)).toEqual({
      type: "object",
      required: ["labels", "at"],
      properties: {
        labels: { type: "object", additionalProperties: { type: "string" } },
        at: { type: "string", format: "date-time" },
        more: { type: "object", properties: { a: { type: "string" } } },
      },
    });
  });

  test("keeps rules and keys of lists, also through optional and default", () => {
    const entry = z.object({ name: z.string(), a: z.string().optional(), b: z.string().optional() });
    const list = listMap(z.array(withRules(entry, exactlyOneOf("a", "b"))), "name").optional();
    const json = openApiSchema(z.object({ list })) as { properties: { list: { items: unknown } } };
    expect(json.properties.list).toMatchObject({
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: {
        "x-kubernetes-validations": [
          { rule: "[has(self.a), has(self.b)].exists_one(given, given)", message: "give exactly one of a and b" },
        ],
      },
    });
  });

  test("adds up the rules of a schema that is given rules twice", () => {
    const once = withRules(z.string(), { rule: "self != 'a'", message: "not a" });
    const twice = withRules(once, { rule: "self != 'b'", message: "not b", holds: (text) => text !== "b" });
    expect(openApiSchema(twice)["x-kubernetes-validations"]).toHaveLength(2);
    expect(openApiSchema(once)["x-kubernetes-validations"]).toHaveLength(1);
    expect(twice.safeParse("b").success).toBe(false);
  });
});
