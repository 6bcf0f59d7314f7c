import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { FIELD_MANAGER, MANAGED_BY_LABEL } from "../../apis/index.ts";
import { lostFields, userSetObject, withoutGivenUp } from "../../interpreter/index.ts";
import { DEPLOYMENTS, isTransportError } from "../../runtime/index.ts";
import { eventFrom, storable } from "../../runtime/testing/boundary.ts";
import { observe } from "./observed.ts";
import { row } from "../testing/builders.ts";

const json = fc.jsonValue({ maxDepth: 4 });
const ELEMENTS = [
  "f:metadata",
  "f:spec",
  "f:data",
  "f:key",
  "f:labels",
  ".",
  "v:1",
  "i:0",
  'k:{"name":"a"}',
  "k:",
  "k:5",
];
const elements = fc.oneof(fc.constantFrom(...ELEMENTS, "k:{"), fc.string({ maxLength: 5 }));
const { fields } = fc.letrec((tie) => ({
  fields: fc.oneof({ maxDepth: 4 }, json, fc.dictionary(elements, tie("fields"), { maxKeys: 4 })),
}));
const entry = {
  manager: fc.constantFrom<unknown>(FIELD_MANAGER, "kubectl", 5),
  operation: fc.constantFrom("Apply", "Update"),
  fieldsV1: fields,
};
const entries = fc.array(fc.record(entry, { requiredKeys: [] }), { maxLength: 4 });
const metadata = {
  name: fc.constantFrom<unknown>("a", "b", 5, ""),
  namespace: fc.constantFrom<unknown>("shop", undefined),
  uid: fc.constantFrom<unknown>("u", undefined),
  resourceVersion: fc.constantFrom<unknown>("7", 7),
  labels: fc.oneof(json, fc.constant({ [MANAGED_BY_LABEL]: "hub" })),
  managedFields: fc.oneof(json, entries),
  deletionTimestamp: json,
  annotations: fc.oneof(json, fc.dictionary(fc.string(), fc.string())),
};
const status = fc.record({ conditions: json, replicas: json, readyReplicas: json, observedGeneration: json });
const objects = fc.record(
  {
    metadata: fc.record(metadata, { requiredKeys: ["name", "namespace", "uid", "resourceVersion"] }),
    spec: json,
    status: fc.oneof(json, status),
  },
  { requiredKeys: [] },
);

describe("an object from a member", () => {
  test.prop([fc.oneof(objects, json)], { numRuns: 3_000 })(
    "is refused at the boundary, or can be compared",
    (value) => {
      let object;
      try {
        const event = eventFrom({ type: "ADDED", object: structuredClone(value) }, DEPLOYMENTS, "host");
        if (event.type !== "ADDED") throw new Error("another event");
        object = storable(event.object, DEPLOYMENTS, "shanghai-1");
      } catch (error) {
        expect(isTransportError(error)).toBe(true);
        return;
      }
      const observed = observe(object);
      const { managedFields = [] } = object.metadata;
      expect(observed.ref).toMatchObject({ kind: "Deployment", namespace: "shop" });
      const desired = row().object;
      lostFields(desired, managedFields, FIELD_MANAGER);
      lostFields({ ...desired, spec: { list: [{ name: "a" }, 1], text: "x" } }, managedFields, FIELD_MANAGER);
      withoutGivenUp(managedFields, FIELD_MANAGER, { ...desired, spec: { a: [1] } }, desired);
      userSetObject(object);
    },
  );
});
