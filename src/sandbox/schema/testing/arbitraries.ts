import { fc } from "@fast-check/vitest";
import type { Schema } from "../../types.ts";

/** Schemas and values of a few field names, so that they often meet. */

const names = fc.constantFrom("a", "b", "c", "d");

const scalarSchema: fc.Arbitrary<Schema> = fc.oneof(
  fc.record({ type: fc.constant("string" as const) }),
  fc.record({ type: fc.constant("integer" as const), default: fc.integer() }),
  fc.record({ type: fc.constant("boolean" as const), nullable: fc.boolean() }),
);

export function arbitraryObjectSchema(): fc.Arbitrary<Schema> {
  const { object } = fc.letrec<{ object: Schema; any: Schema }>((tie) => ({
    object: fc
      .record({
        properties: fc.dictionary(names, tie("any"), { maxKeys: 3 }),
        preserves: fc.boolean(),
      })
      .map(({ properties, preserves }) => ({
        type: "object" as const,
        properties,
        ...(preserves ? { "x-kubernetes-preserve-unknown-fields": true } : {}),
      })),
    any: fc.oneof(
      { maxDepth: 3 },
      scalarSchema,
      tie("object"),
      tie("any").map((items): Schema => ({ type: "array", items })),
      tie("any").map((additionalProperties): Schema => ({ type: "object", additionalProperties })),
    ),
  }));
  return object;
}

export function arbitraryObject(): fc.Arbitrary<Record<string, unknown>> {
  const { object } = fc.letrec<{ object: Record<string, unknown>; any: unknown }>((tie) => ({
    object: fc.dictionary(names, tie("any"), { maxKeys: 4 }),
    any: fc.oneof(
      { maxDepth: 3 },
      fc.integer(),
      fc.string(),
      fc.constant(null),
      fc.boolean(),
      tie("object"),
      fc.array(tie("any"), { maxLength: 3 }),
    ),
  }));
  return object;
}

/** Whoever changes an argument fails. */
export function deepFrozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const child of Object.values(value)) deepFrozen(child);
    Object.freeze(value);
  }
  return value;
}
