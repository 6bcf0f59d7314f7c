import { defined } from "../../../apis/index.ts";
import {
  type Client,
  CLUSTEROVERRIDEPOLICIES,
  CLUSTERPLACEMENTS,
  CLUSTERRESOURCEBINDINGS,
  DEMOAPPLICATIONS,
  MANIFESTBUNDLES,
  MEMBERCLUSTERS,
  OVERRIDEPOLICIES,
  PLACEMENTS,
  RESOURCEBINDINGS,
} from "../../../runtime/index.ts";
import { accessClusterRole, type MemberAccess } from "../../member/index.ts";
import type { PolicyRule } from "../../workload/index.ts";

/** One RBAC permission. */
export interface Right {
  group: string;
  resource: string;
  verb: string;
  namespace?: string;
}

/** Meridian's own kinds. */
export const OWN_TYPES = [
  DEMOAPPLICATIONS,
  MANIFESTBUNDLES,
  MEMBERCLUSTERS,
  PLACEMENTS,
  OVERRIDEPOLICIES,
  CLUSTERPLACEMENTS,
  CLUSTEROVERRIDEPOLICIES,
  RESOURCEBINDINGS,
  CLUSTERRESOURCEBINDINGS,
];

/**
 * What a person needs on a hub: to install, join and apply the sample, and what the manager needs, which runs as the
 * person.
 */
export function hubRights(systemNamespace: string): Right[] {
  return [
    ...rights("apiextensions.k8s.io", { customresourcedefinitions: ["get", "list", "watch", "create", "patch"] }),
    ...rights("", {
      namespaces: ["get", "list", "watch", "create", "patch"],
      secrets: ["get", "list", "watch"],
      configmaps: ["get", "list", "watch"],
    }),
    ...rights("", { secrets: ["create", "patch", "delete"] }, systemNamespace),
    ...rights("coordination.k8s.io", { leases: ["get", "list", "watch", "create", "update"] }, systemNamespace),
    ...rights("events.k8s.io", { events: ["create", "patch"] }),
    ...OWN_TYPES.flatMap(({ group, plural }) =>
      rights(group, {
        [plural]: ["get", "list", "watch", "create", "patch", "delete"],
        [`${plural}/status`]: ["patch"],
      }),
    ),
  ];
}

/** What a person needs to join a member. Whoever grants rights must have them. */
export function memberRights(access: MemberAccess): Right[] {
  const given = (accessClusterRole(access)["rules"] as PolicyRule[]).flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((resource) => rights(group, { [resource]: verbs }))),
  );
  const own = ["get", "create", "patch", "delete"];
  const needed = [
    ...rights("", { namespaces: ["get", "create", "delete"] }),
    ...rights("", { serviceaccounts: own, "serviceaccounts/token": ["create"] }, access.namespace),
    ...rights("rbac.authorization.k8s.io", { clusterroles: own, clusterrolebindings: own }),
    ...rights("rbac.authorization.k8s.io", { roles: own, rolebindings: own }, access.namespace),
    ...given,
  ];
  const byName = new Map(needed.map((right) => [JSON.stringify(right), right]));
  return [...byName.values()];
}

function rights(group: string, resources: Record<string, readonly string[]>, namespace?: string): Right[] {
  return Object.entries(resources).flatMap(([resource, verbs]) =>
    verbs.map((verb) => ({ group, resource, verb, ...defined({ namespace }) })),
  );
}

const EVERYTHING: Right = { group: "*", resource: "*", verb: "*" };

/** One request is enough for an administrator. */
export async function missingRights(client: Client, needed: readonly Right[], signal: AbortSignal): Promise<Right[]> {
  if (await isAllowed(client, EVERYTHING, signal)) return [];
  const answers = await Promise.all(needed.map((right) => isAllowed(client, right, signal)));
  return needed.filter((_, index) => answers[index] !== true);
}

async function isAllowed(
  client: Client,
  { group, resource, verb, namespace }: Right,
  signal: AbortSignal,
): Promise<boolean> {
  const [plural, subresource] = resource.split("/", 2);
  const review = (await client.raw("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
    body: {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: {
        resourceAttributes: { group, resource: plural, verb, ...defined({ subresource, namespace }) },
      },
    },
    signal,
  })) as { status?: { allowed?: boolean } };
  return review.status?.allowed === true;
}

/** One line for each resource: `create, patch clusterroles.rbac.authorization.k8s.io`. */
export function describeRights(missing: readonly Right[]): string[] {
  const verbs = new Map<string, string[]>();
  for (const { group, resource, verb, namespace } of missing) {
    const what = `${resource}${group === "" ? "" : `.${group}`}${namespace === undefined ? "" : ` in namespace ${namespace}`}`;
    verbs.set(what, [...(verbs.get(what) ?? []), verb]);
  }
  return [...verbs].map(([what, list]) => `${list.join(", ")} ${what}`);
}
