import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { placeableKindOf } from "../registry/registry.ts";
import type { Dependency } from "../types.ts";

const object = (apiVersion: string, kind: string, fields: object, metadata: object = {}): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: "x", namespace: "shop", ...metadata },
  ...fields,
});

const dependenciesOf = (one: KubeObject): Dependency[] => {
  const [group = "", version] = one.apiVersion.split("/");
  return placeableKindOf(version === undefined ? "" : group, one.kind).dependencies(one);
};

/** `Kind/name`, with `?` where the object can do without. */
const texts = (one: KubeObject): string[] =>
  dependenciesOf(one).map(({ ref, optional }) => `${ref.kind}/${ref.name}${optional ? "?" : ""}`);

const container = (fields: object): object => ({ name: "web", ...fields });
const pod = (fields: object): object => ({ containers: [container({})], ...fields });
const deployment = (spec: object): KubeObject => object("apps/v1", "Deployment", { spec: { template: { spec } } });

describe("what a pod template refers to", () => {
  test("a change of it restarts no pod that is the user's", () => {
    const spec = pod({ volumes: [{ name: "a", secret: { secretName: "s" } }] });
    expect(dependenciesOf(deployment(spec)).map(({ readByPods }) => readByPods)).toEqual([false]);
  });

  test.prop([fc.anything(), fc.anything()])("no value is too strange", (spec, volumes) => {
    expect(() => texts(deployment(pod({ volumes: [volumes] })))).not.toThrow();
    expect(() => texts(object("apps/v1", "Deployment", { spec }))).not.toThrow();
    expect(() => texts(object("v1", "Pod", { spec }))).not.toThrow();
  });
});

describe("where an object has its pods", () => {
  const spec = pod({ imagePullSecrets: [{ name: "pull" }] });
  const template = { template: { spec } };

  test.each<[string, string, object]>([
    ["apps/v1", "Deployment", { spec: template }],
    ["batch/v1", "CronJob", { spec: { jobTemplate: { spec: template } } }],
    ["v1", "Pod", { spec }],
    ["v1", "PodTemplate", template],
    ["example.com/v1", "Widget", { spec: template }],
  ])("%s %s", (apiVersion, kind, fields) => {
    expect(texts(object(apiVersion, kind, fields))).toEqual(["Secret/pull"]);
  });

  test("a StatefulSet makes its own claims", () => {
    const claims = [{ metadata: { name: "data" }, spec: {} }];
    const volumes = [{ name: "backup", persistentVolumeClaim: { claimName: "backup" } }];
    const set = object("apps/v1", "StatefulSet", {
      spec: { template: { spec: pod({ volumes }) }, volumeClaimTemplates: claims },
    });
    expect(texts(set)).toEqual(["PersistentVolumeClaim/backup"]);
  });

  test("a template of another sort has none", () => {
    const machines = object("cluster.x-k8s.io/v1beta1", "MachineDeployment", {
      spec: { template: { spec: { serviceAccountName: "x", volumes: [{ secret: { secretName: "s" } }] } } },
    });
    expect(texts(machines)).toEqual([]);
  });

  test("what admission on the hub has put into a Pod is none of its needs", () => {
    const managedFields = [
      {
        manager: "kubectl",
        operation: "Update" as const,
        apiVersion: "v1",
        fieldsV1: {
          "f:spec": {
            "f:containers": { 'k:{"name":"web"}': { ".": {}, "f:name": {}, "f:envFrom": {} } },
            "f:imagePullSecrets": { 'k:{"name":"mine"}': {} },
          },
        },
      },
    ];
    const live = object(
      "v1",
      "Pod",
      {
        spec: {
          containers: [container({ envFrom: [{ secretRef: { name: "s" } }] })],
          serviceAccountName: "hubs",
          imagePullSecrets: [{ name: "hubs-pull" }, { name: "mine" }],
        },
      },
      { managedFields },
    );
    expect(texts(live)).toEqual(["Secret/mine", "Secret/s"]);
  });
});

describe("what else refers to something", () => {
  test("an Ingress to the Secrets of its TLS", () => {
    const tls = [{ hosts: ["a"], secretName: "cert" }, { hosts: ["b"] }, { secretName: "other" }];
    expect(texts(object("networking.k8s.io/v1", "Ingress", { spec: { tls } }))).toEqual([
      "Secret/cert",
      "Secret/other",
    ]);
    expect(texts(object("example.com/v1", "Ingress", { spec: { tls } }))).toEqual([]);
  });

  test("a service account to its pull secrets, and never to its tokens", () => {
    const fields = { imagePullSecrets: [{ name: "pull" }], secrets: [{ name: "web-token-abc" }] };
    expect(texts(object("v1", "ServiceAccount", fields))).toEqual(["Secret/pull"]);
  });

  test("an object without a namespace to nothing: it could be meant in any", () => {
    const spec = { template: { spec: pod({ imagePullSecrets: [{ name: "pull" }] }) } };
    expect(texts(object("example.com/v1", "ClusterWidget", { spec }, { namespace: undefined }))).toEqual([]);
  });

  test("an object to what is in its own namespace, whatever it says", () => {
    const spec = pod({ volumes: [{ name: "a", secret: { secretName: "s", namespace: "kube-system" } }] });
    expect(dependenciesOf(deployment(spec)).map(({ ref }) => ref.namespace)).toEqual(["shop"]);
  });
});
