import { InvalidArgumentError } from "commander";
import { CLASS_PATTERN, DEFAULT_CLASS, isOpenable, trimEnd } from "../../apis/index.ts";
import type { LogLevel, Sampling } from "../../observability/index.ts";
import type { PrometheusConfig } from "../../runtime/index.ts";
import type { WebhookTarget } from "../../webhooks/index.ts";
import { type ManagerAccess, type ManagerWorkload } from "../workload/index.ts";

/** Location of the hub: a file, else KUBECONFIG, else the cluster that this process runs in. */
export interface HubOptions {
  kubeconfig?: string;
  context?: string;
  logLevel: LogLevel;
}

/** Options of `meridian manager`. Durations in milliseconds. */
export interface ManagerOptions extends HubOptions {
  /**
   * Meridian's own namespace on the hub, with the Lease, and with the members' Secrets unless {@link membersNamespace}
   * is given.
   */
  namespace: string;
  /** Namespace of the members' Secrets, when another release keeps them. */
  membersNamespace?: string;
  /**
   * Classes whose objects this manager owns: its own class, and the classes of releases that are gone. Default: the
   * default class.
   */
  controllerClasses?: string[];
  metricsHost: string;
  /** Port of /metrics, /healthz and /readyz; 0 takes a free port. */
  metricsPort: number;
  /** False: the manager works at once and without a Lease. Only one such process may run at a time. */
  leaderElect: boolean;
  leaseName: string;
  leaseDurationMs: number;
  renewDeadlineMs: number;
  retryPeriodMs: number;
  /** Name of the process as holder of the Lease and reporter of Events. Must be unique among the replicas. */
  identity: string;
  /**
   * Namespaces of members into which Meridian never writes, besides the namespaces of Kubernetes and of Meridian
   * itself.
   */
  protectedNamespaces?: string[];
  /** True if kubeconfigs of members may name a credential plugin (exec). */
  allowExecCredentials: boolean;
  /** Time limit of one reconcile. Default: 30 s. */
  reconcileTimeoutMs?: number;
  /** Base address of an OTLP/HTTP collector. Default: OTEL_EXPORTER_OTLP_* of the environment. */
  otlpEndpoint?: string;
  /** Prometheus server that rollout gates query. */
  prometheus?: PrometheusConfig;
  /** Sampling rates of spans. */
  sampling?: Sampling;
  /** Absent: no webhooks. */
  webhooks?: ManagerWebhookOptions;
}

/** Addresses and certificates of the manager's webhooks. */
export interface ManagerWebhookOptions {
  /** Port; 0 takes a free port. */
  port: number;
  target: WebhookTarget;
  /** Folder with tls.crt, tls.key and ca.crt; absent: Meridian's own authority issues the certificates. */
  certDir?: string;
  /** Name of the webhook configurations. */
  configuration: string;
  /** Time for which an old and a new authority are both trusted, milliseconds. */
  overlapMs: number;
}

export interface InstallOptions extends HubOptions {
  namespace: string;
  timeout: number;
  dryRun: boolean;
  /** Rights of the manager's account; absent: only the CRDs are installed. */
  manager?: Omit<ManagerAccess, "namespace">;
  /** Managers to run on the hub; absent: somebody else starts the managers. */
  workload?: ManagerWorkload;
}

export interface UninstallOptions extends HubOptions {
  namespace: string;
  leaseName: string;
  /** Treatment of existing Meridian objects. Refuse: uninstall does nothing while any object exists. */
  objects: "Refuse" | "Drain" | "Orphan";
  keepCrds: boolean;
  dryRun: boolean;
  /** Skips the confirmation. */
  yes: boolean;
  timeout: number;
}

export interface TaintOption {
  key: string;
  value?: string;
  effect: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
}

export interface JoinOptions extends HubOptions {
  namespace: string;
  leaseName: string;
  memberKubeconfig: string;
  memberContext?: string;
  region?: string;
  zone?: string;
  provider?: string;
  labels: Record<string, string>;
  taints: TaintOption[];
  /**
   * Namespaces of the member that the account never writes into, besides the namespaces of Kubernetes and of Meridian
   * itself. Absent: unchanged since the last join.
   */
  protectedNamespaces?: string[];
  /**
   * Kinds that the account may write in namespaces of Kubernetes, as `kube-system/Role`. Absent: unchanged since the
   * last join.
   */
  allowProtected?: string[];
  /**
   * The only namespaces that the account reaches; `*` alone: the whole cluster. Absent: unchanged since the last join.
   */
  namespaces?: string[];
  /**
   * Kinds that the account gets rights on, besides its present kinds: plurals or kinds, with their groups. `*`: every
   * kind except kinds that give power.
   */
  kinds?: string[];
  /** Renews the credentials only. The MemberCluster stays unchanged, except for `namespaces`. */
  renew: boolean;
  /** Lifetime of the token that the manager connects with and renews. */
  tokenLifetime: number;
  dryRun: boolean;
  timeout: number;
}

export interface UnjoinOptions extends HubOptions {
  namespace: string;
  leaseName: string;
  /**
   * Drain deletes Meridian's member objects. Orphan leaves the member objects running, and is the default if the person
   * has not chosen.
   */
  deletionPolicy: "Drain" | "Orphan";
  isChosen: boolean;
  memberKubeconfig?: string;
  memberContext?: string;
  force: boolean;
  /** Prints the steps without doing them. */
  dryRun: boolean;
  timeout: number;
}

export const ROLLOUT_FORMATS = ["json", "yaml"] as const;
export type RolloutVerb = "status" | "history" | "pause" | "resume" | "approve" | "abort" | "undo";

export interface RolloutOptions extends HubOptions {
  /** Default: the namespace of the context. */
  namespace?: string;
  /** Meridian's namespace, which also holds the revisions of cluster-scoped objects. */
  systemNamespace: string;
  output?: (typeof ROLLOUT_FORMATS)[number];
  watch: boolean;
  /** Time limit of the watch, milliseconds. */
  timeout: number;
  stage?: string;
  toRevision?: number;
}

export interface CordonOptions extends HubOptions {
  /** Prints the steps without doing them. */
  dryRun: boolean;
}

export interface DrainOptions extends CordonOptions {
  /** Skips the confirmation. */
  yes: boolean;
  /** Time limit of the wait, milliseconds. */
  timeout: number;
}

export const OUTPUT_FORMATS = ["wide", "json", "yaml", "name"] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

export interface StatusOptions extends HubOptions {
  /** Default: every namespace, or the namespace of the context if the person may not read all namespaces. */
  namespace?: string;
  /** Fails instead of falling back to one namespace. */
  allNamespaces?: boolean;
  selector?: string;
  /** Follows changes until interrupted. */
  watch: boolean;
  /** Default: the short table. */
  output?: OutputFormat;
}

export const EXPLAIN_FORMATS = ["wide", "json", "yaml"] as const;

export interface ExplainOptions extends HubOptions {
  /** Namespace of the members' Secrets. */
  systemNamespace: string;
  /** Namespace of the object. Default: the namespace of the context. */
  namespace?: string;
  /** Explains only this cluster, with all details. */
  cluster?: string;
  /** Computes the answer from the files alone. */
  withoutHub: boolean;
  filename: readonly string[];
  /** Also reads subfolders. */
  recursive: boolean;
  /** Default: the short text. */
  output?: (typeof EXPLAIN_FORMATS)[number];
}

export const PLAN_FORMATS = ["json", "yaml"] as const;

export interface PlanOptions extends HubOptions {
  /** Namespace of objects in files that name none. Default: the namespace of the context. */
  namespace?: string;
  /** Meridian's own namespace, with the Secrets of the members. */
  systemNamespace: string;
  filename: readonly string[];
  /** Files that hold only policies. */
  policy: readonly string[];
  recursive: boolean;
  /** Assumes that the files are applied with `kubectl apply --server-side`. */
  serverSide: boolean;
  /** Clusters that the plan assumes to be lost, cordoned or drained. */
  without: readonly string[];
  cordon: readonly string[];
  drain: readonly string[];
  /** Skips all requests to members. */
  hubOnly: boolean;
  /** Skips all requests: the files say everything. */
  withoutHub: boolean;
  /** Files with the present state. */
  from: readonly string[];
  /** Default: text. */
  output?: (typeof PLAN_FORMATS)[number];
}

/** Options of `meridian bundle create`. One of `helm`, `kustomize` and `filename` is given. */
export interface BundleOptions extends HubOptions {
  /** Namespace of the bundle. */
  namespace: string;
  /** Namespace of objects that name none. Default: the namespace of the bundle. */
  releaseNamespace?: string;
  helm?: string;
  chartVersion?: string;
  values: readonly string[];
  kustomize?: string;
  filename: readonly string[];
  /** File for the bundle. Default: standard output. */
  output?: string;
  /** Prints only the CustomResourceDefinitions. */
  crds: boolean;
  apply: boolean;
}

export const VERSION_FORMATS = ["json", "yaml"] as const;

export interface VersionOptions {
  /** Default: one line for people. */
  output?: (typeof VERSION_FORMATS)[number];
}

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads `90s`, `2m`, `1h30m`, `500ms` as milliseconds. */
export function parseDuration(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/gy)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== text) {
    throw new InvalidArgumentError("A duration looks like 90s, 2m or 1h30m.");
  }
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (UNITS[unit ?? ""] ?? 0), 0);
}

export function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError("A port is a number between 0 and 65535.");
  return port;
}

/** Reads `host:port`, `:port` and `[::1]:port`. */
export function parseBindAddress(text: string): { host: string; port: number } {
  const colon = text.lastIndexOf(":");
  if (colon < 0) throw new InvalidArgumentError("An address looks like 127.0.0.1:8383 or :8383.");
  return { host: text.slice(0, colon).replace(/^\[|\]$/g, ""), port: parsePort(text.slice(colon + 1)) };
}

/** Reads `namespace/name` of a Service. */
export function parseServiceName(text: string): { namespace: string; name: string } {
  const [namespace = "", name = "", ...more] = text.split("/");
  const isLabel = (part: string): boolean => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(part);
  if (!isLabel(namespace) || !isLabel(name) || more.length > 0) {
    throw new InvalidArgumentError("A Service looks like meridian-system/meridian-webhook.");
  }
  return { namespace, name };
}

/** Reads the URL at which API servers call the webhooks: https, a host, an optional port and path, and nothing else. */
export function parseWebhookUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url?.protocol === "https:" && `${url.search}${url.hash}${url.username}${url.password}` === "";
  if (url === undefined || !plain) throw new InvalidArgumentError("An address looks like https://192.0.2.7:9443.");
  return trimEnd(text, "/");
}

/**
 * Adds one controller class. Each release on a hub owns the objects of its own classes. The empty text means the
 * default class.
 */
export function parseControllerClass(text: string, before: string[] = []): string[] {
  const name = text === "" ? DEFAULT_CLASS : text;
  if (!CLASS_PATTERN.test(name)) {
    throw new InvalidArgumentError("A class looks like v2: at most 40 lower-case letters, digits and '-'.");
  }
  return [...new Set([...before, name])];
}

export function parseBoolean(text: string): boolean {
  if (text === "true") return true;
  if (text === "false") return false;
  throw new InvalidArgumentError("The value is true or false.");
}

const LABEL_NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const LABEL_PREFIX = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/** True for a valid label key: a name with an optional DNS prefix. */
function isLabelKey(key: string): boolean {
  const slash = key.indexOf("/");
  const name = key.slice(slash + 1);
  return LABEL_NAME.test(name) && (slash < 0 || LABEL_PREFIX.test(key.slice(0, slash)));
}

/** True for the empty text and for a name of at most 63 characters. */
export function isLabelValue(value: string): boolean {
  return value === "" || LABEL_NAME.test(value);
}

/** Adds one `key=value` to the earlier labels. */
export function parseLabel(text: string, before: Record<string, string> = {}): Record<string, string> {
  const equals = text.indexOf("=");
  const [key, value] = [text.slice(0, equals), text.slice(equals + 1)];
  if (equals < 0 || !isLabelKey(key) || !isLabelValue(value)) {
    throw new InvalidArgumentError("A label looks like tier=edge or example.com/owner=sre.");
  }
  return { ...before, [key]: value };
}

/** Reads the value of a label that has its own option (--region, --zone). */
export function parseLabelValue(text: string): string {
  if (text === "" || !isLabelValue(text))
    throw new InvalidArgumentError("The value has at most 63 letters, digits, '-', '_' and '.'.");
  return text;
}

/** Adds one `key[=value]:Effect` to the earlier taints. */
export function parseTaint(text: string, before: TaintOption[] = []): TaintOption[] {
  const [, key = "", value, effect] =
    /^([^=:]+)(?:=([^:]*))?:(NoSchedule|PreferNoSchedule|NoExecute)$/.exec(text) ?? [];
  if (!isLabelKey(key) || (value !== undefined && !isLabelValue(value))) {
    throw new InvalidArgumentError(
      "A taint looks like maintenance=true:NoExecute; effects are NoSchedule, PreferNoSchedule and NoExecute.",
    );
  }
  return [...before, { key, ...(value === undefined ? {} : { value }), effect: effect as TaintOption["effect"] }];
}

/** Adds one namespace to the earlier ones. */
export function parseNamespace(text: string, before: string[] = []): string[] {
  if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text)) {
    throw new InvalidArgumentError("A namespace has at most 63 lower-case letters, digits and '-'.");
  }
  return [...new Set([...before, text])];
}

/** Stands for all elements in place of a list. */
export const EVERYTHING = "*";

/** Adds `KIND[.GROUP],...` to the earlier kinds. */
export function parseKinds(text: string, before: string[] = []): string[] {
  const names = text.split(",").map((name) => name.trim());
  for (const name of names) {
    if (name !== EVERYTHING && !/^[A-Za-z][A-Za-z0-9]{0,62}(\.[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?)?$/.test(name))
      throw new InvalidArgumentError(
        "A kind looks like mysqlclusters.mysql.presslabs.org or Ingress; '*' is every kind.",
      );
  }
  return [...new Set([...before, ...names])];
}

/** Adds `NAMESPACE/KIND[.GROUP],...` to the earlier values; `none` alone revokes all earlier permissions. */
export function parseAllowProtected(text: string, before: string[] = []): string[] {
  if (text === "none" && before.length === 0) return [];
  const names = text.split(",").map((name) => name.trim());
  for (const name of names) {
    const [namespace = "", kind = "", ...rest] = name.split("/");
    if (!isOpenable(namespace) || kind === "" || kind === EVERYTHING || rest.length > 0)
      throw new InvalidArgumentError(
        "Name a namespace of Kubernetes and one kind, as kube-system/Role or kube-system/roles.rbac.authorization.k8s.io; 'none' alone removes all exceptions.",
      );
    parseKinds(kind);
  }
  return [...new Set([...before, ...names])];
}

/** Adds `PLURAL.GROUP,...` to the earlier kinds. A kind without a group belongs to the core group. */
export function parsePlurals(text: string, before: string[] = []): string[] {
  const names = text.split(",").map((name) => name.trim());
  for (const name of names) {
    if (name !== EVERYTHING && !/^[a-z][a-z0-9]{0,62}(\.[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?)?$/.test(name))
      throw new InvalidArgumentError("A kind is given by its plural and group, as mysqlclusters.mysql.presslabs.org.");
  }
  return [...new Set([...before, ...names])];
}

/** Adds `a,b` to the earlier namespaces. `*` means the whole cluster and cannot be combined with names. */
export function parseNamespaces(text: string, before: string[] = []): string[] {
  if (text === EVERYTHING && before.length === 0) return [EVERYTHING];
  if (text.includes(EVERYTHING) || before.includes(EVERYTHING))
    throw new InvalidArgumentError("Give names, or '*' alone for the whole cluster.");
  return text.split(",").reduce((names, name) => parseNamespace(name.trim(), names), before);
}

/** Reads the name of a namespace, or of an object in a namespace. */
export function parseDnsLabel(text: string): string {
  if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text)) {
    throw new InvalidArgumentError("The name has at most 63 lower-case letters, digits and '-'.");
  }
  return text;
}

/**
 * Reads the name of a MemberCluster. It must be a DNS label, because it is also a label value, a metric's label and a
 * Secret's name.
 */
export function parseClusterName(text: string): string {
  if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text)) {
    throw new InvalidArgumentError(
      "A cluster's name has at most 63 lower-case letters, digits and '-', and begins and ends with a letter or digit.",
    );
  }
  return text;
}
