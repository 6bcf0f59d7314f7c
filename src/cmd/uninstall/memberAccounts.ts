import { FEDERATION_GROUP, type KubeObject } from "../../apis/index.ts";
import { type Client, isConflict, isForbidden, isNotFound, isUnauthorized, SECRETS } from "../../runtime/index.ts";
import {
  clusterUid,
  type CommandContext,
  CommandError,
  connectStored,
  describeAnswer,
  find,
  tolerating,
} from "../shared/index.ts";
import {
  describeUnreleased,
  everythingOf,
  findMember,
  finishRevoking,
  type Leftover,
  MEMBER_UID_ANNOTATION,
  type MemberAccess,
  memberAccess,
  memberSecret,
  reachedNamespaces,
  reachMember,
  releaseAll,
  revokeAccess,
  storedKubeconfig,
} from "../member/index.ts";
import type { Place } from "./observe.ts";
import type { Item } from "./state.ts";

/**
 * Annotation of a member's Secret: the removal of its account has begun. The value is the UID of the namespace that
 * goes too, or `true`. An account cannot see the end of its own removal: with this annotation, a member that does not
 * know the credentials has lost the account, and one that refuses them has an unfinished removal.
 */
const REVOKING_ANNOTATION = `${FEDERATION_GROUP}/access-being-revoked`;
const ACCOUNT_ONLY = "true";

/**
 * Removes what join made on one member with the stored credentials, and then these. False when something is left, which
 * is printed with the commands to remove it: the Secret stays for the next run.
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
  await tolerating(isChanged, () => place.client.delete(SECRETS, namespace, name, { uid, signal }));
  return true;
}

function forgetting({ namespace = "", name }: Item): Leftover {
  return {
    what: `secret/${name} on the hub, which remembers this; once all of it is removed, or the cluster is no more`,
    command: `kubectl -n ${namespace} delete secret ${name}`,
  };
}

/** On behalf of a manager. Returns false when marks are left, after printing a note. */
export async function releaseOn(place: Place, item: Item, { terminal, signal }: CommandContext): Promise<boolean> {
  const { client: hub, namespace, hubId } = place;
  const { name, uid } = item;
  const found = await findMember(hub, name, signal);
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
  await using member = connectStored(name, storedKubeconfig(secret) ?? "");
  const access = memberAccess(place.hubId, namespace);
  const uid = await identify(member.client, signal);
  const resume = (refusal: Refusal) => goOn(place, item, access, member.client, refusal, signal);
  if (isRefused(uid)) return await resume(uid);
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
      if (isRefused(now)) return await resume(now);
      terminal.err(`${marksStay(name)}: ${describeUnreleased(unreleased)}\n`);
      // The account has to remove the marks in the next run.
      return everythingOf(access);
    }
    const begin = (namespaceUid: string | undefined): Promise<void> => mark(place, item, namespaceUid, signal);
    const { removed, left } = await revokeAccess(member.client, access, false, signal, begin);
    for (const what of removed) terminal.out(`${what} removed from ${name}\n`);
    if (left.length === 0) return [];
    const now = await identify(member.client, signal);
    return isRefused(now) ? await resume(now) : left;
  } catch (error) {
    // Another run of uninstall is removing the account at this moment.
    return await resume(refusalOf(error));
  }
}

/**
 * The member refuses the credentials. If a run of uninstall has begun to remove the account, it is gone, or may only
 * remove its namespace or itself.
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

/** A member does not know the account (any more), or the account has no rights. */
type Refusal = "Unknown" | "Forbidden";

function isRefused(answer: string): answer is Refusal {
  return answer === "Unknown" || answer === "Forbidden";
}

/** The UID of the member, or the kind of its refusal. */
async function identify(member: Client, signal: AbortSignal): Promise<string> {
  try {
    return await clusterUid(member, signal);
  } catch (error) {
    return refusalOf(error);
  }
}

/** Throws any other error. */
function refusalOf(error: unknown): Refusal {
  if (isUnauthorized(error)) return "Unknown";
  if (isForbidden(error)) return "Forbidden";
  throw error;
}

async function mark(
  { client }: Place,
  { namespace, name, uid }: Item,
  namespaceUid: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const body = { metadata: { uid, annotations: { [REVOKING_ANNOTATION]: namespaceUid ?? ACCOUNT_ONLY } } };
  await tolerating(isChanged, () =>
    client.patch(SECRETS, namespace, name, "application/merge-patch+json", body, { signal }),
  );
}

/** The object is gone or was replaced. */
function isChanged(error: unknown): boolean {
  return isNotFound(error) || isConflict(error);
}
