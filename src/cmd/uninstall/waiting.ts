import { type DemoApplication, FEDERATION_GROUP, type KubeObject, PAAS_GROUP } from "../../apis/index.ts";
import type { Logger } from "../../observability/index.ts";
import {
  type Client,
  CRDS,
  Informer,
  isServerTrouble,
  isTransportError,
  LEASES,
  type ResourceType,
  systemClock,
} from "../../runtime/index.ts";
import { find, follow, isManagerRunning, leaseHeldUntil } from "../shared/index.ts";
import type { Place } from "./observe.ts";
import type { Item } from "./state.ts";
import { count } from "./words.ts";

type LeasePlace = Pick<Place, "client" | "namespace" | "leaseName">;

export interface Waiting {
  place: LeasePlace;
  timeoutMs: number;
  signal: AbortSignal;
  logger: Logger;
  /** Called with a sentence, whenever the remaining objects change. */
  progress: (text: string) => void;
}

export type Waited =
  | { kind: "Reached" }
  /** What remains and waits for what: one sentence for all, and one for each. */
  | { kind: "TimedOut"; still: string; each: string[] }
  | { kind: "ManagerLost" };

const LISTED = 20;
/** No event comes when a Lease expires. Two reads in a row have to fail, so that a change of leader does not count. */
const MANAGER_CHECK_INTERVAL_MS = 5_000;

/** Waits until no object has the UID of one of these items. Rejects only when interrupted. */
export async function untilGone(items: readonly Item[], byManager: boolean, waiting: Waiting): Promise<Waited> {
  const { place, timeoutMs, signal, logger, progress } = waiting;
  const over = new AbortController();
  using timer = new DisposableStack();
  timer.use(systemClock.after(timeoutMs, () => over.abort()));
  const ended = AbortSignal.any([signal, over.signal]);
  const meant = new Set(items.map(({ uid }) => uid));
  const kinds = [...new Map(items.map(({ type }) => [type.kind, type])).values()];
  const informers = kinds.map((type) => informerOf(place.client, type, logger));
  // Somebody else may delete a CRD. Then the server no longer serves its kind, and its objects are gone.
  const crds = informerOf(place.client, CRDS, logger);
  let outcome: Waited = { kind: "TimedOut", still: count(items), each: [] };
  const check = (): void => {
    const states = informers.map((informer, index) => {
      const served = isServed(kinds[index], crds);
      if (!served) return [];
      return informer.synced ? informer.list().filter(({ metadata }) => meant.has(metadata.uid ?? "")) : undefined;
    });
    if (states.includes(undefined)) return;
    const still = states.flatMap((objects) => objects ?? []);
    outcome = still.length === 0 ? { kind: "Reached" } : timedOut(still);
    progress(still.length === 0 ? "" : describeHeld(still));
    if (still.length === 0) over.abort();
  };
  const all = [...informers, crds];
  for (const informer of all) timer.use(informer.onEvent(check));
  const running = all.map((informer) => informer.run(ended));
  for (const informer of all) {
    void informer.waitForSync(ended).then(check, () => undefined);
  }
  const watching = byManager
    ? untilManagerLost(place, ended).then((lost) => {
        if (!lost) return;
        outcome = { kind: "ManagerLost" };
        over.abort();
      })
    : undefined;
  // Keeps the process alive while only idle watches are open.
  const alive = setInterval(() => undefined, 60_000);
  try {
    await Promise.all([...running, watching]);
  } finally {
    clearInterval(alive);
    over.abort();
  }
  signal.throwIfAborted();
  return outcome;
}

function informerOf(client: Client, type: ResourceType, logger: Logger): Informer<KubeObject> {
  return new Informer<KubeObject>({
    client,
    type,
    transform: trimmed,
    clock: systemClock,
    logger,
    name: `uninstall/${type.plural}`,
  });
}

/** Keeps the metadata, and the status of all but CRDs. */
function trimmed({ apiVersion, kind, metadata, status }: KubeObject): KubeObject {
  const { managedFields: _, ...rest } = metadata;
  return { apiVersion, kind, metadata: rest, ...(kind === "CustomResourceDefinition" ? {} : { status }) };
}

const OWN_GROUPS: ReadonlySet<string> = new Set([PAAS_GROUP, FEDERATION_GROUP]);

/** True for kinds of Kubernetes itself, and for kinds whose CRD exists. */
function isServed(type: ResourceType | undefined, crds: Informer<KubeObject>): boolean {
  if (type === undefined || !OWN_GROUPS.has(type.group) || !crds.synced) return true;
  return crds.get(`${type.plural}.${type.group}`) !== undefined;
}

/** `12 demoapplications left; default/shop waits for frankfurt-1 (ClusterUnreachable)`. */
export function describeHeld(still: readonly KubeObject[]): string {
  const [first] = still;
  if (first === undefined) return "";
  const { kind, metadata } = first;
  const name = metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
  const others = still.length === 1 ? "" : ` and ${still.length - 1} more`;
  const held = holders(first);
  return `${kind.toLowerCase()} ${name}${others}${held === "" ? "" : `; ${name} waits for ${held}`}`;
}

function timedOut(still: readonly KubeObject[]): Waited {
  const each = still.slice(0, LISTED).map((object) => describeHeld([object]));
  const more = still.length > LISTED ? [`and ${still.length - LISTED} more`] : [];
  return { kind: "TimedOut", still: describeHeld(still), each: [...each, ...more] };
}

/** What the object waits for: the clusters of its status, else its conditions, else its finalizers. */
function holders({ status, metadata }: KubeObject): string {
  const { clusters = [] } = (status ?? {}) as NonNullable<DemoApplication["status"]>;
  if (clusters.length > 0) {
    return clusters.map(({ name, state, reason }) => `${name} (${reason ?? state})`).join(", ");
  }
  const { conditions = [] } = (status ?? {}) as { conditions?: { type: string; reason?: string; message?: string }[] };
  const [condition] = ["Removed", "Draining", "Ready"].flatMap(
    (type) => conditions.find((one) => one.type === type) ?? [],
  );
  if (condition !== undefined && metadata.deletionTimestamp !== undefined && condition.reason !== undefined)
    return `${condition.reason} ${condition.message ?? ""}`.trim();
  return (metadata.finalizers ?? []).join(", ");
}

/** False at the signal. */
async function untilManagerLost(place: LeasePlace, signal: AbortSignal): Promise<boolean> {
  let missed = 0;
  try {
    while (missed < 2) {
      await systemClock.sleep(MANAGER_CHECK_INTERVAL_MS, signal);
      missed = (await isAlive(place, signal)) ? 0 : missed + 1;
    }
    return true;
  } catch (error) {
    if (!signal.aborted) throw error;
    return false;
  }
}

/** True if a manager holds the Lease, or if the hub does not answer now. */
async function isAlive({ client, namespace, leaseName }: LeasePlace, signal: AbortSignal): Promise<boolean> {
  try {
    return await isManagerRunning(client, namespace, leaseName, signal);
  } catch (error) {
    if (isTransportError(error) || isServerTrouble(error)) return true;
    throw error;
  }
}

/** Waits until the Lease was released or deleted, or has expired. */
export async function untilManagerStopped({ place, timeoutMs, signal, logger }: Waiting): Promise<Waited> {
  const { client, namespace, leaseName } = place;
  const deadline = systemClock.now() + timeoutMs;
  for (;;) {
    const lease = await find(client, LEASES, namespace, leaseName, signal);
    const until = lease === undefined ? 0 : leaseHeldUntil(lease);
    const now = systemClock.now();
    if (until <= now) return { kind: "Reached" };
    if (deadline <= now) return { kind: "TimedOut", still: `the manager that holds the Lease ${leaseName}`, each: [] };
    await follow(
      { client, type: LEASES, namespace, name: leaseName, timeoutMs: Math.min(until, deadline) - now, signal, logger },
      (object) => object === undefined || leaseHeldUntil(object) <= systemClock.now(),
    );
  }
}
