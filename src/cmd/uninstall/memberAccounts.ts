import { FEDERATION_GROUP, type KubeObject, MANAGED_BY_LABEL } from "../../apis/index.ts";
import { inspectNamespace, isOurNamespace } from "../../clusters/index.ts";
import {
  type Client,
  clusterConfigFromKubeconfig,
  Discovery,
  isConflict,
  isForbidden,
  isNotFound,
  isUnauthorized,
  NAMESPACES,
  SECRETS,
  systemClock,
} from "../../runtime/index.ts";
import { clusterUid, type CommandContext, connect, find } from "../connection.ts";
import { KUBECONFIG_KEY, MEMBER_UID_ANNOTATION } from "../joinedMember.ts";
import { memberAccess } from "../memberAccess.ts";
import { everythingOf, type Leftover, revokeAccess } from "../memberCleanup.ts";
import { CommandError, describeError } from "../outcome.ts";
import type { Place } from "./observe.ts";
import type { Item } from "./state.ts";

/**
 * On the Secret of a member: uninstall has begun to remove the account that the Secret has the token of. An account cannot see the end of
 * its own removal: with this annotation, credentials that the member refuses mean that the account is gone.
 */
const REVOKING_ANNOTATION = `${FEDERATION_GROUP}/access-being-revoked`;

/**
 * Removes the objects that join made on one member, with the credentials that join stored, and then the credentials. Returns false when
 * objects are left on the member, after printing them with the commands that remove them.
 */
export async function cleanMember(place: Place, item: Item, context: CommandContext): Promise<boolean> {
  const { terminal, signal } = context;
  const { namespace = "", name, uid } = item;
  const secret = await secretOf(place, item, signal);
  if (secret === undefined) return true;
  let left: Leftover[];
  try {
    left = await revoke(place, item, secret, context);
  } catch (error) {
    signal.throwIfAborted();
    terminal.err(`${name} could not be cleaned: ${describeError(error)}\n`);
    left = everythingOf(memberAccess(place.hubId, namespace));
  }
  if (left.length > 0) terminal.err(`Left on ${name}; remove it with that cluster's own credentials:\n`);
  for (const { what, command } of left) terminal.err(`  ${what}\n    ${command}\n`);
  try {
    await place.client.delete(SECRETS, namespace, name, { uid, signal });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
  return left.length === 0;
}

/** Undefined when the Secret is gone, or another one is in its place. */
async function secretOf(
  { client }: Place,
  { namespace, name, uid }: Item,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const secret = await find(client, SECRETS, namespace, name, signal);
  return secret?.metadata.uid === uid ? secret : undefined;
}

async function revoke(
  place: Place,
  item: Item,
  secret: KubeObject,
  { terminal, signal }: CommandContext,
): Promise<Leftover[]> {
  const { namespace = "", name } = item;
  const encoded = ((secret["data"] ?? {}) as Record<string, string>)[KUBECONFIG_KEY] ?? "";
  const text = Buffer.from(encoded, "base64").toString("utf8");
  await using member = connect(name, clusterConfigFromKubeconfig(text, { cluster: name }));
  const uid = await identify(member.client, signal);
  if (uid === undefined) {
    // Another run of uninstall may have removed the account, before or at this moment.
    const now = await secretOf(place, item, signal);
    if (now === undefined || now.metadata.annotations?.[REVOKING_ANNOTATION] !== undefined) return [];
    throw new CommandError("it does not accept the stored credentials");
  }
  const joined = secret.metadata.annotations?.[MEMBER_UID_ANNOTATION];
  if (joined !== undefined && uid !== joined) {
    throw new CommandError(`its credentials lead to another cluster (kube-system UID ${uid}, not ${joined})`);
  }
  await mark(place, item, signal);
  try {
    await sweepNamespaces(member.client, place.hubId, signal);
    const access = memberAccess(place.hubId, namespace);
    const { removed, left } = await revokeAccess(member.client, access, false, signal);
    for (const what of removed) terminal.out(`${what} removed from ${name}\n`);
    // Without its rights the account can remove nothing more, and the member's garbage collector deletes the objects that the ClusterRole owns.
    return left.length > 0 && (await identify(member.client, signal)) === undefined ? [] : left;
  } catch (error) {
    if (isRefusal(error)) return [];
    throw error;
  }
}

/** The UID of the member; undefined when the member refuses the credentials. */
async function identify(member: Client, signal: AbortSignal): Promise<string | undefined> {
  try {
    return await clusterUid(member, signal);
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

function isRefusal(error: unknown): boolean {
  return isUnauthorized(error) || isForbidden(error);
}

async function mark({ client }: Place, { namespace, name, uid }: Item, signal: AbortSignal): Promise<void> {
  const body = { metadata: { uid, annotations: { [REVOKING_ANNOTATION]: "true" } } };
  try {
    await client.patch(SECRETS, namespace, name, "application/merge-patch+json", body, { signal });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

/** Deletes the empty namespaces that Meridian made: the manager may have been stopped before it did. */
async function sweepNamespaces(member: Client, hubId: string, signal: AbortSignal): Promise<void> {
  const { items } = await member.list(NAMESPACES, { labelSelector: `${MANAGED_BY_LABEL}=${hubId}`, signal });
  const discovery = new Discovery(member, systemClock);
  for (const namespace of items.filter((one) => isOurNamespace(one, hubId))) {
    const { name, uid, deletionTimestamp } = namespace.metadata;
    if (deletionTimestamp !== undefined) continue;
    if ((await inspectNamespace(member, discovery, name, signal)).kind !== "Empty") continue;
    try {
      await member.delete(NAMESPACES, undefined, name, { signal, ...(uid === undefined ? {} : { uid }) });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
}
