import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { Schema } from "../types.ts";
import { prune, withDefaults } from "./index.ts";
import { arbitraryObject, arbitraryObjectSchema, deepFrozen } from "./testing/arbitraries.ts";

describe("withDefaults", () => {
  const schema: Schema = {
    type: "object",
    properties: {
      replicas: { type: "integer", default: 1 },
      note: { type: "string", nullable: true },
      ports: {
        type: "array",
        items: { type: "object", properties: { protocol: { type: "string", default: "TCP" } } },
      },
      labels: {
        type: "object",
        additionalProperties: { type: "object", properties: { on: { type: "boolean", default: true } } },
      },
      strategy: { type: "object", default: {}, properties: { type: { type: "string", default: "Rolling" } } },
    },
  };

  test("leaves null where no schema says what stands there", () => {
    const open: Schema = {
      type: "object",
      properties: { any: { "x-kubernetes-preserve-unknown-fields": true, nullable: true } },
    };
    expect(withDefaults(open, {}, { any: { deep: null } })).toEqual({ any: { deep: null } });
  });

  test("looks up references; a default beside one goes before its own", () => {
    const definitions: Record<string, Schema> = {
      Part: { type: "object", properties: { x: { type: "integer", default: 7 } } },
    };
    const whole: Schema = { type: "object", properties: { part: { $ref: "#/definitions/Part", default: { y: 1 } } } };
    expect(withDefaults(whole, definitions, {})).toEqual({ part: { y: 1, x: 7 } });
  });

  test("a default that is shared cannot be changed", () => {
    const { strategy } = withDefaults<Record<string, unknown>>(schema, {}, { replicas: 2, strategy: null });
    expect(Object.isFrozen(schema.properties?.["strategy"]?.default)).toBe(true);
    expect(strategy).toEqual({ type: "Rolling" });
  });

  test.prop([arbitraryObjectSchema(), arbitraryObject()])(
    "once filled stays as it is, to the very object",
    (any, value) => {
      const once = withDefaults(any, {}, deepFrozen(value));
      expect(withDefaults(any, {}, once)).toBe(once);
    },
  );

  test.prop([arbitraryObjectSchema(), arbitraryObject()])("never takes away what is not null", (any, value) => {
    const filled = withDefaults(any, {}, deepFrozen(value));
    for (const [key, given] of Object.entries(value)) {
      if (given !== null && typeof given !== "object") expect(filled).toHaveProperty([key], given);
    }
  });
});

describe("prune", () => {
  const schema: Schema = {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          ports: { type: "array", items: { type: "object", properties: { port: { type: "integer" } } } },
          any: { "x-kubernetes-preserve-unknown-fields": true },
          half: {
            type: "object",
            "x-kubernetes-preserve-unknown-fields": true,
            properties: { known: { type: "object", properties: { a: { type: "string" } } } },
          },
        },
      },
    },
  };

  test("returns the paths of what goes, sorted", () => {
    const { value, unknown } = prune(schema, {}, {
      apiVersion: "v1",
      kind: "K",
      metadata: { name: "a" },
      z: 1,
      spec: { x: 1, ports: [{ port: 1, y: 2 }] },
    } as Record<string, unknown>);
    expect(unknown).toEqual(["spec.ports[0].y", "spec.x", "z"]);
    expect(value).toEqual({ apiVersion: "v1", kind: "K", metadata: { name: "a" }, spec: { ports: [{ port: 1 }] } });
  });

  test("keeps what is to be preserved, but not what is unknown in a known part of it", () => {
    const spec = { any: [{ a: { b: 1 } }], half: { other: 1, known: { a: "x", b: 1 } } };
    expect(prune(schema, {}, { spec })).toEqual({
      value: { spec: { any: [{ a: { b: 1 } }], half: { other: 1, known: { a: "x" } } } },
      unknown: ["spec.half.known.b"],
    });
  });

  test("in a published schema an object without properties holds anything, and paths come in the order of the object", () => {
    const definitions: Record<string, Schema> = {
      Pod: {
        type: "object",
        properties: { raw: { $ref: "#/definitions/Raw" }, spec: { type: "object", properties: {} } },
      },
      Raw: { type: "object" },
    };
    const { value, unknown } = prune({ $ref: "#/definitions/Pod" }, definitions, { z: 1, raw: { a: [1] }, a: 1 });
    expect(value).toEqual({ raw: { a: [1] } });
    expect(unknown).toEqual(["z", "a"]);
  });

  test.prop([arbitraryObjectSchema(), arbitraryObject()])(
    "leaves nothing that it would take out again",
    (any, value) => {
      const once = prune(any, {}, deepFrozen(value)).value;
      const twice = prune(any, {}, once);
      expect(twice.unknown).toEqual([]);
      expect(twice.value).toBe(once);
    },
  );

  test.prop([arbitraryObjectSchema(), arbitraryObject()])(
    "gives back the very object when nothing is unknown",
    (any, value) => {
      const { value: pruned, unknown } = prune(any, {}, deepFrozen(value));
      expect(pruned === value).toBe(unknown.length === 0);
    },
  );

  test.prop([fc.jsonValue()])("of a value without a schema keeps no field of any object", (value) => {
    const { value: pruned } = prune({ type: "object", properties: {} }, {}, deepFrozen({ spec: value }));
    expect(pruned).toEqual({});
  });
});
