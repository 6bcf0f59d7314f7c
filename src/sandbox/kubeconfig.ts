/** Values of a kubeconfig that differ from the administrator's. */
export interface KubeconfigOptions {
  token?: string;
  /** The default namespace of commands. */
  namespace?: string;
  /** The name of cluster and context. */
  name?: string;
}

interface KubeconfigValues extends KubeconfigOptions {
  name: string;
  url: string;
  caPem: string;
  token: string;
}

/** A kubeconfig with one context, as YAML. */
export function kubeconfigOf({ name, url, caPem, token, namespace }: KubeconfigValues): string {
  const text = (value: string) => JSON.stringify(value);
  return [
    "apiVersion: v1",
    "kind: Config",
    "clusters:",
    `- name: ${text(name)}`,
    "  cluster:",
    `    server: ${text(url)}`,
    `    certificate-authority-data: ${Buffer.from(caPem).toString("base64")}`,
    "users:",
    `- name: ${text(`${name}-admin`)}`,
    "  user:",
    `    token: ${text(token)}`,
    "contexts:",
    `- name: ${text(name)}`,
    "  context:",
    `    cluster: ${text(name)}`,
    `    user: ${text(`${name}-admin`)}`,
    ...(namespace === undefined ? [] : [`    namespace: ${text(namespace)}`]),
    `current-context: ${text(name)}`,
    "",
  ].join("\n");
}
