import type { Rendered } from "./chart.ts";

/** One right that a request needed. */
export interface UsedRight {
  group: string;
  /** With its subresource: `demoapplications/status`. */
  resource: string;
  verb: string;
  namespace: string | undefined;
  /** Also the name that a field selector asks for. */
  name: string | undefined;
  status: number;
}

/** One right that a role gives: a verb on a resource, somewhere, maybe on one name only. */
export interface GrantedRight {
  group: string;
  resource: string;
  verb: string;
  /** Undefined: in every namespace. */
  namespace: string | undefined;
  names: string[] | undefined;
}

/** What the roles that are bound to this ServiceAccount give, one verb and one resource each. */
export function grantedRights(
  objects: readonly Rendered[],
  account: { namespace: string; name: string },
): GrantedRight[] {
  return objects.flatMap((binding) => {
    if (binding.kind !== "ClusterRoleBinding" && binding.kind !== "RoleBinding") return [];
    const { roleRef, subjects } = binding as unknown as Binding;
    if (!subjects.some(({ namespace, name }) => namespace === account.namespace && name === account.name)) return [];
    const role = objects.find(
      ({ kind, metadata }) =>
        kind === roleRef.kind &&
        metadata.name === roleRef.name &&
        (kind === "ClusterRole" || metadata.namespace === binding.metadata.namespace),
    );
    if (role === undefined) throw new Error(`${roleRef.kind} ${roleRef.name} is not there`);
    return (role.rules ?? []).flatMap(({ apiGroups = [], resources = [], verbs, resourceNames }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) =>
          verbs.map((verb) => ({ group, resource, verb, namespace: binding.metadata.namespace, names: resourceNames })),
        ),
      ),
    );
  });
}

interface Binding {
  roleRef: { kind: string; name: string };
  subjects: { kind: string; namespace: string; name: string }[];
}

/** Whether this right is what the request needed. */
export function covers(granted: GrantedRight, used: UsedRight): boolean {
  return (
    granted.group === used.group &&
    granted.resource === used.resource &&
    granted.verb === used.verb &&
    (granted.namespace === undefined || granted.namespace === used.namespace) &&
    (granted.names === undefined || (used.name !== undefined && granted.names.includes(used.name)))
  );
}

export function isForbidden(status: number): boolean {
  return status === 401 || status === 403;
}

/** The rights that one request needed: to make an object by a patch takes both. */
export function neededBy(request: UsedRight): UsedRight[] {
  return request.verb === "patch" && request.status === 201 ? [request, { ...request, verb: "create" }] : [request];
}

/** Rights that no request needed, in words: `patch secrets in meridian-system`. */
export function unusedRights(granted: readonly GrantedRight[], used: readonly UsedRight[]): string[] {
  const asked = used.filter(({ status }) => !isForbidden(status));
  const unused = granted.filter((right) => !asked.some((request) => covers(right, request)));
  return [...new Set(unused.map(inWords))].sort();
}

export function inWords({ group, resource, verb, namespace }: Omit<GrantedRight, "names">): string {
  const what = group === "" ? resource : `${resource.replace(/^([^/]+)/, `$1.${group}`)}`;
  return `${verb} ${what}${namespace === undefined ? "" : ` in ${namespace}`}`;
}
