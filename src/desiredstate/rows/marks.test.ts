import { describe, expect, test } from "vitest";
import {
  DELETION_POLICY_ANNOTATION,
  HASH_ANNOTATION,
  hashOf,
  type KubeObject,
  OBJECT_ANNOTATION,
} from "../../apis/index.ts";
import { app, other } from "../testing/builders.ts";
import {
  expectedOf,
  mark,
  type Marking,
  ownerRefOf,
  ownerText,
  reowned,
  withControllerReference,
  withDependenciesHash,
} from "./marks.ts";

const claim: KubeObject = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data", namespace: "default", labels: { a: "1" }, annotations: { b: "2" } },
  spec: { c: 3 },
};
const config: KubeObject = { ...claim, kind: "ConfigMap" };
const marking: Marking = { hubId: "hub-uid", ownerText: "owner", policy: "Delete" };
const service = { apiVersion: "v1", kind: "Service", metadata: { name: "nginx-demo", namespace: "default" } };
const annotations = ({ object }: { object: KubeObject }) => object.metadata.annotations;

test("a claim that goes along says itself that it stays, and one that is placed for itself does not", () => {
  const stays = (object: KubeObject, role: "rendered" | "dependency") =>
    annotations(mark(object, role, marking))?.[DELETION_POLICY_ANNOTATION];
  expect([stays(claim, "dependency"), stays(claim, "rendered"), stays(config, "dependency")]).toEqual([
    "Orphan",
    undefined,
    undefined,
  ]);
  expect(stays({ ...claim, apiVersion: "example.com/v1" }, "dependency")).toBeUndefined();
});

test("the name is expected where the live object names anything, or is not asked to", () => {
  const desired = mark(config, "rendered", marking).object;
  const live = (given?: Record<string, string>): KubeObject => {
    const { annotations: _, ...metadata } = config.metadata;
    return { ...config, metadata: given === undefined ? metadata : { ...metadata, annotations: given } };
  };
  expect(expectedOf(desired, live({ [OBJECT_ANNOTATION]: "another" }))).toBe(desired);
  const { [OBJECT_ANNOTATION]: _, ...unnamed } = desired.metadata.annotations ?? {};
  for (const one of [live(), live({ b: "2" })])
    expect(expectedOf(desired, one)).toStrictEqual({
      ...desired,
      metadata: { ...desired.metadata, annotations: unnamed },
    });
});

describe("the marks of a member object", () => {
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
});

describe("the hash of what pods read", () => {
  const annotations = { "federation.paas.cmft.com/dependencies-hash": "h" };
  const deployment = (spec: unknown) => ({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "x" }, spec });

  test.each<[string, unknown, unknown]>([
    ["where there are none", { spec: {} }, { spec: {}, metadata: { annotations } }],
    ["in place of what is no map", { metadata: null }, { metadata: { annotations } }],
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
