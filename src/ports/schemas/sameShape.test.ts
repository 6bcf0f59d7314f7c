import { expect, test } from "vitest";
import { z } from "zod";
import { schemaOf } from "./sameShape.ts";

interface Parcel {
  readonly name: string;
  weight?: number | undefined;
  stops: readonly { city: string; at?: number }[];
  state: "Sent" | "Lost";
}

const stop = z.strictObject({ city: z.string(), at: z.number().exactOptional() });
const state = z.enum(["Sent", "Lost"]);
const fields = { name: z.string(), weight: z.number().exactOptional(), stops: z.array(stop), state };
const { weight: _weight, ...withoutWeight } = fields;

test("a schema with the fields of its type compiles, and is returned unchanged", () => {
  const parcel = z.strictObject(fields);
  expect(schemaOf<Parcel>()(parcel)).toBe(parcel);
});

test("a schema that differs from its type does not compile", () => {
  const parcel = schemaOf<Parcel>();
  // @ts-expect-error An optional field is missing.
  parcel(z.strictObject(withoutWeight));
  // @ts-expect-error The type has no such optional field.
  parcel(z.strictObject({ ...fields, colour: z.string().exactOptional() }));
  // @ts-expect-error The field is required.
  parcel(z.strictObject({ ...fields, name: z.string().exactOptional() }));
  // @ts-expect-error The field is optional.
  parcel(z.strictObject({ ...fields, weight: z.number() }));
  // @ts-expect-error An optional field is missing in the items of a list.
  parcel(z.strictObject({ ...fields, stops: z.array(stop.omit({ at: true })) }));
  // @ts-expect-error One word is missing.
  parcel(z.strictObject({ ...fields, state: z.literal("Sent") }));
  // @ts-expect-error The type does not know this word.
  parcel(z.strictObject({ ...fields, state: z.enum(["Sent", "Lost", "Found"]) }));
  // @ts-expect-error Another type.
  parcel(z.strictObject({ ...fields, name: z.number() }));
});
