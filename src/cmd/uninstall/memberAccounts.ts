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
import { clusterUid, type CommandContext, CommandError, connectStored, describeAnswer, find } from "../shared/index.ts";
import {
  describeUnreleased,
  everythingOf,
  finishRevoking,
  KUBECONFIG_KEY,
  type Leftover,
  MEMBER_UID_ANNOTATION,
  type MemberAccess,
  memberAccess,
  memberSecret,
  reachedNamespaces,
  reachMember,
  releaseAll,
  revokeAccess,
} from "../member/index.ts";
import type { Place } from "./observe.ts";
import type { Item } from "./state.ts";

/**
 * Annotation of a member's Secret: uninstall has begun to remove the account whose token the Secret holds. The value is
 * the UID of the namespace that goes with the account, or `true`. An account cannot see the end of its own removal.
 * With this annotation, a member that does not know the credentials means that the account is gone; a member that
 * refuses them means that the removal broke off.
 */
const REVOKING_ANNOTATION = `${FEDERATION_GROUP}/access-being-revoked`;
const ACCOUNT_ONLY = "true";

/**
 * Removes the objects that join made on one member, with the stored credentials, and then the credentials. Returns
 * false when objects are left on the member, after printing them with the commands that remove them. The Secret stays
 * then, so that the next run tries again.
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
  if (left.length > 0) {
    terminal.err(`Left on ${name}; remove it with that cluster's own credentials:\n`);
    for (const { what, command } of [...left, forgetting(item)]) terminal.err(`  ${what}\n    ${command}\n`);
    return false;
  }
  try {
    await place.client.delete(SECRETS, namespace, name, { uid, signal });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
  return true;
}

function forgetting({ namespace = "", name }: Item): Leftover {
  return {
    what: `secret/${name} on the hub, which remembers this; once all of it is removed, or the cluster is no more`,
    command: `kubectl -n ${namespace} delete secret ${name}`,
  };
}

/**
 * Removes Meridian's marks from objects that run on a member, on behalf of a manager. Returns false when marks are
 * left, after printing a note.
 */
export async function releaseOn(place: Place, item: Item, { terminal, signal }: CommandContext): Promise<boolean> {
  const { client: hub, namespace, hubId } = place;
  const { name, uid } = item;
  const found = (await find(hub, MEMBERCLUSTERS, undefined, name, signal)) as unknown as MemberCluster | undefined;
  // The caller observes the hub again.
  if (found?.metadata.uid !== uid) return true;
  try {
    const secret = await memberSecret(name, found, namespace, hub, signal);
    await using member = await reachMember(name, found, secret, {}, hub, signal);
    if (member === undefined) return true;
    const { left } = await releaseAll(hubId, member, signal);
    if (left.length === 0) return true;
    terminal.err(`${marksStay(name)}: ${describeUnreleased(left)}\n`);
  } catch (error) {
    signal.throwIfAborted();
    terminal.err(`${marksStay(name)}: ${describeAnswer(error)}\n`);
  }
  return false;
}

function marksStay(name: string): string {
  return `the copies on ${name} keep Meridian's marks; a later join leaves them alone`;
}

/** Undefined when the Secret is gone or was replaced. */
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
  const access = memberAccess(place.hubId, namespace);
  const uid = await identify(member.client, signal);
  if (isRefused(uid)) return await goOn(place, item, access, member.client, uid, signal);
  const joined = secret.metadata.annotations?.[MEMBER_UID_ANNOTATION];
  if (joined !== undefined && uid !== joined) {
    throw new CommandError(`its credentials lead to another cluster (kube-system UID ${uid}, not ${joined})`);
  }
  try {
    // The manager may have stopped before it released everything.
    const reached = { client: member.client, namespaces: reachedNamespaces(undefined, secret) };
    const unreleased = (await releaseAll(place.hubId, reached, signal)).left;
    if (unreleased.length > 0) {
      const now = await identify(member.client, signal);
      if (isRefused(now)) return await goOn(place, item, access, member.client, now, signal);
      terminal.err(`${marksStay(name)}: ${describeUnreleased(unreleased)}\n`);
      // The account has to remove the marks in the next run.
      return everythingOf(access);
    }
    const begin = (namespaceUid: string | undefined): Promise<void> => mark(place, item, namespaceUid, signal);
    const { removed, left } = await revokeAccess(member.client, access, false, signal, begin);
    for (const what of removed) terminal.out(`${what} removed from ${name}\n`);
    if (left.length === 0) return [];
    const now = await identify(member.client, signal);
    return isRefused(now) ? await goOn(place, item, access, member.client, now, signal) : left;
  } catch (error) {
    // Another run of uninstall is removing the account at this moment.
    if (isUnauthorized(error)) return await goOn(place, item, access, member.client, "Unknown", signal);
    if (isForbidden(error)) return await goOn(place, item, access, member.client, "Forbidden", signal);
    throw error;
  }
}

/**
 * The member refuses the credentials. If some run of uninstall has begun to remove the account, then the account is
 * gone, or may only remove its namespace or itself.
 */
async function goOn(
  place: Place,
  item: Item,
  access: MemberAccess,
  member: Client,
  refusal: Refusal,
  signal: AbortSignal,
): Promise<Leftover[]> {
  const now = await secretOf(place, item, signal);
  if (now === undefined) return [];
  const begun = now.metadata.annotations?.[REVOKING_ANNOTATION];
  if (begun === undefined) throw new CommandError("it does not accept the stored credentials");
  if (refusal === "Unknown") return [];
  const { left } = await finishRevoking(member, access, begun === ACCOUNT_ONLY ? undefined : begun, signal);
  if (left.length === 0) return [];
  return (await identify(member, signal)) === "Unknown" ? [] : left;
}

/**
 * A member refuses credentials because it does not know the account (any more), or because the account has no rights.
 */
type Refusal = "Unknown" | "Forbidden";

function isRefused(answer: string): answer is Refusal {
  return answer === "Unknown" || answer === "Forbidden";
}

/** The UID of the member, or the kind of its refusal. */
async function identify(member: Client, signal: AbortSignal): Promise<string> {
  try {
    return await clusterUid(member, signal);
  } catch (error) {
    if (isUnauthorized(error)) return "Unknown" satisfies Refusal;
    if (isForbidden(error)) return "Forbidden" satisfies Refusal;
    throw error;
  }
}

async function mark(
  { client }: Place,
  { namespace, name, uid }: Item,
  namespaceUid: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const body = { metadata: { uid, annotations: { [REVOKING_ANNOTATION]: namespaceUid ?? ACCOUNT_ONLY } } };
  try {
    await client.patch(SECRETS, namespace, name, "application/merge-patch+json", body, { signal });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
