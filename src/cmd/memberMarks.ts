import { type KubeObject, MANAGED_BY_LABEL, type MemberCluster } from "../apis/index.ts";
import { letGo } from "../clusters/index.ts";
import {
  type Client,
  Discovery,
  isApiError,
  isForbidden,
  isNotFound,
  type ResourceType,
  SECRETS,
  systemClock,
} from "../runtime/index.ts";
import { clusterUid, connectMember, connectStored, find } from "./connection.ts";
import { KUBECONFIG_KEY, knownMemberUid, MEMBER_UID_ANNOTATION, reachedNamespaces } from "./joinedMember.ts";
import { CommandError } from "./outcome.ts";

/** What a hub has put on a member, by its label, and taking Meridian's marks off it where no manager does. */

/** One object on a member with the label of this hub. */
export interface Marked {
  type: ResourceType;
  namespace?: string;
  name: string;
  uid: string;
}

const PAGE = 500;
const LISTS_AT_ONCE = 8;
const WRITES_AT_ONCE = 16;

/** Every object with the label of that hub, of all kinds that the credentials may list, in the namespaces that they reach. */
export async function markedBy(
  hubId: string,
  { client, namespaces }: Pick<Reached, "client" | "namespaces">,
  signal: AbortSignal,
): Promise<Marked[]> {
  const types = new Map<string, ResourceType>();
  for (const type of await new Discovery(client, systemClock).list()) {
    const isOf = (verb: string): boolean => type.verbs?.includes(verb) === true;
    // The versions of a group hold the same objects: one of them is enough.
    const kind = `${type.group}/${type.plural}`;
    if (isOf("list") && isOf("patch") && !types.has(kind)) types.set(kind, type);
  }
  const lists = [...types.values()].flatMap((type): { type: ResourceType; namespace?: string }[] => {
    if (namespaces === undefined) return [{ type }];
    return type.namespaced ? namespaces.map((namespace) => ({ type, namespace })) : [];
  });
  const marked: Marked[] = [];
  await atOnce(LISTS_AT_ONCE, lists, async ({ type, ...place }) => {
    for (const { metadata } of await listMarked(hubId, client, type, place, signal)) {
      const { namespace, name, uid = "" } = metadata;
      marked.push({ type, ...(namespace === undefined ? {} : { namespace }), name, uid });
    }
  });
  return marked;
}

/** Takes everything of Meridian off these objects. Throws the first error, after the others have been tried. */
export async function letGoOf(marked: readonly Marked[], member: Client, signal: AbortSignal): Promise<void> {
  let failure: { error: unknown } | undefined;
  await atOnce(WRITES_AT_ONCE, marked, async ({ type, ...life }) => {
    try {
      await letGo(member, type, life, signal);
    } catch (error) {
      signal.throwIfAborted();
      failure ??= { error };
    }
  });
  if (failure !== undefined) throw failure.error;
}

async function listMarked(
  hubId: string,
  member: Client,
  type: ResourceType,
  place: { namespace?: string },
  signal: AbortSignal,
): Promise<KubeObject[]> {
  const items: KubeObject[] = [];
  let next: string | undefined;
  try {
    do {
      const page = await member.list(type, {
        ...place,
        labelSelector: `${MANAGED_BY_LABEL}=${hubId}`,
        metadataOnly: true,
        limit: PAGE,
        signal,
        ...(next === undefined ? {} : { continue: next }),
      });
      items.push(...page.items);
      next = page.continue === "" ? undefined : page.continue;
    } while (next !== undefined);
  } catch (error) {
    // Where the account may not list, the manager could not have written either; and what an aggregated API does not serve now, nobody can read.
    const isUnlisted = isForbidden(error) || isNotFound(error) || (isApiError(error) && error.status === 405);
    if (!isUnlisted && !(isApiError(error) && error.status === 503)) throw error;
  }
  return items;
}

async function atOnce<T>(limit: number, items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items].values();
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: limit }, worker));
}

/** A member that has shown which cluster it is. */
export interface Reached extends AsyncDisposable {
  client: Client;
  uid: string;
  /** The only namespaces that the credentials reach; undefined: the whole cluster. */
  namespaces?: readonly string[] | undefined;
}

/** How to reach a member: the person's own kubeconfig, or what the hub stores of it. */
export interface Reaching {
  memberKubeconfig?: string | undefined;
  memberContext?: string | undefined;
}

/**
 * A connection to the cluster of a MemberCluster, once the cluster has shown that it is that one; undefined when the hub has no credentials
 * for it. Throws when the cluster does not answer, or another one does.
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
    const known =
      (member === undefined ? undefined : knownMemberUid(member)) ??
      secret?.metadata.annotations?.[MEMBER_UID_ANNOTATION];
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

/** The kubeconfig in a Secret of a member. */
export function storedKubeconfig(secret: KubeObject | undefined, key = KUBECONFIG_KEY): string | undefined {
  const encoded = ((secret?.["data"] ?? {}) as Record<string, string>)[key];
  return encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString("utf8");
}

/** The Secret that a MemberCluster names, or would if it were still there. */
export function memberSecret(
  name: string,
  member: MemberCluster | undefined,
  namespace: string,
  hub: Client,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  return find(hub, SECRETS, namespace, member?.spec.connection.kubeconfigSecretRef?.name ?? name, signal);
}
