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

/** An object that unjoin could not remove, and the command with which a person can. */
export interface Leftover {
  what: string;
  command: string;
}

/** Every object that join makes on a member, for a member that cannot be reached. */
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

interface Step {
  type: ResourceType;
  kind: string;
  namespaced: boolean;
}

/** An account that removes itself deletes OWN_CLUSTERROLE first, and OWN_ACCOUNT last if its namespace stays. */
const OWN_CLUSTERROLE: Step = { type: CLUSTERROLES, kind: "clusterrole", namespaced: false };
const OWN_ACCOUNT: Step = { type: SERVICEACCOUNTS, kind: "serviceaccount", namespaced: true };

/** An administrator deletes each object, without the garbage collector. */
const ADMIN_STEPS: Step[] = [
  { type: VALIDATINGADMISSIONPOLICYBINDINGS, kind: "validatingadmissionpolicybinding", namespaced: false },
  { type: VALIDATINGADMISSIONPOLICIES, kind: "validatingadmissionpolicy", namespaced: false },
  { type: CLUSTERROLEBINDINGS, kind: "clusterrolebinding", namespaced: false },
  { type: ROLEBINDINGS, kind: "rolebinding", namespaced: true },
  { type: ROLES, kind: "role", namespaced: true },
  { type: SERVICEACCOUNTS, kind: "serviceaccount", namespaced: true },
  { type: CLUSTERROLES, kind: "clusterrole", namespaced: false },
];

/**
 * Called before an account removes the first of its rights. The argument is the UID of the namespace to be removed;
 * undefined: the namespace stays.
 */
export type BeginRevoking = (namespaceUid: string | undefined) => Promise<void>;

/**
 * Removes from a member the objects that join made. `asAdmin`: uses a person's own credentials, not the account that is
 * removed.
 */
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
  if (!asAdmin) await begin(removable ? namespace.metadata.uid : undefined);
  if (!asAdmin) return await removeItself(member, access, removable ? namespace : undefined, signal);
  try {
    await revokeNamespaces(member, { ...access, namespaces: [] }, cleanup, signal);
  } catch (error) {
    // A person who may not list these objects leaves them to the garbage collector, which deletes them after the
    // ClusterRole.
    if (!isForbidden(error)) throw error;
  }
  for (const step of ADMIN_STEPS) await remove(member, step, access, cleanup, signal);
  if (removable) await removeNamespace(member, namespace, cleanup, signal);
  return cleanup;
}

/**
 * Removes the account's rights in single namespaces, except the granted ones. Throws the client's error if the Roles
 * and RoleBindings cannot be listed.
 */
export async function revokeNamespaces(
  member: Client,
  access: MemberAccess,
  cleanup: Cleanup,
  signal: AbortSignal,
): Promise<void> {
  const { name, hubId, namespace: own, namespaces = [] } = access;
  const steps = [
    { type: ROLEBINDINGS, kind: "rolebinding" },
    { type: ROLES, kind: "role" },
  ];
  for (const { type, kind } of steps) {
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
 * Sequential, so that no right is lost before it was used. First the ClusterRole is deleted, and the garbage collector
 * deletes its binding. Then the namespace or the account is deleted. The rights for that are in a Role of the
 * namespace, which is deleted along. `namespace` is set if it has to be removed, too.
 */
async function removeItself(
  member: Client,
  access: MemberAccess,
  namespace: KubeObject | undefined,
  signal: AbortSignal,
): Promise<Cleanup> {
  const cleanup: Cleanup = { removed: [], left: [] };
  await remove(member, OWN_CLUSTERROLE, access, cleanup, signal);
  // If the ClusterRole is left, the account stays: without the account, only an administrator could remove the
  // ClusterRole.
  if (cleanup.left.length > 0) return { removed: [], left: everythingOf(access) };
  if (namespace !== undefined) await removeNamespace(member, namespace, cleanup, signal);
  else await remove(member, OWN_ACCOUNT, access, cleanup, signal);
  return cleanup;
}

/**
 * Continues a removal that broke off after the ClusterRole was deleted. From then on the account may only remove its
 * namespace, or itself. `namespaceUid`: the argument of {@link BeginRevoking}.
 */
export async function finishRevoking(
  member: Client,
  access: MemberAccess,
  namespaceUid: string | undefined,
  signal: AbortSignal,
): Promise<Cleanup> {
  const cleanup: Cleanup = { removed: [], left: [] };
  const namespace = {
    metadata: { name: access.namespace, ...defined({ uid: namespaceUid }) },
  };
  if (namespaceUid !== undefined) await removeNamespace(member, namespace, cleanup, signal);
  else await remove(member, OWN_ACCOUNT, access, cleanup, signal);
  return cleanup;
}

async function remove(
  member: Client,
  { type, kind, namespaced }: Step,
  access: MemberAccess,
  cleanup: Cleanup,
  signal: AbortSignal,
): Promise<void> {
  const what = `${kind}/${access.name}`;
  const scope = namespaced ? `-n ${access.namespace} ` : "";
  await attempt(what, `kubectl ${scope}delete ${kind} ${access.name}`, cleanup, signal, () =>
    member.delete(type, namespaced ? access.namespace : undefined, access.name, {
      propagationPolicy: "Background",
      signal,
    }),
  );
}

async function removeNamespace(
  member: Client,
  { metadata }: Pick<KubeObject, "metadata">,
  cleanup: Cleanup,
  signal: AbortSignal,
): Promise<void> {
  const { name, uid } = metadata;
  await attempt(`namespace/${name}`, `kubectl delete namespace ${name}`, cleanup, signal, () =>
    member.delete(NAMESPACES, undefined, name, { signal, ...defined({ uid }) }),
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

/**
 * True when a join (for any hub) made the namespace and the namespace holds only this hub's objects. A namespace whose
 * objects cannot be listed stays.
 */
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

/** True for objects that Kubernetes puts into every namespace, and for kinds that only describe other objects. */
function goesWithTheNamespace(plural: string, name: string): boolean {
  if (plural === "events" || plural === "endpoints" || plural === "endpointslices") return true;
  return (
    (plural === "configmaps" && name === "kube-root-ca.crt") || (plural === "serviceaccounts" && name === "default")
  );
}
