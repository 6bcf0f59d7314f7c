import { expect, test } from "vitest";
import {
  DELETION_POLICY_ANNOTATION,
  HASH_ANNOTATION,
  MANAGED_BY_LABEL,
  OBJECT_ANNOTATION,
  OWNER_ANNOTATION,
  type KubeObject,
} from "../../apis/index.ts";
import { expectedOf, mark, type Marking, ownerText, policyOf, reowned, withControllerReference } from "./marks.ts";
import { other } from "../testing/builders.ts";

const claim: KubeObject = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data", namespace: "default", labels: { a: "1" }, annotations: { b: "2" } },
  spec: { c: 3 },
};
const config: KubeObject = { ...claim, kind: "ConfigMap" };
const marking: Marking = { hubId: "hub-uid", ownerText: "owner", policy: "Delete" };
const annotations = ({ object }: { object: KubeObject }) => object.metadata.annotations;

test("marks stand beside what the object says itself", () => {
  const { ref, role, object, hash } = mark(config, "rendered", marking);
  expect({ ref, role, object }).toStrictEqual({
    ref: { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "data" },
    role: "rendered",
    object: {
      ...config,
      metadata: {
        name: "data",
        namespace: "default",
        labels: { a: "1", [MANAGED_BY_LABEL]: "hub-uid" },
        annotations: {
          b: "2",
          [OWNER_ANNOTATION]: "owner",
          [OBJECT_ANNOTATION]: "/ConfigMap/default/data",
          [HASH_ANNOTATION]: hash,
        },
      },
    },
  });
  expect(hash).toMatch(/^[0-9a-f]+$/);
  expect(config.metadata.annotations).toEqual({ b: "2" });
});

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

test("an object in the name of another keeps all but what names the one before", () => {
  const marked = mark(config, "dependency", { ...marking, policy: "Orphan" });
  const { object, hash } = reowned(marked.object, other, "Delete");
  expect(object).toStrictEqual({
    ...marked.object,
    metadata: {
      ...marked.object.metadata,
      annotations: {
        b: "2",
        [OWNER_ANNOTATION]: ownerText(other),
        [OBJECT_ANNOTATION]: "/ConfigMap/default/data",
        [HASH_ANNOTATION]: hash,
      },
    },
  });
  const bare = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" } };
  const left = reowned(bare, other, "Orphan");
  expect(annotations(left)).toStrictEqual({
    [OWNER_ANNOTATION]: ownerText(other),
    [DELETION_POLICY_ANNOTATION]: "Orphan",
    [OBJECT_ANNOTATION]: "/ConfigMap//x",
    [HASH_ANNOTATION]: left.hash,
  });
});

test("a name that somebody else wrote stays", () => {
  const named = { ...config, metadata: { ...config.metadata, annotations: { [OBJECT_ANNOTATION]: "n" } } };
  expect(annotations(reowned(named, other, "Delete"))?.[OBJECT_ANNOTATION]).toBe("n");
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

test("a policy that nobody knows is no policy", () => {
  const of = (policy: string) =>
    policyOf({ ...config, metadata: { name: "x", annotations: { [DELETION_POLICY_ANNOTATION]: policy } } });
  expect([of("Orphan"), of("Delete"), of("orphan")]).toEqual(["Orphan", undefined, undefined]);
  expect(policyOf({ ...config, metadata: { name: "x" } })).toBeUndefined();
});

test("a controller reference leaves the rest of the object as it is", () => {
  const { metadata, ...rest } = withControllerReference(config, other);
  expect(rest).toEqual({ apiVersion: "v1", kind: "ConfigMap", spec: { c: 3 } });
  expect(metadata).toMatchObject({ name: "data", namespace: "default", labels: { a: "1" } });
});
