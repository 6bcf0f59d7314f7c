import { renewCommand, type KubeObject } from "../../apis/index.ts";
import { createLogger, type Logger, type LogLevel } from "../../observability/index.ts";
import {
  type Client,
  type ClusterConfig,
  clusterConfigFromKubeconfig,
  createClient,
  isForbidden,
  isMissing,
  LEASES,
  loadHubConfig,
  MEMBERCLUSTERS,
  NAMESPACES,
  type ResourceType,
  systemClock,
  listAll,
} from "../../runtime/index.ts";
import { CommandError, notKubernetes } from "./outcome.ts";
import type { Terminal } from "./terminal.ts";
import { describeWhere, tellWhere, type Whereabouts } from "./whereabouts.ts";
import type { HubOptions } from "./verb.ts";
import { chooseAmong } from "./words.ts";

/**
 * After answers 429 with Retry-After, which a server gives for a second or two when it has just received a new kind.
 */
const RESENDS = 5;

/** Everything that a command gets besides its options. */
export interface CommandContext {
  terminal: Terminal;
  signal: AbortSignal;
  env: Record<string, string | undefined>;
  /** What the person typed: `kubectl meridian`, say. Default: `meridian`. */
  program?: string;
}

export interface Connection extends AsyncDisposable {
  client: Client;
  config: ClusterConfig;
  where: Whereabouts;
}

/** The hub of --kubeconfig and --context, or kubectl's default cluster. The kubeconfig may name a credential plugin. */
export function connectHub(options: HubOptions, { env }: CommandContext): Connection {
  const config = loadHubConfig({ kubeconfig: options.kubeconfig, context: options.context, env, allowExec: true });
  return connect("hub", config, {
    ...found(config),
    name: "the hub",
    otherwise: "choose another cluster with --kubeconfig or --context",
  });
}

/** A member, with a kubeconfig of the person. */
export function connectMember(cluster: string, kubeconfig: string, context: string | undefined): Connection {
  const flags = { kubeconfig: "--member-kubeconfig", context: "--member-context" };
  return connectFile(cluster, `member ${cluster}`, { kubeconfig, context, flags });
}

/** A cluster of quickstart that was given as NAME=FILE; the file's current context counts. */
export function connectGiven(cluster: string, kubeconfig: string): Connection {
  const flags = { kubeconfig: `--kubeconfig ${cluster}=FILE`, context: "`kubectl config use-context CONTEXT`" };
  return connectFile(cluster, cluster === "hub" ? "the hub" : `member ${cluster}`, { kubeconfig, flags });
}

interface PersonsFile {
  kubeconfig: string;
  context?: string | undefined;
  flags: { kubeconfig: string; context: string };
}

function connectFile(cluster: string, name: string, { kubeconfig, context, flags }: PersonsFile): Connection {
  const config = loadHubConfig({ kubeconfig, context, env: {}, allowExec: true, cluster: name, flags });
  const otherwise = `choose another cluster with ${flags.kubeconfig} or ${flags.context}`;
  return connect(cluster, config, { ...found(config), name, otherwise });
}

/** A member, with the kubeconfig that the hub stores. Throws as {@link clusterConfigFromKubeconfig}. */
export function connectStored(cluster: string, kubeconfig: string): Connection {
  return connect(cluster, clusterConfigFromKubeconfig(kubeconfig, { cluster }));
}

/** `where`: the cluster in messages. Default: a member whose kubeconfig the hub stores. */
export function connect(cluster: string, config: ClusterConfig, where = storedOf(cluster, config)): Connection {
  const onError = (error: unknown): void => tellWhere(error, where);
  const client = createClient(config, { cluster, clock: systemClock, onError, resends: RESENDS });
  return { client, config, where, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
}

function found({ server, origin = "no kubeconfig", context }: ClusterConfig): Pick<Whereabouts, "server" | "origin"> {
  return { server, origin: context === undefined ? origin : `${origin}, context ${context}` };
}

function storedOf(cluster: string, { server }: ClusterConfig): Whereabouts {
  return {
    name: `member ${cluster}`,
    server,
    origin: "the kubeconfig that the hub stores of it",
    otherwise: `renew the credentials: \`${renewCommand(cluster)}\``,
  };
}

/** For the libraries below a command: writes to stderr, and only debug logs. */
export function commandLogger(level: LogLevel, terminal: Terminal): Logger {
  const wanted = level === "debug" || level === "trace" ? level : "silent";
  return createLogger({ level: wanted, destination: { write: (line: string) => terminal.err(line) } });
}

/**
 * The error for a hub without Meridian's kinds: Meridian is not installed, or the server is no API server. Both may
 * answer 404. Only an API server answers `/api`, or refuses it as forbidden.
 */
export async function notInstalled(
  kinds: string,
  { client, where }: Pick<Connection, "client" | "where">,
  signal: AbortSignal,
): Promise<CommandError> {
  try {
    await client.raw("GET", "/api", { signal });
  } catch (error) {
    if (isMissing(error)) return new CommandError(notKubernetes(where, "it has no /api"));
    if (!isForbidden(error)) throw error;
  }
  return new CommandError(
    `${describeWhere(where)} does not know ${kinds}: run \`meridian install\` first, or ${where.otherwise}`,
  );
}

export async function noSuchMember(name: string, hub: Connection, signal: AbortSignal): Promise<CommandError> {
  const { client, where } = hub;
  try {
    const items = await listAll({ client, type: MEMBERCLUSTERS }, { metadataOnly: true, signal });
    const names = items.map(({ metadata }) => metadata.name);
    return new CommandError(
      `${describeWhere(where)} has no member cluster ${name}; ${chooseAmong(names, "it has none, so there is nothing to do")}`,
    );
  } catch (error) {
    if (isMissing(error)) return await notInstalled(MEMBERCLUSTERS.plural, hub, signal);
    throw error;
  }
}

/** A cluster's identity: the UID of its kube-system namespace. */
export async function clusterUid(client: Client, signal: AbortSignal): Promise<string> {
  const { uid } = (await client.get(NAMESPACES, undefined, "kube-system", { signal })).metadata;
  if (uid === undefined)
    throw new CommandError(`cluster ${client.cluster} does not show the UID of its kube-system namespace`);
  return uid;
}

/** Undefined when there is no such object, or the server does not serve the kind. */
export async function find(
  client: Client,
  type: ResourceType,
  namespace: string | undefined,
  name: string,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  try {
    return await client.get(type, namespace, name, { signal });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Between this machine and the manager. */
const CLOCK_SKEW_MS = 15_000;

/** True if a manager holds the Lease. */
export async function isManagerRunning(
  hub: Client,
  namespace: string,
  leaseName: string,
  signal: AbortSignal,
): Promise<boolean> {
  const lease = await find(hub, LEASES, namespace, leaseName, signal);
  return lease !== undefined && isLeaseHeld(lease, systemClock.now());
}

export function isLeaseHeld(lease: KubeObject, now: number): boolean {
  return now < leaseHeldUntil(lease);
}

/** Epoch milliseconds until which a Lease is held unless it is renewed; 0 when nobody holds it. */
export function leaseHeldUntil(lease: KubeObject): number {
  const spec = (lease["spec"] ?? {}) as { holderIdentity?: string; renewTime?: string; leaseDurationSeconds?: number };
  if (!spec.holderIdentity || spec.renewTime === undefined) return 0;
  return Date.parse(spec.renewTime) + (spec.leaseDurationSeconds ?? 15) * 1_000 + CLOCK_SKEW_MS;
}
