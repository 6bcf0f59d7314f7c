import { DEFAULT_SYSTEM_NAMESPACE, type KubeObject } from "../../apis/index.ts";
import {
  CLUSTERRESOURCEBINDINGS,
  DEMOAPPLICATIONS,
  isApiError,
  lacksRight,
  isMissing,
  LEASES,
  MANIFESTBUNDLES,
  MEMBERCLUSTERS,
  RESOURCEBINDINGS,
  type ResourceType,
  systemClock,
  listAll,
} from "../../runtime/index.ts";
import {
  allOf,
  CommandError,
  type Connection,
  find,
  isLeaseHeld,
  notInstalled,
  type StatusOptions,
} from "../shared/index.ts";
import { DEFAULT_LEASE_NAME } from "../shared/commonFlags.ts";

/** The part of the hub that is shown, limited by the request and by the person's rights. */
export interface Shown {
  /** Undefined: every namespace. */
  namespace?: string;
  selector?: string;
  /** True if member clusters are shown. */
  clusters: boolean;
  /** Kinds that are shown besides applications: bundles, and bindings of propagated objects. */
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

/**
 * Reads the objects and clusters that `status` shows. Without the right to read every namespace only the context's
 * namespace is read; without the right to read member clusters only objects are read. Throws {@link CommandError} when
 * Meridian is not installed.
 */
export async function readHub(hub: Connection, options: StatusOptions, signal: AbortSignal): Promise<HubReading> {
  const [applications, clusters] = await allOf([readApplications(hub, options, signal), readClusters(hub, signal)]);
  const { namespace, objects } = applications;
  const others = await readOthers(hub, { namespace, selector: options.selector }, signal);
  const notes: string[] = [];
  if (namespace !== options.namespace) {
    notes.push(
      `Your rights do not reach every namespace: this is ${namespace}, the namespace of your context (-n shows another).`,
    );
  }
  const hidden = [...(clusters === undefined ? [MEMBERCLUSTERS] : []), ...others.hidden];
  if (hidden.length > 0) notes.push(hiddenNote(hidden));
  if (others.leftOut) {
    notes.push(
      "Labels choose among applications and bundles; placed objects of other kinds are left out (without -l they are shown, and KIND/NAME shows one).",
    );
  }
  const shown: Shown = {
    ...(namespace === undefined ? {} : { namespace }),
    ...(options.selector === undefined ? {} : { selector: options.selector }),
    clusters: clusters !== undefined,
    others: others.types,
    hidden: others.hidden,
  };
  return { objects: [...objects, ...others.objects], clusters: clusters ?? [], shown, notes };
}

async function readApplications(
  hub: Connection,
  { namespace, allNamespaces, selector }: StatusOptions,
  signal: AbortSignal,
): Promise<{ objects: KubeObject[]; namespace: string | undefined }> {
  const read = (from: string | undefined): Promise<KubeObject[]> =>
    listEvery(hub, DEMOAPPLICATIONS, { ...given({ namespace: from, labelSelector: selector }) }, signal);
  try {
    return { objects: await read(namespace), namespace };
  } catch (error) {
    if (selector !== undefined && isApiError(error) && error.reason === "BadRequest")
      throw new CommandError(`-l "${selector}" is no selector of labels`, { cause: error });
    if (namespace !== undefined || !lacksRight(error)) throw error;
    if (allNamespaces === true) {
      throw new CommandError("not every namespace can be shown; leave out --all-namespaces, or give -n NAMESPACE", {
        cause: error,
      });
    }
    const own = hub.config.currentNamespace;
    try {
      return { objects: await read(own), namespace: own };
    } catch (cause) {
      if (!lacksRight(cause)) throw cause;
      const reached = `your rights reach neither every namespace nor ${own}, the namespace of your context`;
      throw new CommandError(`${reached}; give -n with a namespace that your rights reach`, { cause });
    }
  }
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
  const needed = new Intl.ListFormat("en-GB").format(types.map(({ plural }) => plural));
  return `Your rights do not show ${shown}, so they are left out (to see them, ask for the right to list and watch ${needed}).`;
}

/**
 * Reads the objects besides applications that have a Meridian status: bundles, and bindings of objects of other kinds,
 * if the hub serves them (an older installation does not). `hidden`: kinds that the person may not read. Bindings are
 * left out if labels are requested, because a binding does not have the labels of its object; `leftOut` says that
 * bindings exist. Cluster-scoped objects belong to no namespace.
 */
async function readOthers(
  hub: Connection,
  { namespace, selector }: { namespace: string | undefined; selector: string | undefined },
  signal: AbortSignal,
): Promise<{ objects: KubeObject[]; types: ResourceType[]; hidden: ResourceType[]; leftOut: boolean }> {
  const found: { objects: KubeObject[]; types: ResourceType[] } = { objects: [], types: [] };
  const hidden: ResourceType[] = [];
  const bindings = namespace === undefined ? [RESOURCEBINDINGS, CLUSTERRESOURCEBINDINGS] : [RESOURCEBINDINGS];
  let leftOut = false;
  for (const type of [MANIFESTBUNDLES, ...bindings]) {
    try {
      if (selector !== undefined && type !== MANIFESTBUNDLES) {
        const { items } = await hub.client.list(type, {
          ...given({ namespace, labelSelector: undefined }),
          limit: 1,
          signal,
        });
        leftOut ||= items.length > 0;
        continue;
      }
      found.objects.push(
        ...(await listAll({ client: hub.client, type, ...given({ namespace, labelSelector: selector }) }, { signal })),
      );
      found.types.push(type);
    } catch (error) {
      if (lacksRight(error)) hidden.push(type);
      else if (!isMissing(error)) throw error;
    }
  }
  return { ...found, hidden, leftOut };
}

/**
 * Reads the objects of every namespace, to suggest what a person may have meant. Undefined if the person may not read
 * every namespace.
 */
export async function readEverywhere(hub: Connection, signal: AbortSignal): Promise<KubeObject[] | undefined> {
  const readable = async (): Promise<KubeObject[] | undefined> => {
    try {
      return await listPlaced(hub, DEMOAPPLICATIONS, signal);
    } catch (error) {
      if (lacksRight(error)) return undefined;
      throw error;
    }
  };
  const [applications, others] = await allOf([
    readable(),
    readOthers(hub, { namespace: undefined, selector: undefined }, signal),
  ]);
  return applications === undefined ? undefined : [...applications, ...others.objects];
}

/**
 * The kinds besides applications that may be on clusters and that the hub serves: kinds that the person may read, and
 * hidden kinds.
 */
export async function placedTypes(
  hub: Connection,
  signal: AbortSignal,
): Promise<{ types: readonly ResourceType[]; hidden: readonly ResourceType[] }> {
  return await readOthers(hub, { namespace: undefined, selector: undefined }, signal);
}

/** Every object of a Meridian kind. Throws {@link CommandError} when Meridian is not installed. */
export function listPlaced(
  hub: Connection,
  type: ResourceType,
  signal: AbortSignal,
  namespace?: string,
): Promise<KubeObject[]> {
  return listEvery(hub, type, given({ namespace, labelSelector: undefined }), signal);
}

/** Undefined when the person may not read MemberClusters. */
export async function readClusters(hub: Connection, signal: AbortSignal): Promise<KubeObject[] | undefined> {
  try {
    return await listEvery(hub, MEMBERCLUSTERS, {}, signal);
  } catch (error) {
    if (lacksRight(error)) return undefined;
    throw error;
  }
}

/**
 * A note that managers have worked with a Lease, and no manager holds the Lease now. Empty if there is no Lease, as
 * without leader election, or if the person may not read the Lease.
 */
export async function idleNote({ client }: Connection, signal: AbortSignal): Promise<string[]> {
  try {
    const lease = await find(client, LEASES, DEFAULT_SYSTEM_NAMESPACE, DEFAULT_LEASE_NAME, signal);
    if (lease === undefined || isLeaseHeld(lease, systemClock.now())) return [];
    const { renewTime } = (lease["spec"] ?? {}) as { renewTime?: string };
    const since = renewTime === undefined ? "" : ` since ${renewTime.replace(/\.\d+/, "")}`;
    return [
      `No manager has held the Lease ${DEFAULT_SYSTEM_NAMESPACE}/${DEFAULT_LEASE_NAME}${since}, so what is shown may be old: start one with \`meridian manager\`, or see why none runs (\`kubectl get pods -n ${DEFAULT_SYSTEM_NAMESPACE}\`).`,
    ];
  } catch (error) {
    if (lacksRight(error)) return [];
    throw error;
  }
}

interface Selection {
  namespace?: string;
  labelSelector?: string;
}

function given({ namespace, labelSelector }: { [K in keyof Selection]: string | undefined }): Selection {
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
  };
}

async function listEvery(
  hub: Connection,
  type: ResourceType,
  selection: Selection,
  signal: AbortSignal,
): Promise<KubeObject[]> {
  try {
    return await listAll({ client: hub.client, type, ...selection }, { signal });
  } catch (error) {
    if (isMissing(error)) throw await notInstalled(type.plural, hub, signal);
    throw error;
  }
}
