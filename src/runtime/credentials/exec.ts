import { defined } from "../../apis/index.ts";
import type { RequestOptions } from "node:https";
import { CredentialsError } from "../core/index.ts";
import type { ClientCertificate, Credentials } from "./types.ts";

/** `users[].user.exec` of a kubeconfig. */
export interface ExecPlugin {
  apiVersion?: string;
  command: string;
  args?: string[];
  env?: { name: string; value: string }[];
  installHint?: string;
  provideClusterInfo?: boolean;
}

/** For a plugin with `provideClusterInfo`. */
export interface ExecCluster {
  server: string;
  caData?: string;
  tlsServerName?: string;
}

interface Given {
  authorization: string | undefined;
  certificate: ClientCertificate | undefined;
}

/** Credentials from a program, which client-node runs and caches by user name: each cluster needs its own instance. */
export function execCredentials(user: string, plugin: ExecPlugin, cluster: ExecCluster): Credentials {
  const described = { name: user, exec: { ...plugin, env: [...(plugin.env ?? []), execInfo(plugin, cluster)] } };
  let source: Promise<{ apply(options: RequestOptions): Promise<void> }> | undefined;
  let running: Promise<Given> | undefined;
  let last: Given = { authorization: undefined, certificate: undefined };

  const load = async (): Promise<{ apply(options: RequestOptions): Promise<void> }> => {
    // Most clusters use no plugin.
    const { ExecAuth } = await import("@kubernetes/client-node/dist/exec_auth.js");
    const auth = new ExecAuth();
    return { apply: (options) => auth.applyAuthentication(described, options) };
  };
  const run = async (): Promise<Given> => {
    const options: RequestOptions = {};
    try {
      source ??= load();
      await (await source).apply(options);
    } catch (error) {
      throw new CredentialsError("Unavailable", explain(plugin, error));
    }
    const header = (options.headers as Record<string, string> | undefined)?.["Authorization"];
    const { cert, key } = options as { cert?: string; key?: string };
    // As in client-go: the request would be anonymous.
    if (header === undefined && (cert === undefined || key === undefined))
      throw new CredentialsError("Unavailable", givesNothing(plugin));
    const same = last.certificate !== undefined && last.certificate.cert === cert && last.certificate.key === key;
    const certificate = same ? last.certificate : cert === undefined || key === undefined ? undefined : { cert, key };
    last = { authorization: header, certificate };
    return last;
  };
  const current = (): Promise<Given> => {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
  return {
    authorization: async () => (await current()).authorization,
    clientCertificate: async () => (await current()).certificate,
    invalidate: (rejected) => {
      if (rejected === last.authorization) source = undefined;
      return true;
    },
  };
}

function execInfo(plugin: ExecPlugin, cluster: ExecCluster): { name: string; value: string } {
  const clusterInfo = {
    server: cluster.server,
    ...(cluster.caData === undefined
      ? {}
      : { "certificate-authority-data": Buffer.from(cluster.caData).toString("base64") }),
    ...defined({ "tls-server-name": cluster.tlsServerName }),
  };
  const info = {
    apiVersion: plugin.apiVersion ?? "client.authentication.k8s.io/v1",
    kind: "ExecCredential",
    spec: { interactive: false, ...(plugin.provideClusterInfo === true ? { cluster: clusterInfo } : {}) },
  };
  return { name: "KUBERNETES_EXEC_INFO", value: JSON.stringify(info) };
}

/** Output and error of the program may contain a secret. */
function explain(plugin: ExecPlugin, error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOENT") {
    const hint = plugin.installHint === undefined ? "" : `: ${plugin.installHint}`;
    return `the credential plugin ${plugin.command} is not installed${hint}`;
  }
  // The output is not JSON, or not an ExecCredential.
  if (error instanceof SyntaxError || error instanceof TypeError) return givesNothing(plugin);
  return `the credential plugin ${plugin.command} failed${code === undefined ? "" : ` (${code})`}; run it by hand to see why`;
}

function givesNothing({ command }: ExecPlugin): string {
  return `the credential plugin ${command} printed no ExecCredential with a token or a client certificate; check its command and args in the kubeconfig`;
}
