import type { KubeObject } from "../apis/index.ts";
import { createLogger, type Logger, type LogLevel } from "../observability/index.ts";
import {
  type Client,
  type ClusterConfig,
  createClient,
  isNotFound,
  LEASES,
  loadHubConfig,
  NAMESPACES,
  type ResourceType,
  systemClock,
} from "../runtime/index.ts";
import type { HubOptions } from "./options.ts";
import { CommandError } from "./outcome.ts";
import type { Terminal } from "./terminal.ts";

/** What every command gets beside its options. */
export interface CommandContext {
  terminal: Terminal;
  signal: AbortSignal;
  env: Record<string, string | undefined>;
}

/** One cluster that a command talks to. */
export interface Connection extends AsyncDisposable {
  client: Client;
  config: ClusterConfig;
}

/** The hub of --kubeconfig and --context, else of KUBECONFIG, else the cluster that this process runs in. A person's kubeconfig may name a program to run. */
export function connectHub(options: HubOptions, { env }: CommandContext): Connection {
  return connect(
    "hub",
    loadHubConfig({ kubeconfig: options.kubeconfig, context: options.context, env, allowExec: true }),
  );
}

/** A member by a kubeconfig file of the person who runs the command. */
export function connectMember(cluster: string, kubeconfig: string, context: string | undefined): Connection {
  return connect(cluster, loadHubConfig({ kubeconfig, context, env: {}, allowExec: true, cluster }));
}

export function connect(cluster: string, config: ClusterConfig): Connection {
  const client = createClient(config, { cluster, clock: systemClock });
  return { client, config, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
}

/** Logs of the machinery below a command: to stderr, and only when asked for. */
export function commandLogger(level: LogLevel, terminal: Terminal): Logger {
  const wanted = level === "debug" || level === "trace" ? level : "silent";
  return createLogger({ level: wanted, destination: { write: (line: string) => terminal.err(line) } });
}

/** The identity of a cluster: UID of its kube-system namespace. */
export async function clusterUid(client: Client, signal: AbortSignal): Promise<string> {
  const { uid } = (await client.get(NAMESPACES, undefined, "kube-system", { signal })).metadata;
  if (uid === undefined)
    throw new CommandError(`cluster ${client.cluster} does not show the UID of its kube-system namespace`);
  return uid;
}

/** Undefined when the object does not exist. */
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
    if (isNotFound(error)) return undefined;
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
