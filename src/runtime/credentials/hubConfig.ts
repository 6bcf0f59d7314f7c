import { readFileSync } from "node:fs";
import { delimiter, dirname, resolve } from "node:path";
import { stringify } from "yaml";
import { type Clock, systemClock } from "../clock.ts";
import { CredentialsError } from "../errors.ts";
import { clusterConfigFromKubeconfig, parseKubeconfig } from "./kubeconfig.ts";
import { tokenFileCredentials } from "./providers.ts";
import type { ClusterConfig } from "./types.ts";

export interface HubConfigOptions {
  /** `--kubeconfig`. */
  kubeconfig?: string | undefined;
  /** `--context`. */
  context?: string | undefined;
  /** The environment: KUBECONFIG, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are read. */
  env: Record<string, string | undefined>;
  /** Let the kubeconfig run a credential plugin. */
  allowExec?: boolean | undefined;
  allowInsecure?: boolean | undefined;
  /** Name for messages; default: hub. */
  cluster?: string | undefined;
  /** Where a pod finds its service account. */
  serviceAccountFolder?: string | undefined;
  clock?: Clock | undefined;
}

const SERVICE_ACCOUNT_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * Finds the cluster that a command or the manager is to talk to: the kubeconfig of the flag, else of KUBECONFIG, else the
 * cluster around this pod. Throws {@link CredentialsError} that says what to do when there is none.
 */
export function loadHubConfig(options: HubConfigOptions): ClusterConfig {
  const paths = kubeconfigPaths(options);
  if (paths.length > 0) return fromFiles(paths, options);
  if (options.context !== undefined) {
    throw new CredentialsError(
      "NotConfigured",
      `context ${options.context} was named, but no kubeconfig: give --kubeconfig or set KUBECONFIG`,
    );
  }
  const host = options.env["KUBERNETES_SERVICE_HOST"];
  const port = options.env["KUBERNETES_SERVICE_PORT"];
  if (host === undefined || host === "" || port === undefined || port === "") {
    throw new CredentialsError(
      "NotConfigured",
      "no cluster to talk to: give --kubeconfig FILE, set KUBECONFIG, or run in a pod",
    );
  }
  return inCluster(host, port, options);
}

function kubeconfigPaths(options: HubConfigOptions): string[] {
  if (options.kubeconfig !== undefined) return [options.kubeconfig];
  return (options.env["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "");
}

function fromFiles(paths: string[], options: HubConfigOptions): ClusterConfig {
  const cluster = options.cluster ?? "hub";
  const texts = paths.map((path) => ({ path, text: readKubeconfig(path) }));
  const [only] = texts;
  const text = texts.length === 1 && only !== undefined ? only.text : merge(texts, cluster);
  return clusterConfigFromKubeconfig(text, {
    cluster,
    context: options.context,
    allowExec: options.allowExec,
    allowInsecure: options.allowInsecure,
    allowFiles: { relativeTo: dirname(resolve(paths[0] ?? ".")) },
    clock: options.clock,
  });
}

function readKubeconfig(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    throw new CredentialsError("NotConfigured", `the kubeconfig ${path} cannot be read (${code})`, error);
  }
}

type Entry = Record<string, unknown>;

/** Fields of entries that hold a path, which counts from the folder of the file they stand in. */
const PATH_FIELDS = ["certificate-authority", "client-certificate", "client-key", "tokenFile", "token-file"];

/** Several files in KUBECONFIG count as one: the first to name an entry, or the current context, wins. */
function merge(files: { path: string; text: string }[], cluster: string): string {
  const merged: Record<string, Entry[]> = { clusters: [], contexts: [], users: [] };
  let currentContext: unknown;
  for (const { path, text } of files) {
    const file = parseKubeconfig(text, cluster);
    currentContext ??= file["current-context"] === "" ? undefined : file["current-context"];
    for (const [list, entries] of Object.entries(merged)) {
      for (const entry of Array.isArray(file[list]) ? (file[list] as Entry[]) : []) {
        if (entries.some((known) => known["name"] === entry["name"])) continue;
        entries.push(withAbsolutePaths(entry, dirname(resolve(path))));
      }
    }
  }
  return stringify(
    { ...merged, ...(currentContext === undefined ? {} : { "current-context": currentContext }) },
    { aliasDuplicateObjects: false },
  );
}

function withAbsolutePaths(entry: Entry, folder: string): Entry {
  const result: Entry = { ...entry };
  for (const part of ["cluster", "user"]) {
    const inner = entry[part];
    if (typeof inner !== "object" || inner === null) continue;
    const copy: Entry = { ...inner };
    for (const field of PATH_FIELDS) {
      const path = copy[field];
      if (typeof path === "string" && path !== "") copy[field] = resolve(folder, path);
    }
    result[part] = copy;
  }
  return result;
}

function inCluster(host: string, port: string, options: HubConfigOptions): ClusterConfig {
  const folder = options.serviceAccountFolder ?? SERVICE_ACCOUNT_FOLDER;
  const read = (file: string): string => {
    try {
      return readFileSync(`${folder}/${file}`, "utf8");
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
      throw new CredentialsError(
        "NotConfigured",
        `${folder}/${file} cannot be read (${code}): does the pod mount its service account token?`,
        error,
      );
    }
  };
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    caData: read("ca.crt"),
    currentNamespace: read("namespace").trim() || "default",
    credentials: tokenFileCredentials(`${folder}/token`, options.clock ?? systemClock),
  };
}
