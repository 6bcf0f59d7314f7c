import { describe, expect, test } from "vitest";
import {
  HASH_ANNOTATION,
  type KubeObject,
  MANAGED_BY_LABEL,
  type ObjectMeta,
  OWNER_ANNOTATION,
} from "../../apis/index.ts";
import { marksPatch } from "./stripMarks.ts";

const OWNER = {
  apiVersion: "paas.cmft.com/v1",
  kind: "DemoApplication",
  name: "shop",
  namespace: "default",
  uid: "hub-1",
};
const theirs = { manager: "kubectl", operation: "Apply", fieldsV1: { "f:data": {} } } as const;
const ours = { manager: "meridian", operation: "Apply", fieldsV1: { "f:metadata": {} } } as const;

function object(metadata: Partial<ObjectMeta>): KubeObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "shop", uid: "u1", resourceVersion: "7", ...metadata },
  };
}

describe("letting go of a member object", () => {
  test("takes off what Meridian put there, and nothing of anybody else's", () => {
    const patch = marksPatch(
      object({
        labels: { app: "shop", [MANAGED_BY_LABEL]: "hub" },
        annotations: { note: "x", [OWNER_ANNOTATION]: JSON.stringify(OWNER), [HASH_ANNOTATION]: "h" },
        ownerReferences: [
          { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", name: "shop", uid: "hub-1" },
          { apiVersion: "v1", kind: "ConfigMap", name: "other", uid: "other" },
        ],
        managedFields: [theirs, ours, { ...ours, operation: "Update" }],
      }),
    );
    expect(patch).toEqual({
      metadata: {
        uid: "u1",
        resourceVersion: "7",
        labels: { [MANAGED_BY_LABEL]: null },
        annotations: { [OWNER_ANNOTATION]: null, [HASH_ANNOTATION]: null },
        ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "other", uid: "other" }],
        managedFields: [theirs],
      },
    });
  });

  test("leaves nobody as the owner of any field where Meridian was the only one", () => {
    // An empty list would mean: leave as it is.
    expect(marksPatch(object({ managedFields: [ours] }))).toMatchObject({ metadata: { managedFields: [{}] } });
  });

  test.each<{ name: string; metadata: Partial<ObjectMeta> }>([
    { name: "a bare object", metadata: {} },
    { name: "somebody's", metadata: { labels: { app: "shop" }, annotations: { a: "b" }, managedFields: [theirs] } },
    { name: "one whose owner annotation nobody can read", metadata: { ownerReferences: [{ ...OWNER, uid: "x" }] } },
  ])("of $name is nothing to do", ({ metadata }) => expect(marksPatch(object(metadata))).toBeUndefined());
});
