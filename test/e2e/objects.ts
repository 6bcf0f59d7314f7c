import type { KubeObject } from "../../src/apis/index.ts";

/** Kubernetes' own kinds, as far as the tests look at them. */

export interface Container {
  name: string;
  image: string;
  command?: string[];
  args?: string[];
  env?: { name: string; value?: string }[];
  envFrom?: unknown[];
}

export interface Deployment extends KubeObject {
  spec: {
    replicas: number;
    selector: { matchLabels: Record<string, string> };
    template: {
      metadata: { labels?: Record<string, string>; annotations?: Record<string, string> };
      spec: { containers: [Container, ...Container[]]; terminationGracePeriodSeconds?: number };
    };
  };
  status?: {
    observedGeneration?: number;
    replicas?: number;
    updatedReplicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
  };
}

export interface Service extends KubeObject {
  spec: {
    type: string;
    selector: Record<string, string>;
    ports: { name?: string; port: number; targetPort: number | string; nodePort?: number }[];
  };
}

export interface DataObject extends KubeObject {
  data?: Record<string, string>;
}

export interface Event extends KubeObject {
  regarding: { kind: string; namespace?: string; name: string };
  type: string;
  reason: string;
  action: string;
  note: string;
}

const COLLECTIONS: Record<string, { prefix: string; plural: string; namespaced: boolean }> = {
  DemoApplication: { prefix: "/apis/paas.cmft.com/v1", plural: "demoapplications", namespaced: true },
  MemberCluster: { prefix: "/apis/federation.paas.cmft.com/v1alpha1", plural: "memberclusters", namespaced: false },
  Placement: { prefix: "/apis/federation.paas.cmft.com/v1alpha1", plural: "placements", namespaced: true },
  ClusterPlacement: {
    prefix: "/apis/federation.paas.cmft.com/v1alpha1",
    plural: "clusterplacements",
    namespaced: false,
  },
  OverridePolicy: { prefix: "/apis/federation.paas.cmft.com/v1alpha1", plural: "overridepolicies", namespaced: true },
  ClusterOverridePolicy: {
    prefix: "/apis/federation.paas.cmft.com/v1alpha1",
    plural: "clusteroverridepolicies",
    namespaced: false,
  },
  ManifestBundle: { prefix: "/apis/federation.paas.cmft.com/v1alpha1", plural: "manifestbundles", namespaced: true },
  ResourceBinding: { prefix: "/apis/federation.paas.cmft.com/v1alpha1", plural: "resourcebindings", namespaced: true },
  ClusterResourceBinding: {
    prefix: "/apis/federation.paas.cmft.com/v1alpha1",
    plural: "clusterresourcebindings",
    namespaced: false,
  },
  CustomResourceDefinition: {
    prefix: "/apis/apiextensions.k8s.io/v1",
    plural: "customresourcedefinitions",
    namespaced: false,
  },
  MysqlCluster: { prefix: "/apis/mysql.presslabs.org/v1alpha1", plural: "mysqlclusters", namespaced: true },
  StatefulSet: { prefix: "/apis/apps/v1", plural: "statefulsets", namespaced: true },
  Job: { prefix: "/apis/batch/v1", plural: "jobs", namespaced: true },
  Ingress: { prefix: "/apis/networking.k8s.io/v1", plural: "ingresses", namespaced: true },
  PersistentVolumeClaim: { prefix: "/api/v1", plural: "persistentvolumeclaims", namespaced: true },
  /** Of the definition that bundles of the tests hold. */
  Widget: { prefix: "/apis/example.com/v1", plural: "widgets", namespaced: true },
  Deployment: { prefix: "/apis/apps/v1", plural: "deployments", namespaced: true },
  ReplicaSet: { prefix: "/apis/apps/v1", plural: "replicasets", namespaced: true },
  Lease: { prefix: "/apis/coordination.k8s.io/v1", plural: "leases", namespaced: true },
  Event: { prefix: "/apis/events.k8s.io/v1", plural: "events", namespaced: true },
  Service: { prefix: "/api/v1", plural: "services", namespaced: true },
  Pod: { prefix: "/api/v1", plural: "pods", namespaced: true },
  Secret: { prefix: "/api/v1", plural: "secrets", namespaced: true },
  ConfigMap: { prefix: "/api/v1", plural: "configmaps", namespaced: true },
  ResourceQuota: { prefix: "/api/v1", plural: "resourcequotas", namespaced: true },
  ServiceAccount: { prefix: "/api/v1", plural: "serviceaccounts", namespaced: true },
  Namespace: { prefix: "/api/v1", plural: "namespaces", namespaced: false },
  Role: { prefix: "/apis/rbac.authorization.k8s.io/v1", plural: "roles", namespaced: true },
  RoleBinding: { prefix: "/apis/rbac.authorization.k8s.io/v1", plural: "rolebindings", namespaced: true },
  ClusterRole: { prefix: "/apis/rbac.authorization.k8s.io/v1", plural: "clusterroles", namespaced: false },
  ClusterRoleBinding: {
    prefix: "/apis/rbac.authorization.k8s.io/v1",
    plural: "clusterrolebindings",
    namespaced: false,
  },
  ValidatingAdmissionPolicy: {
    prefix: "/apis/admissionregistration.k8s.io/v1",
    plural: "validatingadmissionpolicies",
    namespaced: false,
  },
  ValidatingAdmissionPolicyBinding: {
    prefix: "/apis/admissionregistration.k8s.io/v1",
    plural: "validatingadmissionpolicybindings",
    namespaced: false,
  },
};

/** Path of a kind's collection: of one namespace, or of all when none is named. */
export function collectionPath(kind: string, namespace?: string): string {
  const collection = COLLECTIONS[kind];
  if (collection === undefined) throw new Error(`the tests do not know the kind ${kind}`);
  const { prefix, plural, namespaced } = collection;
  return namespaced && namespace !== undefined ? `${prefix}/namespaces/${namespace}/${plural}` : `${prefix}/${plural}`;
}

export function objectPath(kind: string, namespace: string | undefined, name: string): string {
  return `${collectionPath(kind, namespace)}/${name}`;
}

export function pathOf(object: { kind: string; metadata: { name: string; namespace?: string } }): string {
  return objectPath(object.kind, object.metadata.namespace, object.metadata.name);
}

/** A Deployment that somebody else made, with the selector that Meridian would choose too. */
export function foreignDeployment(
  namespace: string,
  name: string,
  selector: Record<string, string> = { app: name },
): KubeObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace, labels: { "made-by": "somebody-else" } },
    spec: {
      replicas: 1,
      selector: { matchLabels: selector },
      template: { metadata: { labels: selector }, spec: { containers: [{ name: "old", image: "httpd:2.4" }] } },
    },
  };
}

export function secret(namespace: string, name: string, values: Record<string, string>): DataObject {
  const data = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
  );
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, data };
}

export function configMap(namespace: string, name: string, data: Record<string, string>): DataObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data };
}
