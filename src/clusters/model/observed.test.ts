import { describe, expect, test } from "vitest";
import {
  DELETION_POLICY_ANNOTATION,
  type FieldsV1,
  HASH_ANNOTATION,
  type KubeObject,
  MANAGED_BY_LABEL,
  type ManagedFieldsEntry,
  OBJECT_ANNOTATION,
  type ObjectMeta,
  OWNER_ANNOTATION,
  POD_SECURITY_ANNOTATION,
  refKey,
} from "../../apis/index.ts";
import { observe, observeAnswer, ownerOf } from "./observed.ts";
import { CONFIG_REF, OWNER } from "../testing/builders.ts";

const NAME = refKey(CONFIG_REF);
const ANOTHER = refKey({ ...CONFIG_REF, name: "another" });
const MARKS = [OWNER_ANNOTATION, OBJECT_ANNOTATION, HASH_ANNOTATION];
const CREATED_FOR = "federation.paas.cmft.com/created-for";

function object(kind: string, more: object = {}, metadata: Partial<ObjectMeta> = {}): KubeObject {
  return { apiVersion: "v1", kind, metadata: { name: "shop", namespace: "default", ...metadata }, ...more };
}

/** Field manager's entry that owns these annotations. */
function owning(annotations: readonly string[], more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry {
  const owned: FieldsV1 = Object.fromEntries(annotations.map((annotation) => [`f:${annotation}`, {}]));
  const fieldsV1 = { "f:metadata": { "f:annotations": owned } };
  return { manager: "meridian", operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1, ...more };
}

/** ConfigMap with our label that names this object. */
function marked(named: string | undefined, managedFields?: ManagedFieldsEntry[]): KubeObject {
  return object(
    "ConfigMap",
    {},
    {
      uid: "member-1",
      labels: { [MANAGED_BY_LABEL]: "hub" },
      annotations: {
        [OWNER_ANNOTATION]: JSON.stringify(OWNER),
        [HASH_ANNOTATION]: "h1",
        ...(named === undefined ? {} : { [OBJECT_ANNOTATION]: named }),
      },
      ...(managedFields === undefined ? {} : { managedFields }),
    },
  );
}

describe("an object with our label is", () => {
  const updated = { operation: "Update" } as const;
  test.each<[string, KubeObject, isOurs: boolean, proven: boolean]>([
    ["ours when we applied its own name", marked(NAME, [owning(MARKS)]), true, true],
    ["foreign when it names another object", marked(ANOTHER, [owning(MARKS, { manager: "kubectl" })]), false, false],
    ["foreign when it was copied with managedFields", marked(ANOTHER, [owning(MARKS)]), false, false],
    ["unproven when another manager restored it", marked(NAME, [owning(MARKS, { manager: "velero" })]), true, false],
    ["unproven without managedFields", marked(NAME), true, false],
    ["unproven with our Update entry alone", marked(NAME, [owning(MARKS, updated)]), true, false],
    ["unproven with a subresource entry", marked(NAME, [owning(MARKS, { subresource: "status" })]), true, false],
    ["unproven when the owner was overwritten", marked(NAME, [owning(MARKS.slice(1))]), true, false],
    ["ours when an earlier version applied it", marked(undefined, [owning([OWNER_ANNOTATION])]), true, true],
    ["foreign when it has no name and we did not apply it", marked(undefined, [owning(MARKS, updated)]), false, false],
    ["ours when another manager overwrote the name", marked(ANOTHER, [owning([OWNER_ANNOTATION])]), true, true],
    ["ours when the name was stripped", marked(undefined, [owning(MARKS)]), true, true],
  ])("%s", (_, live, isOurs, proven) => expect(observe(live)).toMatchObject({ isOurs, proven }));

  test.each<[string, annotation: string | undefined, manager: string | undefined, isOurs: boolean]>([
    ["a foreign namespace without our annotation", undefined, undefined, false],
    ["our namespace with its own name", "team", undefined, true],
    ["a foreign copy of our namespace", "other", undefined, false],
    ["our namespace from an earlier version", "federated-objects", "meridian", true],
    ["a foreign copy of such a namespace", "federated-objects", "kubectl", false],
  ])("%s", (_, annotation, manager, isOurs) => {
    const metadata = {
      name: "team",
      ...(annotation === undefined ? {} : { annotations: { [CREATED_FOR]: annotation } }),
      ...(manager === undefined ? {} : { managedFields: [{ manager, operation: "Update" as const }] }),
    };
    expect(observe({ apiVersion: "v1", kind: "Namespace", metadata })).toMatchObject({ isOurs, proven: isOurs });
  });
});

describe("the observation of an object holds", () => {
  test("its name, UID, versions and deletion", () => {
    const metadata = { uid: "u", resourceVersion: "7", creationTimestamp: "2026-01-01T00:00:00Z" };
    const common = {
      ref: CONFIG_REF,
      uid: "u",
      resourceVersion: "7",
      createdAt: "2026-01-01T00:00:00Z",
      visible: true,
    };
    expect(observe(object("ConfigMap", {}, metadata))).toMatchObject({ ...common, deleting: false });
    const deleting = { ...metadata, deletionTimestamp: "2026-01-02T00:00:00Z" };
    expect(observe(object("ConfigMap", {}, deleting))).toMatchObject({ ...common, deleting: true });
    expect(observe(object("ConfigMap"))).toMatchObject({ uid: "", resourceVersion: "", createdAt: undefined });
  });

  test.each([
    ["ConfigMap", true, true],
    ["Secret", true, true],
    ["Secret", false, false],
    ["Service", true, false],
  ])("for a %s with immutable: %j that its content is immutable: %s", (kind, immutable, want) =>
    expect(observe(object(kind, { immutable })).immutable).toBe(want),
  );

  test.each([
    ["Secret", "Opaque", "Opaque"],
    ["Secret", 5, undefined],
    ["Service", "ClusterIP", undefined],
  ])("for a %s of type %j the Secret's type %j", (kind, type, want) =>
    expect(observe(object(kind, { type })).secretType).toBe(want),
  );

  test.each([
    [{}, undefined],
    [{ [DELETION_POLICY_ANNOTATION]: "Orphan" }, "Orphan"],
    [{ [DELETION_POLICY_ANNOTATION]: "anything" }, undefined],
  ])("for the annotations %j the policy %j", (annotations, want) =>
    expect(observe(object("ConfigMap", {}, { annotations })).policy).toBe(want),
  );

  test("the Pod Security labels of a namespace, and no live namespace", () => {
    const namespace = observe(object("Namespace", {}, { annotations: { [POD_SECURITY_ANNOTATION]: '{"a":"b"}' } }));
    expect(namespace).toMatchObject({ podSecurity: '{"a":"b"}', evidence: { live: undefined } });
    expect(observe(object("Namespace", {}, { annotations: {} }))).not.toHaveProperty("podSecurity");
    expect(observe(object("ConfigMap")).evidence.live).toMatchObject({ kind: "ConfigMap" });
  });

  test("the finalizers of an object that is being deleted, five at most", () => {
    const held = (metadata: object) => observe(object("ConfigMap", {}, metadata)).finalizers;
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    expect(held({ deletionTimestamp, finalizers: ["example.com/hold"] })).toEqual(["example.com/hold"]);
    const long = Array.from({ length: 9 }, () => "f".repeat(300));
    expect(held({ deletionTimestamp, finalizers: long })).toEqual(
      Array.from({ length: 5 }, () => `${"f".repeat(252)}…`),
    );
    expect([held({ deletionTimestamp }), held({ finalizers: ["example.com/hold"] })]).toEqual([undefined, undefined]);
  });

  test("the pod selector of an unhealthy workload", () => {
    const spec = { replicas: 2, selector: { matchLabels: { app: "shop" } } };
    const ready = { observedGeneration: 1, replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 };
    const deployment = (status: object): KubeObject => ({
      ...object("Deployment", { spec, status }, { generation: 1 }),
      apiVersion: "apps/v1",
    });
    expect(observe(deployment(ready))).toMatchObject({ health: { state: "Available" }, podSelector: undefined });
    expect(observe(deployment({ ...ready, readyReplicas: 0, availableReplicas: 0 })).podSelector).toBe("app=shop");
  });

  test("the replica counts at the paths of the scale subresource", () => {
    const status = { ready: 2, conditions: [{ type: "Ready", status: "True" }] };
    const database = { ...object("Database", { spec: { nodes: 3 }, status }), apiVersion: "db.example.com/v1" };
    const scale = { spec: ["spec", "nodes"], status: ["status", "ready"] };
    const counted = { state: "Available", replicas: { desired: 3, updated: 2, ready: 2, available: 2 } };
    expect(observe(database, { scale }).health).toEqual(counted);
    expect(observeAnswer(database, "hub", { scale }).health).toEqual(counted);
    expect(observe(database).health.replicas).toBeUndefined();
  });
});

describe("the answer to our own write", () => {
  const answer = marked(NAME, [owning(MARKS)]);

  test("with our marks is observed as the watch would", () =>
    expect(observeAnswer(answer, "hub")).toEqual(observe(answer)));

  test.each<[string, Partial<ObjectMeta>]>([
    ["labels", { labels: {} }],
    ["hub", { labels: { [MANAGED_BY_LABEL]: "another" } }],
    ["name", { annotations: { [OBJECT_ANNOTATION]: ANOTHER } }],
  ])("with other %s is ours although no watch shows it", (_, change) => {
    const changed = { ...answer, metadata: { ...answer.metadata, ...change } };
    const want = { uid: "member-1", isOurs: true, proven: true, visible: false };
    expect(observeAnswer(changed, "hub")).toMatchObject(want);
  });

  test("without any labels is not shown by a watch", () =>
    expect(observeAnswer(object("ConfigMap"), "hub").visible).toBe(false));
});

describe("the owner annotation", () => {
  const named = (text?: string) =>
    ownerOf(object("ConfigMap", {}, text === undefined ? {} : { annotations: { [OWNER_ANNOTATION]: text } }));

  test("names the hub object; an earlier version left out the apiVersion", () => {
    expect(named(JSON.stringify(OWNER))).toEqual(OWNER);
    const { apiVersion: _, ...old } = OWNER;
    expect(named(JSON.stringify(old))).toEqual({ ...OWNER, apiVersion: "" });
  });

  test.each([
    ...[undefined, "{", "null", "5", "{}", '{"kind":"A","name":"b"}', '{"name":"b","uid":"c"}'],
    ...['{"kind":"A","uid":"c"}', '{"kind":1,"name":"b","uid":"c"}'],
  ])("names nobody with the text %j", (text) => expect(named(text)).toBeUndefined());
});
