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

test.each<{ name: string; before: object; after: object; owned: object; want: object | undefined }>([
  {
    name: "a field, and no other one",
    before: { a: 1, b: { c: 1 } },
    after: { b: { c: 2 } },
    owned: { ".": {}, "f:a": {}, "f:b": { "f:c": {} } },
    want: { ".": {}, "f:b": { "f:c": {} } },
  },
  {
    name: "a field of an item, which is found by its key",
    before: { list: [{ ...web, limits: { cpu: "1" } }, side] },
    after: { list: [side, web] },
    owned: { "f:list": { 'k:{"name":"side"}': NAMED, 'k:{"name":"web"}': { ...NAMED, "f:limits": { "f:cpu": {} } } } },
    want: { "f:list": { 'k:{"name":"side"}': NAMED, 'k:{"name":"web"}': NAMED } },
  },
  {
    name: "an item of a set",
    before: { list: ["a", "b"], x: 1 },
    after: { list: ["a"], x: 1 },
    owned: { "f:list": { 'v:"a"': {}, 'v:"b"': {} }, "f:x": {} },
    want: { "f:list": { 'v:"a"': {} }, "f:x": {} },
  },
  {
    name: "a whole list",
    before: { args: ["a", "b"] },
    after: { x: 1 },
    owned: { "f:args": {}, "f:x": {} },
    want: { "f:x": {} },
  },
  {
    name: "nothing where an item only moved, or has another value",
    before: { list: ["a", "b"], x: 1 },
    after: { list: ["b", "a"], x: 2 },
    owned: { "f:list": { 'v:"a"': {}, 'v:"b"': {} }, "f:x": {} },
    want: undefined,
  },
  {
    name: "nothing within a value that became another sort of value",
    before: { a: { b: 1 }, list: ["a"] },
    after: { a: ["b"], list: { 0: "a" } },
    owned: { "f:a": { "f:b": {} }, "f:list": { 'v:"a"': {} } },
    want: undefined,
  },
])("gives up $name", ({ before, after, owned, want }) => {
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
