import { defined, printYaml } from "../../apis/index.ts";

export interface KubeconfigContent {
  /** Also of the user and the context. */
  cluster: string;
  server: string;
  caData?: string | undefined;
  tlsServerName?: string | undefined;
  token: string;
  namespace?: string | undefined;
}

/** With one cluster and one bearer token. The text holds a secret. */
export function kubeconfigFor(content: KubeconfigContent): string {
  const { cluster, server, caData, tlsServerName, token, namespace } = content;
  return printYaml({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: cluster,
        cluster: {
          server,
          ...defined({ "tls-server-name": tlsServerName }),
          ...(caData === undefined ? {} : { "certificate-authority-data": Buffer.from(caData).toString("base64") }),
        },
      },
    ],
    users: [{ name: cluster, user: { token } }],
    contexts: [{ name: cluster, context: { cluster, user: cluster, ...defined({ namespace }) } }],
    "current-context": cluster,
  });
}
