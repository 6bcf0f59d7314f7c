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

/** What of the hub is shown: as far as it was asked for, and as far as the rights of the person go. */
export interface Shown {
  /** Undefined: every namespace. */
  namespace?: string;
  selector?: string;
  /** Whether member clusters are. */
  clusters: boolean;
  /** What is shown beside applications: bundles, and the bindings of objects that are sent as they are. */
  others?: readonly ResourceType[];
  /** What of these the rights of the person do not show. */
  hidden?: readonly ResourceType[];
}

export interface HubReading {
  objects: KubeObject[];
  clusters: KubeObject[];
  shown: Shown;
  /** What a person is told about the limits of the rights, a sentence each. */
  notes: string[];
}

/**
 * Reads the objects and clusters that `status` shows. Who may not read every namespace sees the one of the context, and who may not read
 * member clusters sees the objects alone. Throws {@link CommandError} when Meridian is not installed.
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

/** What a person is told who may not list these kinds: nothing is left out silently. */
export function hiddenNote(types: readonly ResourceType[]): string {
  const shown = new Intl.ListFormat("en-GB").format(types.map((type) => CONTENTS.get(type) ?? type.plural));
  const needed = new Intl.ListFormat("en-GB").format(types.map(({ plural }) => plural));
  return `Your rights do not show ${shown}, so they are left out (to see them, ask for the right to list and watch ${needed}).`;
}

/**
 * What beside applications has a status of Meridian's: bundles, and the bindings of objects of other kinds, as far as the hub serves them (an older
 * installation has none). `hidden`: what of it the person may not read. No bindings where labels are asked for, since those of an object are not on
 * its binding; `leftOut` says that there are some. Cluster-scoped objects belong to no namespace.
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
 * What is in every namespace: among it is what a person may have meant who has named another one. Undefined where the rights of the person do not reach
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

/** What beside applications may be on clusters, as far as the hub serves it: what the person may read of it, and what not. */
export async function placedTypes(
  hub: Connection,
  signal: AbortSignal,
): Promise<{ types: readonly ResourceType[]; hidden: readonly ResourceType[] }> {
  return await readOthers(hub, { namespace: undefined, selector: undefined }, signal);
}

/** Every object of a kind of Meridian's. Throws {@link CommandError} when Meridian is not installed. */
export function listPlaced(
  hub: Connection,
  type: ResourceType,
  signal: AbortSignal,
  namespace?: string,
): Promise<KubeObject[]> {
  return listEvery(hub, type, given({ namespace, labelSelector: undefined }), signal);
}

/** Undefined when the person may not read them. */
export async function readClusters(hub: Connection, signal: AbortSignal): Promise<KubeObject[] | undefined> {
  try {
    return await listEvery(hub, MEMBERCLUSTERS, {}, signal);
  } catch (error) {
    if (lacksRight(error)) return undefined;
    throw error;
  }
}

/**
 * What a person is told where managers have worked with a Lease, and now none does. Nothing where there is no such Lease, as without leader election,
 * or where the person may not read it.
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
