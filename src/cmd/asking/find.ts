import { defined, DEFAULT_SYSTEM_NAMESPACE, type KubeObject, QUERY_PATH } from "../../apis/index.ts";
import {
  CredentialsError,
  isApiError,
  isMissing,
  isUnauthorized,
  lacksRight,
  LEASES,
  PODS,
  systemClock,
} from "../../runtime/index.ts";
import { type Connection, DEFAULT_LEASE_NAME, describeAnswer, HubReader, isLeaseHeld } from "../shared/index.ts";
import { LOCAL_ADDRESS } from "./names.ts";
import { QueryApi } from "./queryApi.ts";
import { atAddress, throughHub, throughPod, type Way } from "./ways.ts";

/** `isNotable`: the person can do something about it. Else, nothing is said unless the person asked for the API. */
export type Found = { api: QueryApi } | { api: undefined; why: string; isNotable: boolean };

export interface Place {
  systemNamespace?: string;
  leaseName?: string;
}

/** A person who did not ask for the query API does not wait for longer. */
const PATIENCE_MS = 5_000;

/**
 * Looks for the query API as the person may reach it: through the hub's APIService, on this machine (a manager that a
 * person has started, such as that of the quickstart), or through the leader's pod by a port-forward.
 */
export async function findQueryApi(hub: Connection, place: Place, signal: AbortSignal): Promise<Found> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  try {
    return await search(hub, place, { signal, patience });
  } catch (error) {
    signal.throwIfAborted();
    if (patience.aborted) return notable(`the query API does not answer within ${PATIENCE_MS / 1_000} s`);
    return notable(describeAnswer(error));
  }
}

interface Limits {
  signal: AbortSignal;
  patience: AbortSignal;
}

async function search(hub: Connection, place: Place, limits: Limits): Promise<Found> {
  if (await isServedByHub(hub, limits.patience)) return await opened(throughHub(hub.config), limits);
  const { systemNamespace: namespace = DEFAULT_SYSTEM_NAMESPACE, leaseName = DEFAULT_LEASE_NAME } = place;
  const reader = new HubReader(hub, limits.patience);
  const lease = await reader.findReadable(LEASES, namespace, leaseName);
  const called = `the Lease ${namespace}/${leaseName}`;
  if (lease === "Denied") return { api: undefined, why: `your rights do not show ${called}`, isNotable: false };
  if (lease === undefined || !isLeaseHeld(lease, systemClock.now()))
    return { api: undefined, why: `no manager holds ${called}`, isNotable: false };
  const local = localAddress(lease, hub.config.server);
  if (local !== undefined) return await opened(atAddress(local, hub.config.credentials), limits);
  const { holderIdentity: pod = "" } = (lease["spec"] ?? {}) as { holderIdentity?: string };
  const ports = await portsOf(reader, namespace, pod);
  if (ports === undefined)
    return notable(`the manager ${pod} runs in no pod of ${namespace}, and has no address for you`);
  return await opened(await throughPod(hub.config, { namespace, pod, ...ports }), limits);
}

function notable(why: string): Found {
  return { api: undefined, why, isNotable: true };
}

/** An APIService without a manager answers 503. */
async function isServedByHub({ client }: Connection, signal: AbortSignal): Promise<boolean> {
  try {
    await client.raw("GET", QUERY_PATH, { signal });
    return true;
  } catch (error) {
    if (isMissing(error) || lacksRight(error) || (isApiError(error) && error.status === 503)) return false;
    throw error;
  }
}

async function opened(way: Way, { signal, patience }: Limits): Promise<Found> {
  const api = new QueryApi(way, signal);
  try {
    await api.served(patience);
    return { api };
  } catch (error) {
    way[Symbol.dispose]();
    patience.throwIfAborted();
    return notable(`${way.name} does not answer queries: ${remarkOn(error)}`);
  }
}

function remarkOn(error: unknown): string {
  if (isMissing(error)) return "the query API is off (chart value queries.enabled, flag --query-api)";
  if (lacksRight(error) && !isUnauthorized(error))
    return "your rights do not allow a port-forward to it (create and get on pods/portforward)";
  if (isUnauthorized(error))
    return "it does not accept your credentials: it takes tokens, and client certificates at its port with TLS (chart value webhooks.enabled)";
  return error instanceof CredentialsError ? error.message : describeAnswer(error);
}

/** Whoever writes a Lease may name any address. On the machine of the hub itself, tokens of the hub stay on it. */
export function localAddress({ metadata }: KubeObject, server: string): URL | undefined {
  const text = metadata.annotations?.[LOCAL_ADDRESS] ?? "";
  if (!URL.canParse(text)) return undefined;
  const address = new URL(text);
  const isPlain = address.protocol === "http:" && address.pathname === "/" && address.username === "";
  return isPlain && isOfThisMachine(address) && isOfThisMachine(new URL(server)) ? address : undefined;
}

export function isOfThisMachine({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

const PLAIN_PORT = 8_383;
const TLS_PORT = 9_444;

/** As the pod names its ports; the chart's own numbers if the rights do not show pods. Undefined: there is no such pod. */
async function portsOf(
  reader: HubReader,
  namespace: string,
  name: string,
): Promise<{ plain: number; tls?: number } | undefined> {
  if (!/^[a-z0-9][a-z0-9.-]*$/.test(name)) return undefined;
  const pod = await reader.findReadable(PODS, namespace, name);
  if (pod === undefined) return undefined;
  if (pod === "Denied") return { plain: PLAIN_PORT, tls: TLS_PORT };
  const { containers = [] } = (pod["spec"] ?? {}) as { containers?: { ports?: Named[] }[] };
  const named = (wanted: string): number | undefined =>
    containers.flatMap(({ ports = [] }) => ports).find((port) => port.name === wanted)?.containerPort;
  return { plain: named("metrics") ?? PLAIN_PORT, ...defined({ tls: named("queries") }) };
}

interface Named {
  name?: string;
  containerPort: number;
}
