import { describe, expect, test } from "vitest";
import { DELETION_POLICY_ANNOTATION, HASH_ANNOTATION, hashOf, OBJECT_ANNOTATION } from "../apis/index.ts";
import { mark, type Marking, ownerRefOf, ownerText, policyOf, reowned } from "./marks.ts";
import { app, other } from "./testdata/builders.ts";

const service = { apiVersion: "v1", kind: "Service", metadata: { name: "nginx-demo", namespace: "default" } };
const marking: Marking = { hubId: "hub-uid", ownerText: ownerText(ownerRefOf(app())), policy: "Delete" };

describe("the marks of a member object", () => {
  test("name the member object itself", () => {
    const { object } = mark(service, "rendered", marking);
    expect(object.metadata.annotations).toHaveProperty([OBJECT_ANNOTATION], "/Service/default/nginx-demo");
    const elsewhere = mark({ ...service, metadata: { name: "nginx-demo" } }, "rendered", marking);
    expect(elsewhere.object.metadata.annotations).toHaveProperty([OBJECT_ANNOTATION], "/Service//nginx-demo");
  });

  test("say when the copy is to be left, under the hash", () => {
    const [kept, left] = [
      mark(service, "rendered", marking),
      mark(service, "rendered", { ...marking, policy: "Orphan" }),
    ];
    expect(kept.object.metadata.annotations).not.toHaveProperty([DELETION_POLICY_ANNOTATION]);
    expect(left.object.metadata.annotations).toHaveProperty([DELETION_POLICY_ANNOTATION], "Orphan");
    expect([policyOf(kept.object), policyOf(left.object)]).toEqual([undefined, "Orphan"]);
    expect(kept.hash).not.toBe(left.hash);
  });

  test.each(["Delete", "Orphan"] as const)("for another owner are what that one's own would be: %s", (policy) => {
    const theirs = mark(service, "dependency", { ...marking, ownerText: ownerText(other), policy });
    for (const ours of [marking, { ...marking, policy: "Orphan" as const }]) {
      const { object, hash } = reowned(mark(service, "dependency", ours).object, other, policy);
      expect(object).toEqual(theirs.object);
      expect(hash).toBe(theirs.hash);
    }
  });

  test("are all under the hash, but for the hash itself", () => {
    const { object, hash } = mark(service, "rendered", marking);
    const { [HASH_ANNOTATION]: written, ...annotations } = object.metadata.annotations ?? {};
    expect(written).toBe(hash);
    expect(hashOf({ ...object, metadata: { ...object.metadata, annotations } })).toBe(hash);
  });
});
