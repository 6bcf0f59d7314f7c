import { describe, expect, test } from "vitest";
import { DELETION_POLICY_ANNOTATION, HASH_ANNOTATION, hashOf, OBJECT_ANNOTATION } from "../../apis/index.ts";
import {
  expectedOf,
  mark,
  type Marking,
  ownerRefOf,
  ownerText,
  policyOf,
  reowned,
  withControllerReference,
  withDependenciesHash,
} from "./marks.ts";
import { app, other } from "../testing/builders.ts";

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

  test("are all under the hash, but for the hash itself and the name", () => {
    const { object, hash } = mark(service, "rendered", marking);
    const { [HASH_ANNOTATION]: written, [OBJECT_ANNOTATION]: _, ...annotations } = object.metadata.annotations ?? {};
    expect(written).toBe(hash);
    expect(hashOf({ ...object, metadata: { ...object.metadata, annotations } })).toBe(hash);
  });
});

test("an object that does not name itself, as an earlier version wrote it, is as good", () => {
  const { object } = mark(service, "rendered", marking);
  const { [OBJECT_ANNOTATION]: _, ...annotations } = object.metadata.annotations ?? {};
  const unnamed = { ...object, metadata: { ...object.metadata, annotations } };
  expect(expectedOf(object, unnamed)).toEqual(unnamed);
  expect(expectedOf(object, object)).toBe(object);
  expect(expectedOf(service, service)).toBe(service);
});

describe("a controller reference", () => {
  const owner = ownerRefOf(app());
  const reference = {
    apiVersion: owner.apiVersion,
    kind: "DemoApplication",
    name: "nginx-demo",
    uid: owner.uid,
    controller: true,
    blockOwnerDeletion: true,
  };

  test("goes onto an object of the owner's namespace, and of any when the owner has none", () => {
    expect(withControllerReference(service, owner).metadata.ownerReferences).toEqual([reference]);
    const { namespace: _namespace, ...cluster } = owner;
    expect(withControllerReference(service, cluster).metadata.ownerReferences).toEqual([reference]);
  });

  test("does not go onto an object of another namespace", () => {
    expect(withControllerReference(service, { ...owner, namespace: "other" })).toBe(service);
  });

  test("of an object that the server has not named a life of has none", () => {
    expect(ownerRefOf({ ...service, metadata: { name: "x" } }).uid).toBe("");
  });
});

describe("the hash of what pods read", () => {
  const annotations = { "federation.paas.cmft.com/dependencies-hash": "h" };
  const deployment = (spec: unknown) => ({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "x" }, spec });

  test.each<[string, unknown, unknown]>([
    [
      "beside other annotations",
      { metadata: { annotations: { a: "1" } } },
      { metadata: { annotations: { a: "1", ...annotations } } },
    ],
    ["where there are none", { spec: {} }, { spec: {}, metadata: { annotations } }],
    ["in place of what is no map", { metadata: null }, { metadata: { annotations } }],
    ["in place of a list", { metadata: [1] }, { metadata: { annotations } }],
  ])("stands on the template %s", (_where, template, want) => {
    expect(withDependenciesHash(deployment({ replicas: 1, template }), "h")["spec"]).toEqual({
      replicas: 1,
      template: want,
    });
  });

  test("stands nowhere without a template, and without a hash", () => {
    expect(withDependenciesHash(service, "h")).toBe(service);
    const object = deployment({});
    expect(withDependenciesHash(object, undefined)).toBe(object);
  });
});
