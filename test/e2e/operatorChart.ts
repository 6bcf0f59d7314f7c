import { stringify } from "yaml";
import { MYSQL_CRD } from "./mysqlOperator.ts";

/** What `helm template mysql-operator CHART --include-crds --namespace NAMESPACE` prints of a chart as operators have it. */
export function renderedOperator(namespace: string, crds: readonly object[] = [MYSQL_CRD]): string {
  const labels = {
    "app.kubernetes.io/name": "mysql-operator",
    "app.kubernetes.io/instance": "mysql-operator",
    "app.kubernetes.io/managed-by": "Helm",
    "helm.sh/chart": "mysql-operator-0.6.3",
  };
  const selector = { "app.kubernetes.io/name": "mysql-operator", "app.kubernetes.io/instance": "mysql-operator" };
  const named = (more: object = {}) => ({ metadata: { name: "mysql-operator", ...more, labels } });
  const here = named({ namespace });
  const rbac = "rbac.authorization.k8s.io";
  const objects = {
    ...Object.fromEntries(crds.map((crd, index) => [`crds/${index}.yaml`, crd])),
    "templates/serviceaccount.yaml": { apiVersion: "v1", kind: "ServiceAccount", ...here },
    "templates/configmap.yaml": { apiVersion: "v1", kind: "ConfigMap", ...here, data: { "orc.conf.json": "{}" } },
    "templates/clusterrole.yaml": {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRole",
      ...named(),
      rules: [
        { apiGroups: ["mysql.presslabs.org"], resources: ["*"], verbs: ["*"] },
        { apiGroups: ["apps"], resources: ["statefulsets"], verbs: ["get", "list", "watch", "create", "patch"] },
      ],
    },
    "templates/clusterrolebinding.yaml": {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRoleBinding",
      ...named(),
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "mysql-operator" },
      subjects: [{ kind: "ServiceAccount", name: "mysql-operator", namespace }],
    },
    "templates/service.yaml": {
      apiVersion: "v1",
      kind: "Service",
      ...here,
      spec: { selector, ports: [{ name: "http", port: 80, protocol: "TCP", targetPort: 8080 }] },
    },
    "templates/deployment.yaml": {
      apiVersion: "apps/v1",
      kind: "Deployment",
      ...here,
      spec: {
        replicas: 1,
        selector: { matchLabels: selector },
        template: {
          metadata: { labels: selector },
          spec: {
            serviceAccountName: "mysql-operator",
            containers: [{ name: "operator", image: "docker.io/bitpoke/mysql-operator:v0.6.3" }],
          },
        },
      },
    },
  };
  return Object.entries(objects)
    .map(([source, object]) => `---\n# Source: mysql-operator/${source}\n${stringify(object)}`)
    .join("");
}
