import {
  ALLOW_DELETION_ANNOTATION,
  crdNameOf,
  defined,
  type DemoApplication,
  isBinding,
  isConverted,
  kindKey,
  kindKeyOf,
  KINDS,
  type KubeObject,
  MANAGED_BY_LABEL,
  type MemberCluster,
  PAAS_GROUP,
  type ResourceBinding,
  versionsOf,
} from "../../apis/index.ts";
import { inspectNamespace, isOwn } from "../../clusters/index.ts";
import { isOfEarlierCrd, kindTerms } from "../../hub/index.ts";
import {
  apiVersionOf,
  builtInTypeOf,
  type Client,
  CLUSTERROLEBINDINGS,
  CLUSTERROLES,
  CRDS,
  DEPLOYMENTS,
  Discovery,
  LEASES,
  NAMESPACES,
  NETWORKPOLICIES,
  PODDISRUPTIONBUDGETS,
  PRIORITYCLASSES,
  type ResourceType,
  ROLEBINDINGS,
  ROLES,
  SECRETS,
  SERVICEACCOUNTS,
  SERVICES,
  systemClock,
  typeOf,
  withSignal,
} from "../../runtime/index.ts";
import { ADMISSION_TYPES, isProtected } from "../../webhooks/index.ts";
import {
  type Connection,
  describeRelease,
  find,
  type HelmRelease,
  HubReader,
  isManagerRunning,
  type ReadOptions,
  releaseOf,
} from "../shared/index.ts";
import { INSTALLED_SELECTOR, isInstalled } from "../workload/index.ts";
import { JOINED_TO_LABEL } from "../member/index.ts";
import {
  type Application,
  type Binding,
  isOwnFinalizer,
  type Item,
  type Member,
  objectsOf,
  type Observed,
} from "./state.ts";

export interface Place extends Pick<Connection, "client" | "where"> {
  hubId: string;
  namespace: string;
  leaseName: string;
}

/** `stays`: sentences about what uninstall leaves. */
export interface Snapshot {
  seen: Observed;
  stays: string[];
}

const OF_INSTALL = { labelSelector: INSTALLED_SELECTOR };
const OF_MERIDIAN = "app.kubernetes.io/part-of=meridian";

/** Reads everything that concerns uninstall. Kinds that the hub does not serve count as empty. */
export async function observe(place: Place, signal: AbortSignal): Promise<Snapshot> {
  const { client, where, hubId, namespace, leaseName } = place;
  const reader = new HubReader({ client, where }, signal);
  const all: ListAll = async (type, options) => {
    const listed = await reader.list(type, options);
    if (listed === "Denied") throw reader.denied(type, options?.namespace);
    return listed === "NotServed" ? [] : listed;
  };
  const installed = async (...types: ResourceType[]): Promise<Item[]> =>
    (await Promise.all(types.map((type) => itemsOf(type, all(type, { ...OF_INSTALL, metadataOnly: true }))))).flat();

  const { departing, ...placed } = await observeObjects(place, all);
  const bound = await observeBound(client, placed.bindings, all, signal);
  const definitions = await all(CRDS, { metadataOnly: true });
  const crds = definitions.filter(({ metadata }) => CRD_NAMES.has(metadata.name));
  const releases = await liveReleases(all);
  const stays = crds.flatMap((crd) => crdStays(crd, releases));
  const webhooks = await Promise.all(
    ADMISSION_TYPES.map(async (type) =>
      (await all(type, { labelSelector: OF_MERIDIAN, metadataOnly: true }))
        .filter(isOfNoRelease)
        .map((one) => itemOf(type, one)),
    ),
  );
  const secrets = await all(SECRETS, { namespace, labelSelector: OF_MERIDIAN, metadataOnly: true });
  const lease = await find(client, LEASES, namespace, leaseName, signal);
  const observed: Observed = {
    ...placed,
    bindings: placed.bindings.map(bindingOf),
    bound: bound.map(({ type, object }) => itemOf(type, object)),
    joined: await itemsOf(SECRETS, all(SECRETS, { labelSelector: `${JOINED_TO_LABEL}=${hubId}`, metadataOnly: true })),
    unclean: [],
    admission: webhooks.flat(),
    ...(await conversion(client, crds, releases, signal)),
    crdsBeingDeleted: [
      ...crds.filter(isBeingDeleted).map((crd) => itemOf(CRDS, crd)),
      ...ofEarlierCrds([...departing, ...bound], definitions),
    ],
    crds: await installed(CRDS),
    workload: await installed(DEPLOYMENTS, SERVICES, NETWORKPOLICIES, PODDISRUPTIONBUDGETS, PRIORITYCLASSES),
    access: await installed(CLUSTERROLEBINDINGS, CLUSTERROLES, ROLEBINDINGS, ROLES),
    state: [
      ...secrets.filter(isOfNoRelease).map((secret) => itemOf(SECRETS, secret)),
      ...(lease === undefined || !isOfNoRelease(lease) ? [] : [itemOf(LEASES, lease)]),
    ],
    accounts: await installed(SERVICEACCOUNTS),
    namespaces: await installed(NAMESPACES),
    occupied: [],
    releases,
    managerAlive: await isManagerRunning(client, namespace, leaseName, signal),
  };
  if (!areOnlyNamespacesLeft(observed)) return { seen: observed, stays };
  const inside = await inspectNamespaces(client, observed.namespaces, signal);
  const reasons = inside.flatMap(({ holds }) => holds ?? []);
  const [free, occupied] = [false, true].map((full) =>
    inside.filter(({ holds }) => (holds !== undefined) === full).map(({ namespace: one }) => one),
  );
  return { seen: { ...observed, namespaces: free ?? [], occupied: occupied ?? [] }, stays: [...stays, ...reasons] };
}

type ListAll = (type: ResourceType, options?: ReadOptions) => Promise<KubeObject[]>;

async function observeObjects(
  { hubId }: Place,
  all: ListAll,
): Promise<
  Pick<Observed, "applications" | "policies" | "members" | "marked"> & {
    bindings: ResourceBinding[];
    departing: Found[];
  }
> {
  const found = {
    applications: [] as KubeObject[],
    policies: [] as Item[],
    members: [] as Member[],
    bindings: [] as ResourceBinding[],
    departing: [] as Found[],
  };
  const departs = (type: ResourceType, objects: readonly KubeObject[]): void =>
    void found.departing.push(...objects.map((object) => ({ type, object })));
  for (const type of OBJECT_TYPES) {
    if (type.group === PAAS_GROUP) departs(type, (found.applications = await all(type)));
    else if (type.kind === "MemberCluster") {
      const members = await all(type);
      departs(type, members);
      found.members = members.map((one) => memberOf(type, one));
    } else if (isBinding(type)) found.bindings.push(...((await all(type)) as unknown as ResourceBinding[]));
    else found.policies.push(...(await itemsOf(type, all(type, { metadataOnly: true }))));
  }
  const copies = await markedOnTheHub(hubId, all);
  const owners = new Set(copies.flatMap(({ owners: uids }) => uids));
  const marked = copies.flatMap(({ item }) => (item.deleting ? [] : [item]));
  return { ...found, marked, applications: found.applications.map((one) => applicationOf(one, owners)) };
}

const OBJECT_TYPES: readonly ResourceType[] = KINDS.map((kind) => typeOf(kind));
const CRD_NAMES: ReadonlySet<string> = new Set(KINDS.map(crdNameOf));

/** The objects of these bindings that a finalizer of Meridian holds. */
async function observeBound(
  client: Client,
  bindings: readonly ResourceBinding[],
  all: ListAll,
  signal: AbortSignal,
): Promise<Found[]> {
  if (bindings.length === 0) return [];
  const served = await withSignal(new Discovery(client, systemClock).list(), signal);
  const uids = new Set(bindings.map(({ spec }) => spec.resource.uid));
  const kinds = new Set(bindings.map(({ spec }) => kindKeyOf(spec.resource)));
  const held: Found[] = [];
  for (const kind of kinds) {
    const type = served.find((one) => kindKey(one) === kind);
    if (type === undefined) continue;
    const objects = (await all(type, { metadataOnly: true })).filter(
      ({ metadata: { uid = "", finalizers = [] } }) =>
        uids.has(uid) && finalizers.some((one) => isOwnFinalizer("bound", one)),
    );
    held.push(...objects.map((object) => ({ type, object })));
  }
  return held;
}

function bindingOf(binding: ResourceBinding): Binding {
  const { kind, namespace, name } = binding.spec.resource;
  const resource = `${kind.toLowerCase()} ${namespace === undefined ? name : `${namespace}/${name}`}`;
  return { ...itemOf(builtInTypeOf(binding), binding), ...copiesIn(binding.status), resource };
}

/** What Meridian put on the hub itself, with the UIDs of the owners there. */
async function markedOnTheHub(hubId: string, all: ListAll): Promise<{ item: Item; owners: string[] }[]> {
  const copies = await Promise.all(
    [DEPLOYMENTS, SERVICES].map(async (type) => {
      const found = await all(type, { labelSelector: `${MANAGED_BY_LABEL}=${hubId}`, metadataOnly: true });
      const own = found.filter((object) => isOwn({ ...object, apiVersion: apiVersionOf(type), kind: type.kind }));
      return own.map((object) => ({
        item: itemOf(type, object),
        owners: (object.metadata.ownerReferences ?? []).map(({ uid }) => uid),
      }));
    }),
  );
  return copies.flat();
}

function applicationOf(object: KubeObject, owners: ReadonlySet<string>): Application {
  const { status } = object as unknown as DemoApplication;
  const item = itemOf(builtInTypeOf(object), object);
  return { ...item, ...copiesIn(status), owner: owners.has(item.uid) };
}

function copiesIn({ clusters = [], deletionPolicy }: NonNullable<DemoApplication["status"]> = {}) {
  return {
    clusters: clusters.map(({ name }) => name),
    keepsCopies: deletionPolicy === "Orphan",
    held: clusters.flatMap(({ name, reason, message }) =>
      reason === undefined ? [] : [{ cluster: name, reason, message }],
    ),
  };
}

function memberOf(type: ResourceType, object: KubeObject): Member {
  const { spec, status } = object as unknown as MemberCluster;
  const { deletionPolicy } = spec;
  const ready = status?.conditions?.find((condition) => condition.type === "Ready");
  const notReady = ready === undefined ? "no manager has reported on it" : `${ready.reason}: ${ready.message}`;
  return {
    ...itemOf(type, object),
    ...defined({ deletionPolicy }),
    ...(ready?.status === "True" ? {} : { notReady }),
  };
}

async function itemsOf(type: ResourceType, objects: Promise<KubeObject[]>): Promise<Item[]> {
  return (await objects).map((object) => itemOf(type, object));
}

function itemOf(type: ResourceType, { metadata }: Pick<KubeObject, "metadata">): Item {
  const { namespace, name, uid = "", deletionTimestamp, finalizers = [], labels } = metadata;
  return {
    type,
    ...defined({ namespace }),
    name,
    uid,
    deleting: deletionTimestamp !== undefined,
    finalizers,
    guarded: isProtected(labels),
  };
}

function isBeingDeleted({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.annotations?.[ALLOW_DELETION_ANNOTATION] !== "true";
}

interface Found {
  type: ResourceType;
  object: KubeObject;
}

/** A manager holds the deletion of objects with an earlier CRD than the present one. */
function ofEarlierCrds(objects: readonly Found[], definitions: readonly KubeObject[]): Item[] {
  const crds = new Map(definitions.map(({ metadata }) => [metadata.name, metadata]));
  return objects.flatMap(({ type, object }) => {
    const crd = crds.get(crdNameOf(type));
    if (crd === undefined || !isOfEarlierCrd(kindTerms(type, crd), object.metadata)) return [];
    return [itemOf(type, object)];
  });
}

/** A manager made such objects. */
function isOfNoRelease(object: KubeObject): boolean {
  return releaseOf(object) === undefined;
}

/** A removed chart may leave its CRDs behind, so these do not count. */
async function liveReleases(all: ListAll): Promise<HelmRelease[]> {
  const labelSelector = `${OF_MERIDIAN},app.kubernetes.io/managed-by=Helm`;
  const found = await Promise.all(
    [DEPLOYMENTS, CLUSTERROLES, SERVICEACCOUNTS].map((type) => all(type, { labelSelector, metadataOnly: true })),
  );
  const releases = found.flat().flatMap((object) => releaseOf(object) ?? []);
  return [...new Map(releases.map((release) => [describeRelease(release), release])).values()];
}

/** Why uninstall leaves a CRD; empty if it does not. */
function crdStays(crd: KubeObject, releases: readonly HelmRelease[]): string[] {
  const { name } = crd.metadata;
  const release = releaseOf(crd);
  if (release !== undefined) {
    // `helm uninstall` decides, and HandOver prints that command.
    if (releases.some((one) => describeRelease(one) === describeRelease(release))) return [];
    return [`customresourcedefinition/${name} was left by ${describeRelease(release)}: kubectl delete crd ${name}`];
  }
  if (isInstalled(crd)) return [];
  return [
    `customresourcedefinition/${name} was not made by \`meridian install\`: kubectl delete crd ${name}, if nobody else does`,
  ];
}

async function conversion(
  client: Client,
  listed: readonly KubeObject[],
  releases: readonly HelmRelease[],
  signal: AbortSignal,
): Promise<Pick<Observed, "converts" | "storedElsewhere">> {
  const found = await Promise.all(listed.map(({ metadata }) => find(client, CRDS, undefined, metadata.name, signal)));
  const crds = found.filter((crd) => crd !== undefined);
  // An installed Helm release converts its own CRDs.
  const helms = (crd: KubeObject): boolean => releaseOf(crd) !== undefined && releases.length > 0;
  return {
    converts: crds.some((crd) => isConverted(crd) && !helms(crd)),
    storedElsewhere: crds.filter(isStoredElsewhere).map((crd) => (crd["spec"] as CrdSpec).names.kind),
  };
}

interface CrdSpec {
  names: { kind: string };
}

function isStoredElsewhere(crd: KubeObject): boolean {
  const { storedVersions } = (crd["status"] ?? {}) as { storedVersions?: string[] | null };
  const storage = versionsOf(crd).find((version) => version.storage)?.name;
  return (storedVersions ?? []).some((version) => version !== storage);
}

/** Only then is it worth listing all objects of a namespace. */
function areOnlyNamespacesLeft(seen: Observed): boolean {
  const { joined, workload, access, state, accounts } = seen;
  return [objectsOf(seen), joined, workload, access, state, accounts].every((list) => list.length === 0);
}

/** `holds`: a sentence about others' objects in the namespace. */
async function inspectNamespaces(
  client: Client,
  namespaces: readonly Item[],
  signal: AbortSignal,
): Promise<{ namespace: Item; holds: string | undefined }[]> {
  const discovery = new Discovery(client, systemClock);
  const inspected: { namespace: Item; holds: string | undefined }[] = [];
  for (const namespace of namespaces) {
    // A namespace that is being deleted can no longer be kept.
    const inside = namespace.deleting ? undefined : await inspectNamespace(client, discovery, namespace.name, signal);
    let holds: string | undefined;
    if (inside?.kind === "Occupied") holds = `namespace/${namespace.name} holds ${inside.by}`;
    if (inside?.kind === "Unknown") holds = `namespace/${namespace.name} could not be listed: ${inside.message}`;
    inspected.push({ namespace, holds });
  }
  return inspected;
}
