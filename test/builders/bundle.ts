import { FEDERATION_API_VERSION, type KubeObject } from "../../src/apis/index.ts";

/** The parts of an operator, and a bundle of them. */

export function bundle(name: string, manifests: readonly KubeObject[], metadata: object = {}): KubeObject {
  return {
    apiVersion: FEDERATION_API_VERSION,
    kind: "ManifestBundle",
    metadata: { name, namespace: "default", ...metadata },
    spec: { manifests },
  };
}

/** `widgets.example.com`, of kind Widget. */
export function definition(plural = "widgets", kind = "Widget", scope = "Namespaced"): KubeObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: "example.com",
      scope,
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
            },
          },
        },
      ],
    },
  };
}

/** The same definition with no version in service. */
export function notServed(definition: KubeObject): KubeObject {
  const { versions, ...spec } = definition["spec"] as { versions: object[] };
  return { ...definition, spec: { ...spec, versions: versions.map((version) => ({ ...version, served: false })) } };
}

export function widget(name: string, metadata: object = {}): KubeObject {
  return { apiVersion: "example.com/v1", kind: "Widget", metadata: { name, ...metadata }, spec: { size: 1 } };
}

export function serviceAccount(name: string): KubeObject {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: { name } };
}

export function clusterRole(name: string): KubeObject {
  const rules = [{ apiGroups: ["example.com"], resources: ["widgets"], verbs: ["get", "list", "watch"] }];
  return { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name }, rules };
}

/** A Deployment of one pod that runs as that service account. */
export function operator(name: string, account = name, metadata: object = {}): KubeObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, ...metadata },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { serviceAccountName: account, containers: [{ name, image: "operator:1" }] },
      },
    },
  };
}
