import { expect, test } from "vitest";
import type { FieldsV1, ManagedFieldsEntry } from "../../apis/index.ts";
import { withoutGivenUp } from "./givenUp.ts";

const object = (spec: object) => ({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "shop" }, spec });
const entry = (spec: object, more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  manager: "meridian",
  operation: "Apply",
  fieldsV1: { "f:spec": spec as FieldsV1 },
  ...more,
});

const NAMED = { ".": {}, "f:name": {}, "f:image": {} };
const web = { name: "web", image: "nginx" };
const side = { name: "side", image: "envoy" };

test.each<[name: string, before: object, after: object, owned: object, want: object | undefined]>([
  [
    "a field, and no other one",
    { a: 1, b: { c: 1 } },
    { b: { c: 2 } },
    { ".": {}, "f:a": {}, "f:b": { "f:c": {} } },
    { ".": {}, "f:b": { "f:c": {} } },
  ],
  [
    "a field of an item, which is found by its key",
    { list: [{ ...web, limits: { cpu: "1" } }, side] },
    { list: [side, web] },
    { "f:list": { 'k:{"name":"side"}': NAMED, 'k:{"name":"web"}': { ...NAMED, "f:limits": { "f:cpu": {} } } } },
    { "f:list": { 'k:{"name":"side"}': NAMED, 'k:{"name":"web"}': NAMED } },
  ],
  [
    "an item of a set",
    { list: ["a", "b"], x: 1 },
    { list: ["a"], x: 1 },
    { "f:list": { 'v:"a"': {}, 'v:"b"': {} }, "f:x": {} },
    { "f:list": { 'v:"a"': {} }, "f:x": {} },
  ],
  ["a whole list", { args: ["a", "b"] }, { x: 1 }, { "f:args": {}, "f:x": {} }, { "f:x": {} }],
  [
    "nothing where an item only moved, or has another value",
    { list: ["a", "b"], x: 1 },
    { list: ["b", "a"], x: 2 },
    { "f:list": { 'v:"a"': {}, 'v:"b"': {} }, "f:x": {} },
    undefined,
  ],
  [
    "nothing within a value that became another sort of value",
    { a: { b: 1 }, list: ["a"] },
    { a: ["b"], list: { 0: "a" } },
    { "f:a": { "f:b": {} }, "f:list": { 'v:"a"': {} } },
    undefined,
  ],
])("gives up %s", (_name, before, after, owned, want) => {
  const found = withoutGivenUp([entry(owned)], "meridian", object(before), object(after));
  expect(found).toEqual(want === undefined ? undefined : [entry(want)]);
});

test("leaves the entries of others as they are", () => {
  const others: ManagedFieldsEntry[] = [
    entry({ "f:a": {} }, { manager: "hpa" }),
    entry({ "f:a": {} }, { operation: "Update" }),
    entry({ "f:a": {} }, { subresource: "status" }),
    { manager: "meridian", operation: "Apply" },
  ];
  expect(withoutGivenUp(others, "meridian", object({ a: 1 }), object({}))).toBeUndefined();
  const found = withoutGivenUp([...others, entry({ ".": {}, "f:a": {} })], "meridian", object({ a: 1 }), object({}));
  expect(found).toEqual([...others, { ...entry({}), fieldsV1: {} }]);
  others.forEach((other, at) => expect(found?.[at]).toBe(other));
});
