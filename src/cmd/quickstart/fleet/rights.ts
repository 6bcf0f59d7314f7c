import { defined, FEDERATION_GROUP, PAAS_GROUP } from "../../../apis/index.ts";
import type { Client } from "../../../runtime/index.ts";
import { accessClusterRole, type MemberAccess } from "../../member/index.ts";

/** One RBAC permission. */
export interface Right {
  group: string;
  resource: string;
  verb: string;
  namespace?: string;
}

type Resources = Record<string, readonly string[]>;

const OWN_KINDS = [
  [PAAS_GROUP, "demoapplications"],
  [PAAS_GROUP, "demoapplications/status"],
  [FEDERATION_GROUP, "manifestbundles"],
  [FEDERATION_GROUP, "manifestbundles/status"],
  [FEDERATION_GROUP, "memberclusters"],
  [FEDERATION_GROUP, "memberclusters/status"],
  [FEDERATION_GROUP, "placements"],
  [FEDERATION_GROUP, "placements/status"],
  [FEDERATION_GROUP, "overridepolicies"],
  [FEDERATION_GROUP, "overridepolicies/status"],
  [FEDERATION_GROUP, "clusterplacements"],
  [FEDERATION_GROUP, "clusterplacements/status"],
  [FEDERATION_GROUP, "clusteroverridepolicies"],
  [FEDERATION_GROUP, "clusteroverridepolicies/status"],
  [FEDERATION_GROUP, "resourcebindings"],
  [FEDERATION_GROUP, "resourcebindings/status"],
  [FEDERATION_GROUP, "clusterresourcebindings"],
  [FEDERATION_GROUP, "clusterresourcebindings/status"],
] as const;

/** Rights on a hub to install, join and apply the sample, and the manager's rights: the manager runs as the person. */
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
    ...OWN_KINDS.flatMap(([group, resource]) =>
      rights(group, {
        [resource]: resource.includes("/") ? ["patch"] : ["get", "list", "watch", "create", "patch", "delete"],
      }),
    ),
  ];
}

/** Rights to join a member. A person who grants rights must have them. */
export function memberRights(access: MemberAccess): Right[] {
  const role = accessClusterRole(access) as unknown as {
    rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[];
  };
  const given = role.rules.flatMap(({ apiGroups, resources, verbs }) =>
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

function rights(group: string, resources: Resources, namespace?: string): Right[] {
  return Object.entries(resources).flatMap(([resource, verbs]) =>
    verbs.map((verb) => ({ group, resource, verb, ...defined({ namespace }) })),
  );
}

const EVERYTHING: Right = { group: "*", resource: "*", verb: "*" };

/** The rights that the client's user lacks, according to the cluster. For an administrator one request is enough. */
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
        resourceAttributes: {
          group,
          resource: plural,
          ...defined({ subresource }),
          verb,
          ...defined({ namespace }),
        },
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
