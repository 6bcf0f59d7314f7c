import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { FieldError, KubeObject, Schema } from "../types.ts";
import { crdWarnings, resourceOfCrd, validate, validateScale, withDefaults } from "./index.ts";
import { arbitraryObject, arbitraryObjectSchema, deepFrozen } from "./testing/arbitraries.ts";
import { expensive } from "./testing/functionCases.ts";
import { crdOf, withSpec } from "./testing/shapes.ts";

const texts = (errors: readonly FieldError[]) => errors.map(({ field, message }) => `${field}: ${message}`);

describe("validate", () => {
  test.prop([arbitraryObjectSchema(), arbitraryObject()])(
    "changes neither the schema nor the object",
    (schema, value) => {
      const before = structuredClone(value);
      validate(deepFrozen(schema), {}, deepFrozen(value));
      expect(value).toEqual(before);
    },
  );

  test.prop([arbitraryObjectSchema(), arbitraryObject()])(
    "has nothing against what has not changed",
    (schema, value) => {
      expect(validate(schema, {}, value, structuredClone(value))).toEqual([]);
    },
  );

  test.prop([arbitraryObjectSchema(), arbitraryObject(), arbitraryObject()])(
    "finds in an update nothing that it would not find in a creation",
    (schema, value, old) => {
      const created = new Set(texts(validate(schema, {}, value)));
      expect(texts(validate(schema, {}, value, old)).filter((error) => !created.has(error))).toEqual([]);
    },
  );

  test.prop([arbitraryObjectSchema()])("takes what the schema's own defaults make of nothing", (schema) => {
    expect(validate(schema, {}, withDefaults(schema, {}, {}))).toEqual([]);
  });

  const parts: Schema = {
    type: "object",
    properties: {
      parts: {
        type: "array",
        items: {
          type: "object",
          properties: {
            name: { type: "string" },
            size: {
              type: "integer",
              maximum: 5,
              "x-kubernetes-validations": [{ rule: "self > 0", message: "too small" }],
            },
          },
        },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
      },
    },
  };

  test("holds against nobody what was wrong before, wherever in a list-map it stands now", () => {
    const old = {
      parts: [
        { name: "a", size: 9 },
        { name: "b", size: 0 },
      ],
    };
    expect(
      validate(
        parts,
        {},
        {
          parts: [
            { name: "b", size: 0 },
            { name: "c", size: 1 },
            { name: "a", size: 9 },
          ],
        },
        old,
      ),
    ).toEqual([]);
    expect(
      texts(
        validate(
          parts,
          {},
          {
            parts: [
              { name: "a", size: 8 },
              { name: "b", size: -1 },
            ],
          },
          old,
        ),
      ),
    ).toEqual([
      "parts[0].size: Invalid value: 8: parts[0].size in body should be less than or equal to 5",
      "parts[1].size: Invalid value: -1: too small",
    ]);
  });

  test("follows references", () => {
    const definitions: Record<string, Schema> = { Part: { type: "object", required: ["x"] } };
    const schema: Schema = { type: "object", properties: { part: { $ref: "#/definitions/Part" } } };
    expect(texts(validate(schema, definitions, { part: {} }))).toEqual(["part.x: Required value"]);
  });

  test("a field that is called as one of JavaScript's own is a field like any other", () => {
    const schema = {
      type: "object",
      properties: { constructor: { type: "string", maxLength: 1 }, toString: { type: "integer" } },
    } as unknown as Schema;
    expect(validate(schema, {}, {})).toEqual([]);
    expect(texts(validate(schema, {}, { constructor: "ab", toString: "x" }))).toHaveLength(2);
  });

  test.each(expensive)("runs what the API server finds too expensive: %s", (rule) => {
    const schema: Schema = {
      type: "object",
      properties: { a: { type: "string", "x-kubernetes-validations": [{ rule }] } },
    };
    expect(validate(schema, {}, { a: "" })).toEqual([]);
  });

  test.prop([fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 6 })])("rules count as JavaScript does", (list) => {
    const sum = list.reduce((total, one) => total + one, 0);
    const rule = `self.sum() == ${sum} && self.filter(x, x > 0).size() == ${list.filter((one) => one > 0).length} && self.distinct().size() == ${new Set(list).size}`;
    const schema: Schema = {
      type: "object",
      properties: { list: { type: "array", items: { type: "integer" }, "x-kubernetes-validations": [{ rule }] } },
    };
    expect(validate(schema, {}, { list })).toEqual([]);
  });
});

describe("a rule that fails", () => {
  const said = (rule: object) => {
    const x: Schema = { type: "string", maxLength: 10, "x-kubernetes-validations": [{ rule: "self == 'a'", ...rule }] };
    return validate({ type: "object", properties: { x } }, {}, { x: "b" }).map(({ message }) => message);
  };

  test.each([
    { name: "its rule, without a message", rule: {}, want: "failed rule: self == 'a'" },
    { name: "its message", rule: { message: " must be a " }, want: "must be a" },
    { name: "what its expression makes", rule: { messageExpression: "'not a but ' + self" }, want: "not a but b" },
    {
      name: "what its expression formats, whatever the types",
      rule: { messageExpression: "'%s is %d long, %.2f %s'.format([self, self.size(), 1.5, [1, 'x']])" },
      want: 'b is 1 long, 1.50 [1, "x"]',
    },
    { name: "its message, when the expression has none", rule: { message: "m", messageExpression: "''" }, want: "m" },
    { name: "its message, when the expression fails", rule: { message: "m", messageExpression: "self[5]" }, want: "m" },
    { name: "its message, instead of two lines", rule: { message: "m", messageExpression: "'a\\nb'" }, want: "m" },
  ])("says $name", ({ rule, want }) => expect(said(rule)).toEqual([`Invalid value: "b": ${want}`]));
});

describe("a resource of a CRD", () => {
  const crd = crdOf("gadgets", withSpec({ kind: { type: "string", format: "rare" } }));

  test("is the same for CRDs that share their spec, so that clusters share what was compiled", () => {
    const other = { ...crd, metadata: { ...crd.metadata, resourceVersion: "7" } } as KubeObject;
    expect(resourceOfCrd(other).versions).toBe(resourceOfCrd(crd).versions);
    expect(resourceOfCrd(other).crd).toBe(other);
  });

  test("warns of formats that nobody checks", () => {
    expect(crdWarnings(crd)).toEqual(['unrecognized format "rare"']);
  });

  const scale = {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.selector",
  };
  test.each<[name: string, value: object, errors: string[]]>([
    ["nothing", {}, []],
    ["whole numbers", { spec: { replicas: 3 }, status: { replicas: 0, selector: "a=b" } }, []],
    [
      "a negative number",
      { spec: { replicas: -1 } },
      [".spec.replicas: Invalid value: -1: should be a non-negative integer"],
    ],
    [
      "too many",
      { status: { replicas: 2 ** 31 } },
      [".status.replicas: Invalid value: 2147483648: should be less than or equal to 2147483647"],
    ],
  ])("scales with %s", (_, value, errors) => {
    expect(texts(validateScale(scale, value))).toEqual(errors);
  });
});
