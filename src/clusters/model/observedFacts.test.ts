import { describe, expect, test } from "vitest";
import { type KubeObject, type ObjectMeta, OWNER_ANNOTATION, POD_SECURITY_ANNOTATION } from "../../apis/index.ts";
import { observe, observeAnswer, ownerOf } from "./observed.ts";

function object(kind: string, more: object = {}, metadata: Partial<ObjectMeta> = {}): KubeObject {
  return { apiVersion: "v1", kind, metadata: { name: "shop", namespace: "default", ...metadata }, ...more };
}

describe("what is kept of a member object", () => {
  test("is who it is, in which version, how old, and whether it is on its way out", () => {
    const metadata = { uid: "u", resourceVersion: "7", creationTimestamp: "2026-01-01T00:00:00Z" };
    const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "shop" };
    expect(observe(object("ConfigMap", {}, metadata))).toMatchObject({
      ref,
      uid: "u",
      resourceVersion: "7",
      createdAt: "2026-01-01T00:00:00Z",
      deleting: false,
      visible: true,
    });
    expect(observe(object("ConfigMap", {}, { ...metadata, deletionTimestamp: "2026-01-02T00:00:00Z" })).deleting).toBe(
      true,
    );
    expect(observe(object("ConfigMap"))).toMatchObject({ uid: "", resourceVersion: "", createdAt: undefined });
  });

  test.each([
    { kind: "ConfigMap", immutable: true, want: true },
    { kind: "Secret", immutable: true, want: true },
    { kind: "Secret", immutable: false, want: false },
    { kind: "ConfigMap", immutable: "true", want: false },
    { kind: "ConfigMap", immutable: undefined, want: false },
    { kind: "Service", immutable: true, want: false },
  ])(
    "is whether the content of a $kind that says immutable: $immutable can change: $want",
    ({ kind, immutable, want }) => {
      expect(observe(object(kind, { immutable })).immutable).toBe(want);
    },
  );

  test.each([
    { kind: "Secret", type: "Opaque", want: "Opaque" },
    { kind: "Secret", type: 5, want: undefined },
    { kind: "Secret", type: undefined, want: undefined },
    { kind: "Service", type: "ClusterIP", want: undefined },
  ])("is the type of a $kind: $want", ({ kind, type, want }) => {
    expect(observe(object(kind, { type })).secretType).toBe(want);
  });

  test("is which labels a namespace got from the hub's, and not what is in it", () => {
    const namespace = (annotations: Record<string, string>) => observe(object("Namespace", {}, { annotations }));
    expect(namespace({ [POD_SECURITY_ANNOTATION]: '{"a":"b"}' }).podSecurity).toBe('{"a":"b"}');
    expect(namespace({})).not.toHaveProperty("podSecurity");
    expect(observe(object("Namespace"))).not.toHaveProperty("podSecurity");
    expect(namespace({}).evidence.live).toBeUndefined();
    expect(observe(object("ConfigMap")).evidence.live).toMatchObject({ kind: "ConfigMap" });
  });

  test("is which finalizers hold what is being deleted, and no more of them than are told of", () => {
    const held = (metadata: object) => observe(object("ConfigMap", {}, metadata)).finalizers;
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    expect(held({ deletionTimestamp, finalizers: ["example.com/hold"] })).toEqual(["example.com/hold"]);
    expect(held({ deletionTimestamp, finalizers: Array.from({ length: 9 }, () => "f".repeat(300)) })).toEqual(
      Array.from({ length: 5 }, () => `${"f".repeat(252)}…`),
    );
    expect(held({ deletionTimestamp })).toBeUndefined();
    expect(held({ finalizers: ["example.com/hold"] })).toBeUndefined();
  });

  test("is how the pods of a workload that is not healthy are found", () => {
    const spec = { replicas: 2, selector: { matchLabels: { app: "shop" } } };
    const deployment = (status: object): KubeObject => ({
      ...object("Deployment", { spec, status }, { generation: 1 }),
      apiVersion: "apps/v1",
    });
    const ready = { observedGeneration: 1, replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 };
    expect(observe(deployment(ready))).toMatchObject({ health: { state: "Available" }, podSelector: undefined });
    expect(observe(deployment({ ...ready, readyReplicas: 0, availableReplicas: 0 })).podSelector).toBe("app=shop");
  });

  test("of an answer without labels is that no watch shows it", () => {
    expect(observeAnswer(object("ConfigMap"), "hub").visible).toBe(false);
  });
});

describe("the hub object that a member object says it stands for", () => {
  const owner = {
    apiVersion: "paas.cmft.com/v1",
    kind: "DemoApplication",
    namespace: "default",
    name: "shop",
    uid: "u",
  };
  const named = (text?: string) =>
    ownerOf(object("ConfigMap", {}, text === undefined ? {} : { annotations: { [OWNER_ANNOTATION]: text } }));

  test("is read from its annotation", () => {
    expect(named(JSON.stringify(owner))).toEqual(owner);
    const { apiVersion: _, ...old } = owner;
    expect(named(JSON.stringify(old))).toEqual({ ...owner, apiVersion: "" });
  });

  test.each([
    undefined,
    "",
    "{",
    "null",
    "5",
    "{}",
    '{"kind":"A","name":"b"}',
    '{"kind":"A","uid":"c"}',
    '{"name":"b","uid":"c"}',
    '{"kind":1,"name":"b","uid":"c"}',
    '{"kind":"A","name":1,"uid":"c"}',
    '{"kind":"A","name":"b","uid":1}',
  ])("is nobody for %j", (text) => expect(named(text)).toBeUndefined());
});
