import type { KubeObject } from "../apis/index.ts";
import {
  type Client,
  CLUSTERROLEBINDINGS,
  CLUSTERROLES,
  Discovery,
  isForbidden,
  isNotFound,
  NAMESPACES,
  type ResourceType,
  ROLEBINDINGS,
  ROLES,
  SERVICEACCOUNTS,
  systemClock,
} from "../runtime/index.ts";
import { find } from "./connection.ts";
import { JOINED_TO_LABEL, type MemberAccess } from "./memberAccess.ts";
import { describeError } from "./outcome.ts";

/** Something that unjoin could not remove, and how a person can. */
export interface Leftover {
  what: string;
  command: string;
}

/** All that join makes on a member, for when it cannot be reached. */
export function everythingOf(access: MemberAccess): Leftover[] {
  return [
    { what: `clusterrole/${access.name}`, command: `kubectl delete clusterrole,clusterrolebinding ${access.name}` },
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

/**
 * What an account that removes itself deletes, all at once: as soon as the ClusterRole is gone so are the rights to go on, and the garbage
 * collector takes everything else, which it owns.
 */
const OWN_STEPS: Step[] = [
  { type: CLUSTERROLES, kind: "clusterrole", namespaced: false },
  { type: SERVICEACCOUNTS, kind: "serviceaccount", namespaced: true },
];

/** An administrator removes each object, and so needs no garbage collector. */
const ADMIN_STEPS: Step[] = [
  { type: CLUSTERROLEBINDINGS, kind: "clusterrolebinding", namespaced: false },
  { type: ROLEBINDINGS, kind: "rolebinding", namespaced: true },
  { type: ROLES, kind: "role", namespaced: true },
  { type: SERVICEACCOUNTS, kind: "serviceaccount", namespaced: true },
  { type: CLUSTERROLES, kind: "clusterrole", namespaced: false },
];

/** Removes from a member what join made there. `asAdmin`: with somebody's own credentials, not with those that are to go. */
export async function revokeAccess(
  member: Client,
  access: MemberAccess,
  asAdmin: boolean,
  signal: AbortSignal,
): Promise<Cleanup> {
  const cleanup: Cleanup = { removed: [], left: [] };
  const namespace = await find(member, NAMESPACES, undefined, access.namespace, signal);
  // Looked at first: afterwards an account that removes itself may not look any more.
  const removable = namespace !== undefined && (await isOursAndEmpty(member, namespace, access, signal));
  if (!asAdmin) {
    // The namespace takes the account along, in its own time; the rights go with the ClusterRole at once, so that one comes last.
    if (removable) await removeNamespace(member, namespace, cleanup, signal);
    const steps = removable ? OWN_STEPS.filter(({ type }) => type !== SERVICEACCOUNTS) : OWN_STEPS;
    await Promise.all(steps.map((step) => remove(member, step, access, cleanup, signal)));
    return cleanup;
  }
  for (const step of ADMIN_STEPS) await remove(member, step, access, cleanup, signal);
  if (removable) await removeNamespace(member, namespace, cleanup, signal);
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
  { metadata }: KubeObject,
  cleanup: Cleanup,
  signal: AbortSignal,
): Promise<void> {
  const { name, uid } = metadata;
  await attempt(`namespace/${name}`, `kubectl delete namespace ${name}`, cleanup, signal, () =>
    member.delete(NAMESPACES, undefined, name, { signal, ...(uid === undefined ? {} : { uid }) }),
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
    if (isNotFound(error)) return;
    signal.throwIfAborted();
    cleanup.left.push({ what: `${what} (${describeError(error)})`, command });
  }
}

/** Join made the namespace for this hub, and nothing but join's own objects is inside. A namespace that cannot be looked through stays. */
async function isOursAndEmpty(
  member: Client,
  namespace: KubeObject,
  access: MemberAccess,
  signal: AbortSignal,
): Promise<boolean> {
  if (namespace.metadata.labels?.[JOINED_TO_LABEL] !== access.hubId) return false;
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
      if (isNotFound(error)) continue;
      if (isForbidden(error)) return false;
      throw error;
    }
  }
  return true;
}

/** What every namespace holds by itself, and what only tells of other objects. */
function goesWithTheNamespace(plural: string, name: string): boolean {
  if (plural === "events" || plural === "endpoints" || plural === "endpointslices") return true;
  return (
    (plural === "configmaps" && name === "kube-root-ca.crt") || (plural === "serviceaccounts" && name === "default")
  );
}
