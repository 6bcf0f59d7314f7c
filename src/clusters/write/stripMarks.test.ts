import { expect, test } from "vitest";
import { HASH_ANNOTATION, MANAGED_BY_LABEL, type ObjectMeta, OWNER_ANNOTATION } from "../../apis/index.ts";
import { OWNER } from "../testing/builders.ts";
import { marksPatch } from "./stripMarks.ts";

const theirs = { manager: "kubectl", operation: "Apply", fieldsV1: { "f:data": {} } } as const;
const ours = { manager: "meridian", operation: "Apply", fieldsV1: { "f:metadata": {} } } as const;
const referenceTo = (uid: string) => ({ apiVersion: "v1", kind: "Any", name: uid, uid });

const patchOf = (metadata: Partial<ObjectMeta>): object | undefined =>
  marksPatch({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "shop", uid: "u1", resourceVersion: "7", ...metadata },
  });

test("the patch removes what Meridian set, and nothing else", () => {
  const patch = patchOf({
    labels: { app: "shop", [MANAGED_BY_LABEL]: "hub" },
    annotations: { note: "x", [OWNER_ANNOTATION]: JSON.stringify(OWNER), [HASH_ANNOTATION]: "h" },
    ownerReferences: [referenceTo(OWNER.uid), referenceTo("other")],
    managedFields: [theirs, ours, { ...ours, operation: "Update" }],
  });
  expect(patch).toEqual({
    metadata: {
      uid: "u1",
      resourceVersion: "7",
      labels: { [MANAGED_BY_LABEL]: null },
      annotations: { [OWNER_ANNOTATION]: null, [HASH_ANNOTATION]: null },
      ownerReferences: [referenceTo("other")],
      managedFields: [theirs],
    },
  });
});

// The server ignores an empty list.
test("the patch clears managedFields with an empty entry if Meridian was the only owner", () => {
  expect(patchOf({ managedFields: [ours] })).toMatchObject({ metadata: { managedFields: [{}] } });
});

test.each<Partial<ObjectMeta>>([
  {},
  { labels: { app: "shop" }, annotations: { a: "b" }, managedFields: [theirs] },
  { ownerReferences: [referenceTo("x")] },
])("an object without our marks needs no patch: %#", (metadata) => expect(patchOf(metadata)).toBeUndefined());
