import { FEDERATION_GROUP, type KubeObject, type MemberCluster } from "../../apis/index.ts";
import {
  type Client,
  isConflict,
  isForbidden,
  isNotFound,
  isUnauthorized,
  MEMBERCLUSTERS,
  SECRETS,
} from "../../runtime/index.ts";
import { clusterUid, type CommandContext, connectStored, find } from "../connection.ts";
import { KUBECONFIG_KEY, MEMBER_UID_ANNOTATION, reachedNamespaces } from "../joinedMember.ts";
import { memberAccess } from "../memberAccess.ts";
import { everythingOf, type Leftover, revokeAccess } from "../memberCleanup.ts";
import { letGoOf, markedBy, reachMember, memberSecret } from "../memberMarks.ts";
import { CommandError, describeAnswer } from "../outcome.ts";
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
    terminal.err(`${name} could not be cleaned: ${describeAnswer(error)}\n`);
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

/**
 * Takes Meridian's marks off what runs on a member, in place of a manager. Returns false when the member cannot be reached, after printing
 * that it keeps them.
 */
export async function letGoOn(place: Place, item: Item, { terminal, signal }: CommandContext): Promise<boolean> {
  const { client: hub, namespace, hubId } = place;
  const { name, uid } = item;
  const found = (await find(hub, MEMBERCLUSTERS, undefined, name, signal)) as unknown as MemberCluster | undefined;
  // The caller observes the hub again.
  if (found?.metadata.uid !== uid) return true;
  try {
    const secret = await memberSecret(name, found, namespace, hub, signal);
    await using member = await reachMember(name, found, secret, {}, hub, signal);
    if (member === undefined) return true;
    await letGoOf(await markedBy(hubId, member, signal), member.client, signal);
    return true;
  } catch (error) {
    signal.throwIfAborted();
    terminal.err(
      `what runs on ${name} keeps Meridian's marks; a later join leaves it alone: ${describeAnswer(error)}\n`,
    );
    return false;
  }
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
  await using member = connectStored(name, text);
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
    // The manager may have been stopped before it had let go of everything.
    const reached = { client: member.client, namespaces: reachedNamespaces(undefined, secret) };
    await letGoOf(await markedBy(place.hubId, reached, signal), member.client, signal);
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
