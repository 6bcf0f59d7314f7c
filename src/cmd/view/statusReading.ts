import { defined, DEFAULT_SYSTEM_NAMESPACE, type KubeObject } from "../../apis/index.ts";
import {
  CLUSTERRESOURCEBINDINGS,
  DEMOAPPLICATIONS,
  isApiError,
  LEASES,
  MANIFESTBUNDLES,
  MEMBERCLUSTERS,
  RESOURCEBINDINGS,
  type ResourceType,
  systemClock,
} from "../../runtime/index.ts";
import {
  allOf,
  CommandError,
  type Connection,
  DEFAULT_LEASE_NAME,
  describeWhere,
  HubReader,
  isLeaseHeld,
  type ReadOptions,
  rightToList,
} from "../shared/index.ts";

/** The part of the hub that is shown, limited by the request and by the person's rights. */
export interface Shown {
  namespace?: string;
  selector?: string;
  clusters: boolean;
  /** Kinds that are shown besides applications. */
  others?: readonly ResourceType[];
  /** Kinds among these that the person may not read. */
  hidden?: readonly ResourceType[];
}

export interface HubReading {
  objects: KubeObject[];
  clusters: KubeObject[];
  shown: Shown;
  /** Notes about the limits of the person's rights, one sentence each. */
  notes: string[];
}

export interface Asked {
  namespace?: string;
  /** Fails instead of falling back to one namespace. */
  allNamespaces?: boolean;
  selector?: string;
}

/**
 * Limited to the context's namespace, or without clusters, where the rights reach no further. Throws {@link
 * CommandError} when Meridian is not installed.
 */
export async function readHub(hub: Connection, options: Asked, signal: AbortSignal): Promise<HubReading> {
  const reader = new HubReader(hub, signal);
  const { notes } = reader;
  const [{ namespace, objects }, clusters] = await allOf([
    readApplications(reader, options, hub.config.currentNamespace),
    reader.listInstalled(MEMBERCLUSTERS),
  ]);
  const { selector } = options;
  const others = await readOthers(reader, defined({ namespace, labelSelector: selector }));
  if (namespace !== options.namespace) {
    notes.add(
      `Your rights do not reach every namespace: this is ${namespace}, the namespace of your context (-n shows another).`,
    );
  }
  const hidden = [...(clusters === undefined ? [MEMBERCLUSTERS] : []), ...others.hidden];
  if (hidden.length > 0) notes.add(hiddenNote(hidden));
  if (others.leftOut) {
    notes.add(
      "Labels choose among applications and bundles; placed objects of other kinds are left out (without -l they are shown, and KIND/NAME shows one).",
    );
  }
  const shown: Shown = {
    ...defined({ namespace, selector }),
    clusters: clusters !== undefined,
    others: others.types,
    hidden: others.hidden,
  };
  return { objects: [...objects, ...others.objects], clusters: clusters ?? [], shown, notes: [...notes] };
}

/** Undefined: every namespace. */
async function readApplications(
  reader: HubReader,
  { namespace, allNamespaces, selector }: Asked,
  own: string,
): Promise<{ objects: KubeObject[]; namespace: string | undefined }> {
  const read = (from: string | undefined): Promise<KubeObject[] | undefined> =>
    reader.listInstalled(DEMOAPPLICATIONS, defined({ namespace: from, labelSelector: selector })).catch(wrongSelector);
  const wrongSelector = (error: unknown): never => {
    if (selector === undefined || !isApiError(error) || error.reason !== "BadRequest") throw error;
    throw new CommandError(`-l "${selector}" is no selector of labels`, { cause: error });
  };
  const objects = await read(namespace);
  if (objects !== undefined) return { objects, namespace };
  if (namespace !== undefined) throw reader.denied(DEMOAPPLICATIONS, namespace);
  const where = describeWhere(reader.hub.where);
  const ask = `or ask its administrator for ${rightToList([DEMOAPPLICATIONS])}`;
  if (allNamespaces === true)
    throw new CommandError(
      `your rights on ${where} do not reach every namespace: leave out --all-namespaces, give -n NAMESPACE, ${ask}`,
    );
  const found = await read(own);
  if (found !== undefined) return { objects: found, namespace: own };
  throw new CommandError(
    `your rights on ${where} reach neither every namespace nor ${own}, the namespace of your context: give -n with a namespace that they reach, ${ask}`,
  );
}

const CONTENTS: ReadonlyMap<ResourceType, string> = new Map([
  [MEMBERCLUSTERS, "member clusters"],
  [MANIFESTBUNDLES, "bundles"],
  [RESOURCEBINDINGS, "placed objects of other kinds"],
  [CLUSTERRESOURCEBINDINGS, "placed objects of other kinds that belong to no namespace"],
]);

/** The note for a person who may not list these kinds: nothing is left out silently. */
export function hiddenNote(types: readonly ResourceType[]): string {
  const shown = new Intl.ListFormat("en-GB").format(types.map((type) => CONTENTS.get(type) ?? type.plural));
  return `Your rights do not show ${shown}, so they are left out (to see them, ask for ${rightToList(types)}).`;
}

/**
 * Bundles, and bindings of objects of other kinds, if the hub serves them. Bindings are left out (`leftOut`) if labels
 * are asked for, because a binding does not have the labels of its object. `hidden`: the person may not read these.
 */
export async function readOthers(
  reader: HubReader,
  { namespace, labelSelector, ...how }: ReadOptions,
): Promise<{ objects: KubeObject[]; types: ResourceType[]; hidden: ResourceType[]; leftOut: boolean }> {
  const found = {
    objects: [] as KubeObject[],
    types: [] as ResourceType[],
    hidden: [] as ResourceType[],
    leftOut: false,
  };
  const bindings = namespace === undefined ? [RESOURCEBINDINGS, CLUSTERRESOURCEBINDINGS] : [RESOURCEBINDINGS];
  for (const type of [MANIFESTBUNDLES, ...bindings]) {
    const isCounted = labelSelector !== undefined && type !== MANIFESTBUNDLES;
    const selected = isCounted ? { limit: 1, mostPages: 1 } : { labelSelector, ...how };
    const listed = await reader.list(type, defined({ namespace, ...selected }));
    if (listed === "Denied") found.hidden.push(type);
    else if (listed === "NotServed") continue;
    else if (isCounted) found.leftOut ||= listed.length > 0;
    else {
      found.objects.push(...listed);
      found.types.push(type);
    }
  }
  return found;
}

/** To suggest what a person may have meant; undefined if the person may not read every namespace. */
export async function readEverywhere(hub: Connection, signal: AbortSignal): Promise<KubeObject[] | undefined> {
  const reader = new HubReader(hub, signal);
  const [applications, others] = await allOf([reader.listInstalled(DEMOAPPLICATIONS), readOthers(reader, {})]);
  return applications === undefined ? undefined : [...applications, ...others.objects];
}

export interface ManagerReading {
  /** A note that no manager holds the Lease now. */
  notes: string[];
  /** Last sign of a manager, if none runs now: no status of the hub is younger. */
  lastSeen?: string;
}

/** Without notes if a manager runs, there is no Lease, or the person may not read the Lease. */
export async function readManager(
  hub: Pick<Connection, "client" | "where">,
  signal: AbortSignal,
): Promise<ManagerReading> {
  const reader = new HubReader(hub, signal);
  const lease = await reader.findReadable(LEASES, DEFAULT_SYSTEM_NAMESPACE, DEFAULT_LEASE_NAME);
  if (lease === undefined || lease === "Denied" || isLeaseHeld(lease, systemClock.now())) return { notes: [] };
  const { renewTime } = (lease["spec"] ?? {}) as { renewTime?: string };
  const since = renewTime === undefined ? "" : ` since ${renewTime.replace(/\.\d+/, "")}`;
  const note = `No manager has held the Lease ${DEFAULT_SYSTEM_NAMESPACE}/${DEFAULT_LEASE_NAME}${since}, so what is shown may be old: start one with \`meridian manager\`, or see why none runs (\`kubectl get pods -n ${DEFAULT_SYSTEM_NAMESPACE}\`).`;
  return { notes: [note], ...defined({ lastSeen: renewTime }) };
}
