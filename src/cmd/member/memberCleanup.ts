import { defined, type KubeObject } from "../../apis/index.ts";
import {
  type Client,
  CLUSTERROLEBINDINGS,
  CLUSTERROLES,
  Discovery,
  isForbidden,
  isMissing,
  NAMESPACES,
  type ResourceType,
  ROLEBINDINGS,
  ROLES,
  SERVICEACCOUNTS,
  systemClock,
  VALIDATINGADMISSIONPOLICIES,
  VALIDATINGADMISSIONPOLICYBINDINGS,
  listAll,
} from "../../runtime/index.ts";
import { describeAnswer, find } from "../shared/index.ts";
import { JOINED_TO_LABEL, type MemberAccess } from "./memberAccess.ts";

/** What unjoin could not remove, and the command with which a person can. */
export interface Leftover {
  what: string;
  command: string;
}

/** Everything that join makes, for a member that cannot be reached. */
export function everythingOf(access: MemberAccess): Leftover[] {
  const policy = "validatingadmissionpolicybinding,validatingadmissionpolicy";
  return [
    { what: `clusterrole/${access.name}`, command: `kubectl delete clusterrole,clusterrolebinding ${access.name}` },
    {
      what: `validatingadmissionpolicy/${access.name}, if join made one`,
      command: `kubectl delete ${policy} ${access.name} --ignore-not-found`,
    },
    {
      what: `serviceaccount/${access.name}`,
      command: `kubectl -n ${access.namespace} delete serviceaccount,role,rolebinding ${access.name}`,
    },
    {
      what: `namespace/${access.namespace}, if nothing else is in it`,
      command: `kubectl delete namespace ${access.namespace}`,
    },
  ];
}

export interface Cleanup {
  removed: string[];
  left: Leftover[];
}

/** What an administrator deletes, in this order, without the garbage collector. */
const ADMIN_STEPS: readonly ResourceType[] = [
  VALIDATINGADMISSIONPOLICYBINDINGS,
  VALIDATINGADMISSIONPOLICIES,
  CLUSTERROLEBINDINGS,
  ROLEBINDINGS,
  ROLES,
  SERVICEACCOUNTS,
  CLUSTERROLES,
];

/** Called before an account removes the first of its rights, with the UID of the namespace that goes too, if any. */
export type BeginRevoking = (namespaceUid: string | undefined) => Promise<void>;

/** Removes what join made. `asAdmin`: with a person's own credentials, not with the account that is removed. */
export async function revokeAccess(
  member: Client,
  access: MemberAccess,
  asAdmin: boolean,
  signal: AbortSignal,
  begin: BeginRevoking = () => Promise.resolve(),
): Promise<Cleanup> {
  const cleanup: Cleanup = { removed: [], left: [] };
  const namespace = await find(member, NAMESPACES, undefined, access.namespace, signal);
  // Read first: an account that has removed itself can no longer read.
  const removable = namespace !== undefined && (await isOursAndEmpty(member, namespace, access, signal));
  const namespaceUid = removable ? namespace.metadata.uid : undefined;
  if (!asAdmin) {
    await begin(namespaceUid);
    await remove(member, CLUSTERROLES, access, cleanup, signal);
    // Without the account only an administrator could remove the ClusterRole.
    if (cleanup.left.length > 0) return { removed: [], left: everythingOf(access) };
    const { removed, left } = await finishRevoking(member, access, namespaceUid, signal);
    return { removed: [...cleanup.removed, ...removed], left };
  }
  try {
    await revokeNamespaces(member, { ...access, namespaces: [] }, cleanup, signal);
  } catch (error) {
    // The garbage collector deletes them after the ClusterRole.
    if (!isForbidden(error)) throw error;
  }
  for (const step of ADMIN_STEPS) await remove(member, step, access, cleanup, signal);
  if (namespaceUid !== undefined) await removeNamespace(member, access, namespaceUid, cleanup, signal);
  return cleanup;
}

/**
 * Removes the account's rights in namespaces that are not granted. Throws the client's error if they cannot be listed.
 */
export async function revokeNamespaces(
  member: Client,
  access: MemberAccess,
  cleanup: Cleanup,
  signal: AbortSignal,
): Promise<void> {
  const { name, hubId, namespace: own, namespaces = [] } = access;
  for (const type of [ROLEBINDINGS, ROLES]) {
    const kind = type.kind.toLowerCase();
    const selection = { client: member, type, labelSelector: `${JOINED_TO_LABEL}=${hubId}` };
    const items = await listAll(selection, { metadataOnly: true, signal });
    for (const { metadata } of items) {
      const { namespace = "", uid } = metadata;
      if (metadata.name !== name || namespace === own || namespaces.includes(namespace)) continue;
      const what = `${kind}/${name} of namespace ${namespace}`;
      await attempt(what, `kubectl -n ${namespace} delete ${kind} ${name}`, cleanup, signal, () =>
        member.delete(type, namespace, name, { signal, ...defined({ uid }) }),
      );
    }
  }
}

/**
 * Removes what an account may still remove when its ClusterRole is gone: its namespace, or itself. The rights for that
 * go last, with the Role in the namespace. `namespaceUid` is that of {@link BeginRevoking}.
 */
export async function finishRevoking(
  member: Client,
  access: MemberAccess,
  namespaceUid: string | undefined,
  signal: AbortSignal,
): Promise<Cleanup> {
  const cleanup: Cleanup = { removed: [], left: [] };
  if (namespaceUid !== undefined) await removeNamespace(member, access, namespaceUid, cleanup, signal);
  else await remove(member, SERVICEACCOUNTS, access, cleanup, signal);
  return cleanup;
}

async function remove(
  member: Client,
  type: ResourceType,
  { name, namespace }: MemberAccess,
  cleanup: Cleanup,
  signal: AbortSignal,
): Promise<void> {
  const kind = type.kind.toLowerCase();
  const scope = type.namespaced ? `-n ${namespace} ` : "";
  await attempt(`${kind}/${name}`, `kubectl ${scope}delete ${kind} ${name}`, cleanup, signal, () =>
    member.delete(type, type.namespaced ? namespace : undefined, name, { propagationPolicy: "Background", signal }),
  );
}

async function removeNamespace(
  member: Client,
  { namespace }: MemberAccess,
  uid: string,
  cleanup: Cleanup,
  signal: AbortSignal,
): Promise<void> {
  await attempt(`namespace/${namespace}`, `kubectl delete namespace ${namespace}`, cleanup, signal, () =>
    member.delete(NAMESPACES, undefined, namespace, { signal, uid }),
  );
}

async function attempt(
  what: string,
  command: string,
  cleanup: Cleanup,
  signal: AbortSignal,
  act: () => Promise<void>,
): Promise<void> {
  try {
    await act();
    cleanup.removed.push(what);
  } catch (error) {
    if (isMissing(error)) return;
    signal.throwIfAborted();
    cleanup.left.push({ what: `${what} (${describeAnswer(error)})`, command });
  }
}

/** True when a join (of any hub) made the namespace, and nothing of others is in it, as far as the account can see. */
async function isOursAndEmpty(
  member: Client,
  namespace: KubeObject,
  access: MemberAccess,
  signal: AbortSignal,
): Promise<boolean> {
  if (namespace.metadata.labels?.[JOINED_TO_LABEL] === undefined) return false;
  const types = (await new Discovery(member, systemClock).list()).filter(
    (type) => type.namespaced && (type.verbs ?? []).includes("list"),
  );
  for (const type of types) {
    try {
      const { items } = await member.list(type, {
        namespace: access.namespace,
        labelSelector: `${JOINED_TO_LABEL}!=${access.hubId}`,
        metadataOnly: true,
        limit: 10,
        signal,
      });
      if (items.some((item) => !goesWithTheNamespace(type.plural, item.metadata.name))) return false;
    } catch (error) {
      if (isMissing(error)) continue;
      if (isForbidden(error)) return false;
      throw error;
    }
  }
  return true;
}

/** Kubernetes puts these into every namespace, or they only describe other objects. */
function goesWithTheNamespace(plural: string, name: string): boolean {
  if (plural === "events" || plural === "endpoints" || plural === "endpointslices") return true;
  return (
    (plural === "configmaps" && name === "kube-root-ca.crt") || (plural === "serviceaccounts" && name === "default")
  );
}
