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
import type { HubOptions } from "./options.ts";
import { CommandError, notKubernetes } from "./outcome.ts";
import type { Terminal } from "./terminal.ts";
import { describeWhere, tellWhere, type Whereabouts } from "./whereabouts.ts";
import { chooseAmong } from "./words.ts";

/** A server that has just got a new kind answers "later" for a second or two. */
const RESENDS = 5;

/** What every command gets beside its options. */
export interface CommandContext {
  terminal: Terminal;
  signal: AbortSignal;
  env: Record<string, string | undefined>;
  /** How the person has called the program: `kubectl meridian`, say. `meridian` when absent. */
  program?: string;
}

/** One cluster that a command talks to. */
export interface Connection extends AsyncDisposable {
  client: Client;
  config: ClusterConfig;
  where: Whereabouts;
}

/** The hub of --kubeconfig and --context, else the one that kubectl would take. A person's kubeconfig may name a program to run. */
export function connectHub(options: HubOptions, { env }: CommandContext): Connection {
  const config = loadHubConfig({ kubeconfig: options.kubeconfig, context: options.context, env, allowExec: true });
  return connect("hub", config, {
    ...found(config),
    name: "the hub",
    otherwise: "choose another cluster with --kubeconfig or --context",
  });
}

/** A member by a kubeconfig file of the person who runs the command. */
export function connectMember(cluster: string, kubeconfig: string, context: string | undefined): Connection {
  const flags = { kubeconfig: "--member-kubeconfig", context: "--member-context" };
  return connectFile(cluster, `member ${cluster}`, { kubeconfig, context, flags });
}

/** A cluster of quickstart, which the hub is as well: each is given as NAME=FILE, and counts by the current context of its file. */
export function connectGiven(cluster: string, kubeconfig: string): Connection {
  const flags = { kubeconfig: `--kubeconfig ${cluster}=FILE`, context: "`kubectl config use-context CONTEXT`" };
  return connectFile(cluster, cluster === "hub" ? "the hub" : `member ${cluster}`, { kubeconfig, flags });
}

interface PersonsFile {
  kubeconfig: string;
  context?: string | undefined;
  /** What chooses another file, and another context. */
  flags: { kubeconfig: string; context: string };
}

function connectFile(cluster: string, name: string, { kubeconfig, context, flags }: PersonsFile): Connection {
  const config = loadHubConfig({ kubeconfig, context, env: {}, allowExec: true, cluster: name, flags });
  const otherwise = `choose another cluster with ${flags.kubeconfig} or ${flags.context}`;
  return connect(cluster, config, { ...found(config), name, otherwise });
}

/** A member by a kubeconfig that the hub stores. Throws what {@link clusterConfigFromKubeconfig} throws. */
export function connectStored(cluster: string, kubeconfig: string): Connection {
  return connect(cluster, clusterConfigFromKubeconfig(kubeconfig, { cluster }));
}

/** `where` names the cluster in messages; without it, a member that the hub stores a kubeconfig of. */
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

/** Logs of the machinery below a command: to stderr, and only when asked for. */
export function commandLogger(level: LogLevel, terminal: Terminal): Logger {
  const wanted = level === "debug" || level === "trace" ? level : "silent";
  return createLogger({ level: wanted, destination: { write: (line: string) => terminal.err(line) } });
}

/**
 * Why the hub does not know Meridian's kinds: nobody has installed them, or what answers is no API server. Both may answer 404 with a text, and only
 * an API server says at `/api` what it serves, or why it does not say so.
 */
export async function notInstalled(
  kinds: string,
  { client, where }: Connection,
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

/** No MemberCluster has the name that a person gave. */
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

/** The identity of a cluster: UID of its kube-system namespace. */
export async function clusterUid(client: Client, signal: AbortSignal): Promise<string> {
  const { uid } = (await client.get(NAMESPACES, undefined, "kube-system", { signal })).metadata;
  if (uid === undefined)
    throw new CommandError(`cluster ${client.cluster} does not show the UID of its kube-system namespace`);
  return uid;
}

/** Undefined when the object does not exist, or the server does not serve its kind. */
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

/** The clocks of this machine and of the manager may differ by this much. */
const CLOCK_SKEW_MS = 15_000;

/** Whether a manager holds its Lease, by what stands on the hub. */
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

/** When a Lease counts as free unless it is renewed, epoch milliseconds; 0 when nobody holds the Lease. */
export function leaseHeldUntil(lease: KubeObject): number {
  const spec = (lease["spec"] ?? {}) as { holderIdentity?: string; renewTime?: string; leaseDurationSeconds?: number };
  if (!spec.holderIdentity || spec.renewTime === undefined) return 0;
  return Date.parse(spec.renewTime) + (spec.leaseDurationSeconds ?? 15) * 1_000 + CLOCK_SKEW_MS;
}
