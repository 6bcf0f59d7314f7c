import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { canonicalJson, type FieldsV1, hashOf, type KubeObject, parseJson } from "../apis/index.ts";
import { renderManifests } from "./bundle/manifests.ts";
import { lostFields } from "./fields/ownership.ts";
import { userSetObject } from "./fields/userFields.ts";

const OURS = "meridian";
const key = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 8 }),
  fc.constantFrom("__proto__", "constructor", "hasOwnProperty", "toString", "", "a.b", "a/b", "~1", "f:a", ".", "k:{}"),
);
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: "grapheme" }),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((integer) => parseJson(String(integer))),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true, false),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map((members) => Object.fromEntries(members)),
  ),
})).value;
const spec = fc
  .array(fc.tuple(key, value), { minLength: 1, maxLength: 4 })
  .map((members) => Object.fromEntries(members));

/** As a server writes down who owns a value without a schema: lists as a whole, maps field by field, an empty map as one field. */
function ownedBy(given: unknown): FieldsV1 {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return {};
  return Object.fromEntries(Object.entries(given).map(([name, member]) => [`f:${name}`, ownedBy(member)]));
}

const object = (given: object, manager: string, operation: "Apply" | "Update"): KubeObject => ({
  apiVersion: "example.com/v1",
  kind: "Doc",
  metadata: {
    name: "doc",
    managedFields: [{ manager, operation, apiVersion: "example.com/v1", fieldsV1: { "f:spec": ownedBy(given) } }],
  },
  spec: given,
});

test.prop([spec])(
  "what a person wrote is what is hashed, and what is sent, and nothing of it counts as lost",
  (given) => {
    const text = canonicalJson(given);
    const onHub = parseJson(JSON.stringify(object(given, "kubectl", "Update"))) as KubeObject;
    const sent = userSetObject(onHub);
    const body = JSON.stringify(sent);
    expect(canonicalJson(sent["spec"])).toBe(text);
    expect(canonicalJson((parseJson(body) as KubeObject)["spec"])).toBe(text);
    expect(hashOf(parseJson(body))).toBe(hashOf(sent));
    const live = object(given, OURS, "Apply");
    expect(lostFields(sent, live.metadata.managedFields ?? [], OURS, live)).toEqual([]);
  },
);

test.prop([spec])("a manifest of a bundle is sent as it was written", (given) => {
  const manifest = { apiVersion: "example.com/v1", kind: "Doc", metadata: { name: "doc" }, spec: given };
  const [sent] = renderManifests({ manifests: [manifest], listed: 1 }, "shop");
  expect(canonicalJson(sent)).toBe(canonicalJson({ ...manifest, metadata: { name: "doc", namespace: "shop" } }));
});
