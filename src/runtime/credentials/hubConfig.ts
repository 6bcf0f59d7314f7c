import { accessSync, constants, readFileSync } from "node:fs";
import { defined, printYaml } from "../../apis/index.ts";
import { delimiter, dirname, join, resolve } from "node:path";
import { type Clock, CredentialsError, systemClock } from "../core/index.ts";
import { clusterConfigFromKubeconfig, type KubeconfigOptions, parseKubeconfigPart } from "./kubeconfig.ts";
import { codeOf, tokenFileCredentials } from "./providers.ts";
import type { ClusterConfig } from "./types.ts";

export interface HubConfigOptions {
  kubeconfig?: string | undefined;
  context?: string | undefined;
  /** The environment: KUBECONFIG, HOME, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are read. */
  env: Record<string, string | undefined>;
  /** Allow a credential plugin. */
  allowExec?: boolean | undefined;
  allowInsecure?: boolean | undefined;
  /** In messages; default: `the hub`. */
  cluster?: string | undefined;
  /** Default: `--kubeconfig` and `--context`. */
  flags?: { kubeconfig: string; context: string } | undefined;
  /** Folder of the pod's service account. */
  serviceAccountFolder?: string | undefined;
  clock?: Clock | undefined;
}

const SERVICE_ACCOUNT_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";
const FLAGS = { kubeconfig: "--kubeconfig", context: "--context" };

/**
 * Finds the cluster in the order of kubectl: the flag, the files of KUBECONFIG, `~/.kube/config`, the cluster of this
 * pod. Throws {@link CredentialsError}; the message says what to do.
 */
export function loadHubConfig(options: HubConfigOptions): ClusterConfig {
  const files = kubeconfigFiles(options);
  if (files.length > 0) return fromFiles(files, options);
  const nowhere = `${describeNowhere(options)}; give ${flagsOf(options).kubeconfig} FILE`;
  if (options.context !== undefined) {
    const given = `${flagsOf(options).context} ${options.context} was given`;
    throw notConfigured(`${given}, but there is no kubeconfig: ${nowhere}`);
  }
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = options.env;
  if (!isPod(options.env) || host === undefined || port === undefined)
    throw notConfigured(`no cluster to talk to: ${nowhere}`);
  return inCluster(host, port, options);
}

function notConfigured(message: string, cause?: unknown): CredentialsError {
  return new CredentialsError("NotConfigured", message, cause);
}

function isPod({ KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port }: HubConfigOptions["env"]): boolean {
  return host !== undefined && host !== "" && port !== undefined && port !== "";
}

function isClosed(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return false;
  } catch {
    return true;
  }
}

/** All contexts in the kubeconfig files. Throws {@link CredentialsError} if a file cannot be read. */
export function kubeconfigContexts(options: HubConfigOptions): string[] {
  const parsed = kubeconfigFiles(options).map(({ path, text }) => parseKubeconfigPart(text, path));
  const contexts = parsed.flatMap((file) => (Array.isArray(file["contexts"]) ? (file["contexts"] as Entry[]) : []));
  return [...new Set(contexts.map(({ name }) => String(name)))];
}

interface KubeconfigText {
  path: string;
  text: string;
}

/** Some files of KUBECONFIG, and `~/.kube/config`, may be missing or empty. */
function kubeconfigFiles(options: HubConfigOptions): KubeconfigText[] {
  const { kubeconfig, env } = options;
  if (kubeconfig !== undefined) {
    const flag = flagsOf(options).kubeconfig;
    if (kubeconfig === "") throw notConfigured(`${flag} is empty: give the path of a file`);
    const text = readKubeconfig(kubeconfig, "", options);
    if (text !== undefined) return [{ path: kubeconfig, text }];
    throw notConfigured(`the file ${kubeconfig} of ${flag} does not exist: check its path`);
  }
  const paths = (env["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "");
  if (paths.length === 0) {
    const path = homeKubeconfig(env);
    // The home folder of a pod's image may belong to another user than the process.
    return path === undefined || (isPod(env) && isClosed(path)) ? [] : present([path], "", options);
  }
  const files = present(paths, " of KUBECONFIG", options);
  if (files.length > 0) return files;
  const [which, verb] =
    paths.length === 1 ? ["the file", "does not exist"] : ["the files", "do not exist, or are empty"];
  const remedy = `correct KUBECONFIG, or give ${flagsOf(options).kubeconfig} FILE`;
  throw notConfigured(`${which} ${paths.join(", ")} of KUBECONFIG ${verb}: ${remedy}`);
}

function present(paths: readonly string[], source: string, options: HubConfigOptions): KubeconfigText[] {
  return paths.flatMap((path) => {
    const text = readKubeconfig(path, source, options);
    return text === undefined || text.trim() === "" ? [] : [{ path, text }];
  });
}

function homeKubeconfig(env: HubConfigOptions["env"]): string | undefined {
  const home = env["HOME"];
  return home === undefined || home === "" ? undefined : join(home, ".kube", "config");
}

function describeNowhere(options: HubConfigOptions): string {
  const path = homeKubeconfig(options.env);
  return `KUBECONFIG is not set, ${path === undefined ? "HOME is not set either" : `${path} does not exist or is empty`}, and this is no pod of a cluster`;
}

function flagsOf({ flags = FLAGS }: HubConfigOptions): { kubeconfig: string; context: string } {
  return flags;
}

function fromFiles(files: readonly KubeconfigText[], options: HubConfigOptions): ClusterConfig {
  const { cluster = "the hub" } = options;
  const { kubeconfig: flag, context: contextFlag } = flagsOf(options);
  const called = (paths: string): string => `kubeconfig ${paths} of ${cluster}`;
  const origin = `kubeconfig ${files.map(({ path }) => path).join(delimiter)}`;
  const [only] = files;
  const text =
    files.length === 1 && only !== undefined ? only.text : merge(files, called, `; correct it, or give ${flag} FILE`);
  const config = configOf(text, flag, {
    cluster,
    file: { called: `${origin} of ${cluster}`, flag, contextFlag },
    context: options.context,
    allowExec: options.allowExec,
    allowInsecure: options.allowInsecure,
    allowFiles: { relativeTo: dirname(resolve(only?.path ?? ".")) },
    clock: options.clock,
  });
  return { ...config, origin };
}

/** A person with the file can correct it, or choose another one. */
function configOf(text: string, flag: string, options: KubeconfigOptions): ClusterConfig {
  try {
    return clusterConfigFromKubeconfig(text, options);
  } catch (error) {
    if (!(error instanceof CredentialsError) || error.message.includes("; ")) throw error;
    throw new CredentialsError(
      error.reason,
      `${error.message}; correct that, or choose another file with ${flag}`,
      error,
    );
  }
}

/** Undefined if the file does not exist. `source`: where the path was found (` of KUBECONFIG`). */
function readKubeconfig(path: string, source: string, options: HubConfigOptions): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    const otherwise = `${source === "" ? "" : "correct KUBECONFIG, or "}give ${flagsOf(options).kubeconfig} FILE`;
    const fault =
      code === "EISDIR"
        ? `is a directory, not a file: ${otherwise}`
        : `cannot be read (${code}): check its owner and mode, or ${otherwise}`;
    throw notConfigured(`the kubeconfig ${path}${source} ${fault}`, error);
  }
}

type Entry = Record<string, unknown>;

/** A relative path starts at the folder of its kubeconfig. */
const PATH_FIELDS = ["certificate-authority", "client-certificate", "client-key", "tokenFile", "token-file"];

/** Merges the files of KUBECONFIG: the first one that names an entry or the current context wins. */
function merge(files: readonly KubeconfigText[], called: (path: string) => string, advice: string): string {
  const merged: Record<string, Entry[]> = { clusters: [], contexts: [], users: [] };
  let currentContext: unknown;
  for (const { path, text } of files) {
    const file = parseKubeconfigPart(text, called(path), advice);
    currentContext ??= file["current-context"] === "" ? undefined : file["current-context"];
    for (const [list, entries] of Object.entries(merged)) {
      for (const entry of Array.isArray(file[list]) ? (file[list] as Entry[]) : []) {
        if (entries.some((known) => known["name"] === entry["name"])) continue;
        entries.push(withAbsolutePaths(entry, dirname(resolve(path))));
      }
    }
  }
  return printYaml({ ...merged, ...defined({ "current-context": currentContext }) });
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
      const why = `cannot be read (${codeOf(error)}): does the pod mount its service account token?`;
      throw notConfigured(`${folder}/${file} ${why}`, error);
    }
  };
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    caData: read("ca.crt"),
    currentNamespace: read("namespace").trim() || "default",
    origin: "the service account of this pod",
    credentials: tokenFileCredentials(`${folder}/token`, options.clock ?? systemClock),
  };
}
