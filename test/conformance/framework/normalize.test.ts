import { describe, expect, test } from "vitest";
import { Normalizer } from "./normalize.ts";

const cause = (reason: string, field: string, message = "wrong") => ({ reason, field, message });

function refusal(message: string, ...causes: object[]): object {
  return { kind: "Status", status: "Failure", reason: "Invalid", code: 422, message, details: { name: "a", causes } };
}

const normal = (value: object): unknown => new Normalizer().of(value);

describe("of a refusal", () => {
  const name = cause("FieldValueInvalid", "metadata.name");
  const type = cause("FieldValueRequired", "spec.type");

  test.each([
    { name: "the words", one: refusal("no", name), other: refusal("never", { ...name, message: "bad" }) },
    { name: "the order of the causes", one: refusal("no", name, type), other: refusal("no", type, name) },
    { name: "a cause that is told twice", one: refusal("no", name, name), other: refusal("no", name) },
  ])("$name may differ", ({ one, other }) => expect(normal(one)).toEqual(normal(other)));

  test.each([
    { name: "that there are words", one: refusal("no", name), other: refusal("", name) },
    { name: "what Meridian reads", one: refusal("field is immutable", name), other: refusal("no", name) },
    { name: "the reason of a cause", one: refusal("no", name), other: refusal("no", { ...name, reason: "Other" }) },
    { name: "the field of a cause", one: refusal("no", name), other: refusal("no", { ...name, field: "spec" }) },
    {
      name: "whose field it is",
      one: refusal("no", cause("FieldManagerConflict", ".spec", 'conflict with "a"')),
      other: refusal("no", cause("FieldManagerConflict", ".spec", 'conflict with "b"')),
    },
  ])("$name counts", ({ one, other }) => expect(normal(one)).not.toEqual(normal(other)));
});
