import { describe, expect, test } from "vitest";
import type { FieldsV1, KubeObject, ManagedFieldsEntry } from "../apis/index.ts";
import captured from "./testdata/userFields.json" with { type: "json" };
import { userSetObject } from "./userFields.ts";

// Objects as a real API server returned them; another one took each result by server-side apply.
const cases = captured as unknown as { name: string; live: KubeObject; user: KubeObject }[];
const user = (name: string): KubeObject => userSetObject(cases.find((c) => c.name === name)?.live as KubeObject);

describe("userSetObject", () => {
  test.each(cases)("$name", ({ live, user: want }) => expect(userSetObject(live)).toEqual(want));

  test.each(cases)("leaves nothing of the server's in: $name", ({ live }) => {
    const { metadata, ...rest } = userSetObject(live);
    expect(
      Object.keys(metadata).filter((key) => !["name", "namespace", "labels", "annotations"].includes(key)),
    ).toEqual([]);
    expect(rest).not.toHaveProperty("status");
    expect(JSON.stringify(metadata)).not.toContain("last-applied");
  });

  test("what the hub allocated stays at home", () => {
    const service = user("Service by kubectl create")["spec"] as Record<string, unknown>;
    expect(Object.keys(service)).not.toContain("clusterIP");
    expect(JSON.stringify(service)).not.toContain("nodePort");
    expect(user("PersistentVolumeClaim bound by the controller")).not.toHaveProperty("spec.volumeName");
    expect(user("Job by kubectl create")).not.toHaveProperty("spec.selector");
  });

  test("what a person chose goes along", () => {
    expect(user("headless Service by apply --server-side")).toHaveProperty("spec.clusterIP", "None");
    expect(user("Deployment created and scaled")).toHaveProperty("spec.replicas", 5);
    expect(user("Secret by apply --server-side with stringData")).toMatchObject({
      type: "kubernetes.io/basic-auth",
      data: { username: "dQ==", password: "cA==" },
    });
    expect(user("Secret by kubectl apply with stringData, immutable")).toHaveProperty("immutable", true);
  });

  test("an object of which no ownership is known is taken whole, less what the server sets", () => {
    const live: KubeObject = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name: "a",
        namespace: "n",
        uid: "u",
        resourceVersion: "1",
        labels: { keep: "1", "federation.paas.cmft.com/managed-by": "hub" },
        annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}" },
        finalizers: ["x"],
        ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "q" }],
      },
      data: { a: "1" },
      status: { x: 1 },
    };
    const before = structuredClone(live);
    expect(userSetObject(live)).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a", namespace: "n", labels: { keep: "1" } },
      data: { a: "1" },
    });
    expect(live).toEqual(before);
    expect(userSetObject(userSetObject(live))).toEqual(userSetObject(live));
  });
});

describe("whose fields go along", () => {
  const entry = (manager: string | undefined, fieldsV1: FieldsV1, more: Partial<ManagedFieldsEntry> = {}) => ({
    ...(manager === undefined ? {} : { manager }),
    operation: "Update" as const,
    fieldsV1,
    ...more,
  });
  const owned = (fields: Record<string, unknown>, ...managedFields: ManagedFieldsEntry[]): KubeObject => ({
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "a", managedFields },
    ...fields,
  });
  const rest = (object: KubeObject): object => {
    const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...fields } = userSetObject(object);
    return fields;
  };
  const a: FieldsV1 = { "f:spec": { "f:a": {} } };
  const spec = { a: 1, b: 2 };

  test.each([
    "cloud-controller-manager",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kubelet",
    "meridian",
  ])("not those of %s", (manager) => {
    expect(rest(owned({ spec }, entry("kubectl", a), entry(manager, { "f:spec": { "f:b": {} } })))).toEqual({
      spec: { a: 1 },
    });
  });

  test("not those of a status report, but those of a client without a name", () => {
    expect(rest(owned({ spec }, entry("kubectl", a, { subresource: "status" })))).toEqual({});
    expect(rest(owned({ spec }, entry("kubectl", a, { subresource: "scale" })))).toEqual({ spec: { a: 1 } });
    expect(rest(owned({ spec }, entry(undefined, a)))).toEqual({ spec: { a: 1 } });
  });

  test("an entry without fields holds none, and an empty list of entries says nothing", () => {
    expect(rest(owned({ spec }, { manager: "kubectl", operation: "Update" }))).toEqual({});
    expect(rest(owned({ spec }))).toEqual({ spec });
  });

  test("null and missing fields are none, and the version and the kind are said once", () => {
    const object = owned({ spec: null, x: undefined });
    expect(Object.keys(userSetObject(object))).toEqual(["apiVersion", "kind", "metadata"]);
    expect(userSetObject(object)).toMatchObject({ apiVersion: "example.com/v1", kind: "Widget" });
  });

  test("labels and annotations one by one, and none rather than empty ones", () => {
    const object = owned({}, entry("kubectl", { "f:metadata": { "f:labels": { ".": {}, "f:a": {} } } }));
    Object.assign(object.metadata, { labels: { a: "1", b: "2" }, annotations: { c: "3" } });
    expect(userSetObject(object).metadata).toStrictEqual({ name: "a", labels: { a: "1" } });
  });

  test("what is owned as a whole goes along whole, by whomever", () => {
    const object = owned(
      { spec: { a: { x: 1, y: { z: 2 } }, l: [1, { b: 2 }] } },
      entry("kubectl", { "f:spec": { "f:a": { "f:x": {} }, "f:l": {} } }),
      entry("helm", { "f:spec": { "f:a": {} } }),
    );
    expect(rest(object)).toEqual({ spec: { a: { x: 1, y: { z: 2 } }, l: [1, { b: 2 }] } });
  });

  test("an empty map is not a map that is owned as a whole", () => {
    expect(rest(owned({ spec: { a: { x: 1 } } }, entry("kubectl", { "f:spec": { "f:a": { ".": {} } } })))).toEqual({});
  });

  test("scalars that are null are owned like others", () => {
    const fields: FieldsV1 = { "f:spec": { "f:a": { "f:x": {} } } };
    expect(rest(owned({ spec: { a: null } }, entry("kubectl", fields)))).toEqual({ spec: { a: null } });
    expect(rest(owned({ spec: { a: "text" } }, entry("kubectl", fields)))).toEqual({ spec: { a: "text" } });
  });

  test("items of a list by their key, with the key, whoever set it", () => {
    const ports = [{ port: 80, protocol: "TCP", nodePort: 30080 }, { port: 81 }, "text"];
    const fields: FieldsV1 = { "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:name": {} } } };
    expect(rest(owned({ ports }, entry("kubectl", fields)))).toEqual({ ports: [{ port: 80, protocol: "TCP" }] });
    expect(rest(owned({ ports: [{ port: 82 }] }, entry("kubectl", fields)))).toEqual({});
  });

  test("items of a list by their value or by their place", () => {
    const fields: FieldsV1 = { "f:l": { 'v:"x"': {}, "i:2": {} } };
    expect(rest(owned({ l: ["w", "x", "y"] }, entry("kubectl", fields)))).toEqual({ l: ["x", "y"] });
    expect(rest(owned({ l: ["w"] }, entry("kubectl", fields)))).toEqual({});
  });

  describe("in a Secret or a ConfigMap", () => {
    const core = (kind: string, fields: Record<string, unknown>, fieldsV1: FieldsV1): KubeObject => ({
      ...owned(fields, entry("kubectl", fieldsV1)),
      apiVersion: "v1",
      kind,
    });

    test("the type of a Secret always goes along, that of another kind only when a person set it", () => {
      expect(rest(core("Secret", { type: "example.com/key" }, {}))).toEqual({ type: "example.com/key" });
      expect(rest(core("ConfigMap", { type: "example.com/key" }, {}))).toEqual({});
      expect(rest({ ...core("Secret", { type: "x" }, {}), apiVersion: "example.com/v1" })).toEqual({});
    });

    test.each(["Secret", "ConfigMap"])("whether a %s may be changed goes along", (kind) => {
      expect(rest(core(kind, { immutable: true, other: true }, {}))).toEqual({ immutable: true });
      expect(rest(core("Service", { immutable: true }, {}))).toEqual({});
    });

    test("what was written as text is owned as data, beside what was written as data", () => {
      const data = { a: "MQ==", b: "Mg==", c: "Mw==" };
      const fields: FieldsV1 = { "f:stringData": { "f:a": {} }, "f:data": { "f:b": {} } };
      expect(rest(core("Secret", { data }, fields))).toEqual({ data: { a: "MQ==", b: "Mg==" } });
      expect(rest(core("ConfigMap", { data }, fields))).toEqual({ data: { b: "Mg==" } });
      expect(rest(core("Secret", { data }, { "f:data": { "f:b": {} } }))).toEqual({ data: { b: "Mg==" } });
    });
  });
});
