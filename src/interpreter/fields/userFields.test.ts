import { describe, expect, test } from "vitest";
import type { FieldsV1, KubeObject, ManagedFieldsEntry } from "../../apis/index.ts";
import captured from "../testdata/userFields.json" with { type: "json" };
import { unwrittenFields } from "./unwritten.ts";
import { userSetObject, whyOwnersUnknown } from "./userFields.ts";

// Objects as a real API server returned them; another one took each result by server-side apply.
const cases = captured as unknown as { name: string; live: KubeObject; user: KubeObject }[];

describe("userSetObject", () => {
  test.each(cases)("$name", ({ live, user: want }) => expect(userSetObject(live)).toEqual(want));

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
    "aws-cloud-controller-manager",
    "clusterrole-aggregation-controller",
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

  test.each([
    ["status", false],
    ["binding", false],
    ["ephemeralcontainers", false],
    ["approval", false],
    ["scale", true],
    ["resize", true],
    ["", true],
  ])("what came by the subresource %j: %s", (subresource, goesAlong) => {
    const want = goesAlong ? { spec: { a: 1 } } : {};
    expect(rest(owned({ spec }, entry("anybody", a, { subresource })))).toEqual(want);
  });

  test("replicas of a custom kind go along whoever owns them, also where nobody does", () => {
    const path = ["spec", "nodes", "count"];
    const byHub = entry(
      "kube-controller-manager",
      { "f:spec": { "f:nodes": { "f:count": {} } } },
      { subresource: "scale" },
    );
    const scaled = { spec: { a: 1, nodes: { count: 4, b: 2 } } };
    expect(userSetObject(owned(scaled, entry("kubectl", a), byHub), path)["spec"]).toEqual({
      a: 1,
      nodes: { count: 4 },
    });
    const nobodys = owned(scaled, entry("kubectl", a));
    expect(userSetObject(nobodys, path)["spec"]).toEqual({ a: 1, nodes: { count: 4 } });
    expect(unwrittenFields(nobodys, path)).toEqual({ "f:spec": { "f:nodes": { "f:count": {} } } });
    expect(unwrittenFields(owned(scaled, entry("kubectl", a), byHub), path)).toBeUndefined();
    const other = entry("kubectl", a, { apiVersion: "example.com/v1beta1" });
    expect(userSetObject(owned(scaled, other, byHub), path)["spec"]).toEqual({ a: 1, nodes: { count: 4, b: 2 } });
  });

  test.each([
    ["apps/v1", 4, { a: 1, replicas: 4 }],
    ["apps/v1", 1, { a: 1 }],
    ["example.com/v1", 1, { a: 1, replicas: 1 }],
  ])(
    "replicas that nobody owns go along where they are no default that is known: %s, %i",
    (apiVersion, replicas, want) => {
      const object = { ...owned({ spec: { a: 1, replicas } }, entry("kubectl", a)), apiVersion };
      expect(userSetObject(object, ["spec", "replicas"])["spec"]).toEqual(want);
    },
  );

  test("without a path, a hub's autoscaler keeps what it set at home", () => {
    const replicas: FieldsV1 = { "f:spec": { "f:replicas": {} } };
    const scaled = owned(
      { spec: { replicas: 7, image: "nginx" } },
      entry("kubectl-create", { "f:spec": { "f:image": {} } }),
      entry("kube-controller-manager", replicas, { subresource: "scale" }),
    );
    expect(rest(scaled)).toEqual({ spec: { image: "nginx" } });
  });

  test("what is owned as a whole goes along whole, by whomever", () => {
    const object = owned(
      { spec: { a: { x: 1, y: { z: 2 } }, l: [1, { b: 2 }] } },
      entry("kubectl", { "f:spec": { "f:a": { "f:x": {} }, "f:l": {} } }),
      entry("helm", { "f:spec": { "f:a": {} } }),
    );
    expect(rest(object)).toEqual({ spec: { a: { x: 1, y: { z: 2 } }, l: [1, { b: 2 }] } });
  });

  test("labels and annotations one by one, and none rather than empty ones", () => {
    const object = owned({}, entry("kubectl", { "f:metadata": { "f:labels": { ".": {}, "f:a": {} } } }));
    Object.assign(object.metadata, { labels: { a: "1", b: "2" }, annotations: { c: "3" } });
    expect(userSetObject(object).metadata).toStrictEqual({ name: "a", labels: { a: "1" } });
  });

  test("an empty map is not a map that is owned as a whole", () => {
    expect(rest(owned({ spec: { a: { x: 1 } } }, entry("kubectl", { "f:spec": { "f:a": { ".": {} } } })))).toEqual({});
  });

  describe("empty values of a custom kind, to which the server gives no owner", () => {
    const kubectl = entry("kubectl", { "f:spec": { "f:n": {} } });
    test.each<[name: string, spec: object, want: object, others?: ManagedFieldsEntry[]]>([
      ["a list", { n: 1, keyed: [] }, { n: 1, keyed: [] }],
      ["not beside what the server filled in", { n: 1, a: { set: [], b: "default" } }, { n: 1 }],
      [
        "a list that lost its items",
        { n: 1, l: [] },
        { n: 1, l: [] },
        [entry("helm", { "f:spec": { "f:l": { ".": {} } } })],
      ],
      [
        "not those of a controller of the hub",
        { n: 1, l: [] },
        { n: 1 },
        [entry("kube-controller-manager", { "f:spec": { "f:l": {} } })],
      ],
    ])("%s", (_name, spec, want, others = []) => {
      expect(rest(owned({ spec }, kubectl, ...others))).toEqual({ spec: want });
    });

    test("beside a null that somebody wrote", () => {
      expect(rest(owned({ data: null, list: [] }, entry("kubectl", { "f:data": {} })))).toEqual({
        data: null,
        list: [],
      });
    });

    test("of a built-in kind where somebody owns the field or one that was in it", () => {
      const fields: FieldsV1 = {
        "f:spec": { "f:dns": { "f:options": {} }, "f:disk": { ".": {} }, "f:l": { ".": {} } },
      };
      const spec = { dns: {}, disk: {}, l: [] };
      const object = { ...owned({ spec }, entry("kubectl", fields)), apiVersion: "apps/v1" };
      expect(rest(object)).toEqual({ spec });
    });

    test("but none of a built-in kind, where the server writes them by itself", () => {
      const object = { ...owned({ spec: { n: 1, strategy: {}, l: [] } }, kubectl), apiVersion: "apps/v1" };
      expect(rest(object)).toEqual({ spec: { n: 1 } });
    });
  });

  test("keys that are the name of something else in JavaScript", () => {
    const data = JSON.parse('{"__proto__":"p","constructor":"c","toString":"t"}') as Record<string, string>;
    const fields = Object.fromEntries(Object.keys(data).map((key) => [`f:${key}`, {}]));
    const sent = rest(owned({ data }, entry("kubectl", { "f:data": fields })));
    expect(JSON.stringify(sent)).toBe(JSON.stringify({ data }));
    const other = owned({}, entry("kubectl", { "f:metadata": { "f:annotations": fields } }));
    other.metadata.annotations = data;
    expect(JSON.stringify(userSetObject(other).metadata.annotations)).toBe(JSON.stringify(data));
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

describe("an object that was written in another version than it is read in", () => {
  const entry = (manager: string, apiVersion: string, fieldsV1: FieldsV1): ManagedFieldsEntry => ({
    manager,
    operation: "Update",
    apiVersion,
    fieldsV1,
  });
  const autoscaler = (...managedFields: ManagedFieldsEntry[]): KubeObject => ({
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web", namespace: "shop", labels: { team: "a", made: "by-hub" }, managedFields },
    spec: { maxReplicas: 5, metrics: [{ type: "Resource" }], behavior: { scaleUp: { x: 1 }, chosen: true } },
    status: { currentReplicas: 1 },
  });
  const byV1 = entry("kubectl-create", "autoscaling/v1", {
    "f:metadata": { "f:labels": { "f:team": {} } },
    "f:spec": { "f:maxReplicas": {}, "f:targetCPUUtilizationPercentage": {} },
  });

  test("goes along whole, since its fields had other names", () => {
    expect(userSetObject(autoscaler(byV1))).toEqual({
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "web", namespace: "shop", labels: { team: "a" } },
      spec: { maxReplicas: 5, metrics: [{ type: "Resource" }], behavior: { scaleUp: { x: 1 }, chosen: true } },
    });
  });

  test("less what the hub's controllers own", () => {
    const byHub = entry("kube-controller-manager", "autoscaling/v2", {
      "f:spec": { "f:behavior": { ".": {}, "f:scaleUp": {} } },
    });
    expect(userSetObject(autoscaler(byV1, byHub))["spec"]).toEqual({
      maxReplicas: 5,
      metrics: [{ type: "Resource" }],
      behavior: { chosen: true },
    });
  });

  test("a controller's report in another version changes nothing", () => {
    const byUser = entry("kubectl", "autoscaling/v2", { "f:spec": { "f:maxReplicas": {} } });
    const byHub = entry("kube-controller-manager", "autoscaling/v1", { "f:status": {} });
    expect(userSetObject(autoscaler(byUser, byHub))["spec"]).toEqual({ maxReplicas: 5 });
  });
});

describe("whether anybody knows what a person set", () => {
  const of = (fields: Record<string, unknown>, managedFields?: ManagedFieldsEntry[]): KubeObject => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", ...(managedFields === undefined ? {} : { managedFields }) },
    ...fields,
  });
  const data: FieldsV1 = { "f:data": { ".": {}, "f:a": {} } };
  const entry = (manager: string, fieldsV1: FieldsV1 = data): ManagedFieldsEntry => ({ manager, fieldsV1 });
  const full = { data: { a: "1" } };

  test.each<{ name: string; object: KubeObject; why: string | undefined }>([
    { name: "a person's entry", object: of(full, [entry("kubectl")]), why: undefined },
    { name: "no entries", object: of(full), why: "metadata.managedFields are missing" },
    { name: "an empty list of entries", object: of(full, []), why: "metadata.managedFields are missing" },
    {
      name: "controllers' entries only",
      object: of(full, [entry("kube-controller-manager")]),
      why: "only controllers of the hub have written it",
    },
    {
      name: "Meridian's finalizer is no news of the rest",
      object: of(full, [entry("meridian", { "f:metadata": { "f:finalizers": {} } })]),
      why: "only controllers of the hub have written it",
    },
    {
      name: "a person's entry that says nothing",
      object: of(full, [{ manager: "kubectl" }]),
      why: "only controllers of the hub have written it",
    },
    {
      name: "an object without fields, with Meridian's finalizer and record",
      object: {
        ...of({}, [entry("meridian", { "f:metadata": { "f:finalizers": {} } })]),
        metadata: { name: "a", annotations: { "federation.paas.cmft.com/clusters": "{}" } },
      },
      why: undefined,
    },
    {
      name: "an annotation of which nobody knows whose it is",
      object: { ...of({}), metadata: { name: "a", annotations: { note: "a" } } },
      why: "metadata.managedFields are missing",
    },
    {
      name: "a label of which nobody knows whose it is",
      object: { ...of({}), metadata: { name: "a", labels: { team: "a" } } },
      why: "metadata.managedFields are missing",
    },
    {
      name: "entries that began when the object had fields",
      object: of(full, [
        entry("before-first-apply"),
        entry("kubectl", { "f:metadata": { "f:labels": { "f:x": {} } } }),
      ]),
      why: "metadata.managedFields began late",
    },
    {
      name: "entries that began with a label that nobody has set since",
      object: of({}, [entry("before-first-apply", { "f:metadata": { "f:labels": { ".": {}, "f:x": {} } } })]),
      why: "metadata.managedFields began late",
    },
    {
      name: "the same, and a person owns a part of it only",
      object: of({ data: { a: "1", b: "2" } }, [
        entry("before-first-apply", { "f:data": { ".": {}, "f:a": {}, "f:b": {} } }),
        entry("kubectl"),
      ]),
      why: "metadata.managedFields began late",
    },
    {
      name: "entries that began early, and since then a person has set all of it",
      object: of(full, [
        entry("before-first-apply", {
          ...data,
          "f:metadata": {
            "f:annotations": { ".": {}, "f:kubectl.kubernetes.io/last-applied-configuration": {} },
            "f:labels": { "f:x": {} },
          },
          "f:status": { "f:x": {} },
        }),
        entry("kubectl", { ...data, "f:metadata": { "f:labels": { "f:x": {} } } }),
      ]),
      why: undefined,
    },
    {
      name: "entries that began with the type of a Secret, which is always sent",
      object: {
        ...of({ type: "Opaque" }, [
          entry("before-first-apply", { "f:type": {} }),
          entry("kubectl", { "f:metadata": { "f:labels": { "f:x": {} } } }),
        ]),
        kind: "Secret",
      },
      why: undefined,
    },
  ])("$name: $why", ({ object, why }) => expect(whyOwnersUnknown(object)).toBe(why));
});
