import { defined, type KubeObject, MANAGED_BY_LABEL, type MemberCluster } from "../../apis/index.ts";
import { isOwn, stripMarks } from "../../clusters/index.ts";
import {
  apiVersionOf,
  type Client,
  Discovery,
  isApiError,
  isForbidden,
  isMissing,
  MEMBERCLUSTERS,
  type ResourceType,
  SECRETS,
  systemClock,
  listAll,
} from "../../runtime/index.ts";
import {
  atOnce,
  clusterUid,
  CommandError,
  connectMember,
  connectStored,
  describeAnswer,
  find,
} from "../shared/index.ts";
import { joinedUid, KUBECONFIG_KEY, reachedNamespaces } from "./joinedMember.ts";

/** Objects with a hub's marks on a member, and the removal of the marks if no manager removes them. */

interface Marked {
  type: ResourceType;
  namespace?: string;
  name: string;
  uid: string;
}

/** An object, or a kind of objects, that keeps its marks, and why. */
export interface Unreleased {
  what: string;
  error: unknown;
}

const LISTS_AT_ONCE = 8;

/**
 * Every object of that hub that the credentials may list. An object counts only if its annotation names the object
 * itself: Kubernetes copies the labels of a Service to its Endpoints. `unread` has the kinds that could not be listed.
 */
export async function markedBy(
  hubId: string,
  { client, namespaces }: Pick<Reached, "client" | "namespaces">,
  signal: AbortSignal,
): Promise<{ marked: Marked[]; unread: Unreleased[] }> {
  const types = new Map<string, ResourceType>();
  for (const type of await new Discovery(client, systemClock).list()) {
    const isOf = (verb: string): boolean => type.verbs?.includes(verb) === true;
    // The versions of a group hold the same objects, so one version is enough.
    const kind = `${type.group}/${type.plural}`;
    if (isOf("list") && isOf("patch") && !types.has(kind)) types.set(kind, type);
  }
  const lists = [...types.values()].flatMap((type): { type: ResourceType; namespace?: string }[] => {
    if (namespaces === undefined) return [{ type }];
    return type.namespaced ? namespaces.map((namespace) => ({ type, namespace })) : [];
  });
  const marked: Marked[] = [];
  const unread: Unreleased[] = [];
  await atOnce(
    lists,
    async ({ type, ...place }) => {
      try {
        for (const { metadata } of await listMarked(hubId, client, type, place, signal)) {
          const { namespace, name, uid = "" } = metadata;
          marked.push({ type, ...defined({ namespace }), name, uid });
        }
      } catch (error) {
        signal.throwIfAborted();
        unread.push({ what: type.plural, error });
      }
    },
    LISTS_AT_ONCE,
  );
  return { marked, unread };
}

/** Removes the marks of every object of that hub. A failure does not stop the others. */
export async function releaseAll(
  hubId: string,
  member: Pick<Reached, "client" | "namespaces">,
  signal: AbortSignal,
): Promise<{ released: number; left: Unreleased[] }> {
  const { marked, unread } = await markedBy(hubId, member, signal);
  const failed: Unreleased[] = [];
  await atOnce(marked, async ({ type, ...life }) => {
    try {
      await stripMarks(member.client, type, life, signal);
    } catch (error) {
      signal.throwIfAborted();
      const place = life.namespace === undefined ? "" : `${life.namespace}/`;
      failed.push({ what: `${type.kind.toLowerCase()} ${place}${life.name}`, error });
    }
  });
  return { released: marked.length - failed.length, left: [...failed, ...unread] };
}

/** `service shop/web (forbidden) and 2 more` */
export function describeUnreleased(left: readonly Unreleased[]): string {
  const named = left.slice(0, NAMED).map(({ what, error }) => `${what} (${describeAnswer(error)})`);
  const more = left.length - named.length;
  return `${named.join(", ")}${more === 0 ? "" : ` and ${more} more`}`;
}

const NAMED = 3;

async function listMarked(
  hubId: string,
  member: Client,
  type: ResourceType,
  place: { namespace?: string },
  signal: AbortSignal,
): Promise<KubeObject[]> {
  const apiVersion = apiVersionOf(type);
  const labelSelector = `${MANAGED_BY_LABEL}=${hubId}`;
  try {
    const items = await listAll({ client: member, type, ...place, labelSelector }, { metadataOnly: true, signal });
    // A metadata-only list does not contain the kind of its items.
    return items.filter((item) => isOwn({ ...item, apiVersion, kind: type.kind }));
  } catch (error) {
    // What an account may not list, the manager could not write. An aggregated API that is down nobody can read.
    const isUnlisted = isForbidden(error) || isMissing(error) || (isApiError(error) && error.status === 405);
    if (!isUnlisted && !(isApiError(error) && error.status === 503)) throw error;
    return [];
  }
}

/** A member whose identity is confirmed. */
export interface Reached extends AsyncDisposable {
  client: Client;
  uid: string;
  /** The only namespaces that the credentials reach; undefined: the whole cluster. */
  namespaces?: readonly string[] | undefined;
}

/** Without a file, the kubeconfig that the hub stores. */
interface Reaching {
  memberKubeconfig?: string | undefined;
  memberContext?: string | undefined;
}

/**
 * A connection to the cluster of a MemberCluster. Undefined when the hub has no credentials for it. Throws when no
 * cluster, or another one, answers.
 */
export async function reachMember(
  name: string,
  member: MemberCluster | undefined,
  secret: KubeObject | undefined,
  reaching: Reaching,
  hub: Client,
  signal: AbortSignal,
): Promise<Reached | undefined> {
  const connection = open(name, member, secret, reaching, hub);
  if (connection === undefined) return undefined;
  try {
    const uid = await clusterUid(connection.client, signal);
    const known = joinedUid(member, secret);
    if (known !== undefined && uid !== known)
      throw new CommandError(
        `${reaching.memberKubeconfig === undefined ? "its stored kubeconfig" : "this kubeconfig"} leads to another cluster than ${name} (kube-system UID ${uid}, not ${known}): give the right one by --member-kubeconfig`,
      );
    const namespaces = reaching.memberKubeconfig === undefined ? reachedNamespaces(member, secret) : undefined;
    const { client } = connection;
    return { client, uid, namespaces, [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose]() };
  } catch (error) {
    await connection[Symbol.asyncDispose]();
    throw error;
  }
}

function open(
  name: string,
  member: MemberCluster | undefined,
  secret: KubeObject | undefined,
  { memberKubeconfig, memberContext }: Reaching,
  hub: Client,
): Omit<Reached, "uid"> | undefined {
  if (memberKubeconfig !== undefined) return connectMember(name, memberKubeconfig, memberContext);
  if (member?.spec.connection.local !== undefined)
    return { client: hub, [Symbol.asyncDispose]: () => Promise.resolve() };
  const text = storedKubeconfig(secret, member?.spec.connection.kubeconfigSecretRef?.key);
  return text === undefined ? undefined : connectStored(name, text);
}

export function storedKubeconfig(secret: KubeObject | undefined, key = KUBECONFIG_KEY): string | undefined {
  const encoded = ((secret?.["data"] ?? {}) as Record<string, string>)[key];
  return encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString("utf8");
}

export async function findMember(hub: Client, name: string, signal: AbortSignal): Promise<MemberCluster | undefined> {
  return (await find(hub, MEMBERCLUSTERS, undefined, name, signal)) as unknown as MemberCluster | undefined;
}

/** The default Secret, unless the MemberCluster names another. */
export function memberSecret(
  name: string,
  member: MemberCluster | undefined,
  namespace: string,
  hub: Client,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  return find(hub, SECRETS, namespace, member?.spec.connection.kubeconfigSecretRef?.name ?? name, signal);
}
