import {
  HASH_ANNOTATION,
  type KubeObject,
  MANAGED_BY_LABEL,
  OBJECT_ANNOTATION,
  OWNER_ANNOTATION,
} from "../../../src/apis/index.ts";
import type { ResourceType } from "../../../src/runtime/index.ts";

/** A Deployment as somebody else makes it. */
export function deployment(name: string, replicas: number, metadata: Partial<KubeObject["metadata"]> = {}): KubeObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "default", ...metadata },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: "web", image: "httpd:2.4" }] },
      },
    },
  };
}

/** The Deployment `old`, as an application that is gone from the hub has left it on a member. */
export function leftover(hubId: string, namespace = "default"): KubeObject {
  const owner = {
    apiVersion: "paas.cmft.com/v1",
    kind: "DemoApplication",
    namespace,
    name: "old",
    uid: `old-of-${namespace}`,
  };
  return deployment("old", 1, {
    namespace,
    labels: { [MANAGED_BY_LABEL]: hubId },
    annotations: {
      [OWNER_ANNOTATION]: JSON.stringify(owner),
      [OBJECT_ANNOTATION]: `apps/Deployment/${namespace}/old`,
      [HASH_ANNOTATION]: "h",
    },
  });
}

export function configMap(name: string, data: Record<string, string>): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" }, data };
}

/** `data`: encoded. */
export function secret(name: string, data: Record<string, string>): KubeObject {
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "default" }, data };
}

export const JOBS: ResourceType = { group: "batch", version: "v1", kind: "Job", plural: "jobs", namespaced: true };

/** A kind that nobody knew when the member was joined. */
export const BACKUPS: ResourceType = {
  group: "backups.test",
  version: "v1",
  kind: "Backup",
  plural: "backups",
  namespaced: true,
};

/** The definition of a kind that takes any field. */
export function definitionOf({ group, version, kind, plural }: ResourceType, subresources: object = {}): KubeObject {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, plural },
      scope: "Namespaced",
      versions: [{ name: version, served: true, storage: true, schema, subresources }],
    },
  };
}
export const BACKUP_KIND = definitionOf(BACKUPS);

/** A kind that an operator brings, with a status, and with pods and Secrets in its spec. */
export const MYSQLCLUSTERS: ResourceType = {
  group: "mysql.presslabs.org",
  version: "v1alpha1",
  kind: "MysqlCluster",
  plural: "mysqlclusters",
  namespaced: true,
};
export const MYSQL = { apiVersion: "mysql.presslabs.org/v1alpha1", kind: "MysqlCluster" };
export const MYSQL_KIND = definitionOf(MYSQLCLUSTERS, { status: {} });

/** A kind with replicas. */
export const DATABASES: ResourceType = {
  group: "db.test",
  version: "v1",
  kind: "Database",
  plural: "databases",
  namespaced: true,
};
const scaledBy = (specReplicasPath: string) => ({ specReplicasPath, statusReplicasPath: ".status.readyNodes" });
export const DATABASE_KIND = definitionOf(DATABASES, { status: {}, scale: scaledBy(".spec.replicas") });
