import type { KubeObject } from "../../../src/apis/index.ts";
import type { ResourceType } from "../../../src/runtime/index.ts";

/** A kind that an operator brings, with pods and Secrets in its spec. */
export const MYSQLCLUSTERS: ResourceType = {
  group: "mysql.presslabs.org",
  version: "v1alpha1",
  kind: "MysqlCluster",
  plural: "mysqlclusters",
  namespaced: true,
};
export const MYSQL = { apiVersion: "mysql.presslabs.org/v1alpha1", kind: "MysqlCluster" };
/** Its definition; the schema takes any field. */
export const MYSQL_KIND: KubeObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "mysqlclusters.mysql.presslabs.org" },
  spec: {
    group: MYSQLCLUSTERS.group,
    names: { kind: MYSQLCLUSTERS.kind, plural: MYSQLCLUSTERS.plural },
    scope: "Namespaced",
    versions: [
      {
        name: MYSQLCLUSTERS.version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};
