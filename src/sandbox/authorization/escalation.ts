import { defined } from "../../apis/index.ts";
import { failure, notFound, type StatusError } from "../statusError.ts";
import type { KubeObject, ResourceName, UserInfo } from "../types.ts";
import { aggregate, authorize, grantsTo, isMaster } from "./authorize.ts";
import { compact, describeRule, missing, quoteAll } from "./rules.ts";
import { type PolicyRule, RBAC_GROUP, roleRefOf, type RoleSource, rulesOf, selectorsOf } from "./types.ts";

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

/**
 * Refuses (StatusError 403) a role or binding that grants permissions the user does not have, unless the user may
 * `escalate` or `bind`. A binding to a missing role is refused with 404. Call before create and update of valid roles,
 * clusterroles, rolebindings and clusterrolebindings; no effect on other resources.
 */
export function checkEscalation(
  resource: ResourceName,
  object: KubeObject,
  old: KubeObject | undefined,
  user: UserInfo,
  roles: RoleSource,
): void {
  if (resource.group !== RBAC_GROUP || isMaster(user)) return;
  switch (resource.plural) {
    case "roles":
    case "clusterroles":
      return checkRole(resource, object, old, user, roles);
    case "rolebindings":
    case "clusterrolebindings":
      return checkBinding(resource, object, old, user, roles);
  }
}

function checkRole(
  resource: ResourceName,
  object: KubeObject,
  old: KubeObject | undefined,
  user: UserInfo,
  roles: RoleSource,
): void {
  if (mayDo("escalate", resource.plural, object, old, user, roles)) return;
  const selectors = selectorsOf(object);
  if (old !== undefined && same(rulesOf(old), rulesOf(object)) && same(selectorsOf(old), selectors)) return;
  const { namespace } = object.metadata;
  const why = refusal(rulesOf(object), namespace, user, roles);
  if (why !== undefined) throw refused(resource, object, why);
  // An aggregated role grows with the labels that others set, so only a user with all permissions may write it.
  if (selectors !== undefined && refusal(EVERYTHING, undefined, user, roles) !== undefined) {
    throw refused(resource, object, "must have cluster-admin privileges to use the aggregationRule");
  }
}

function checkBinding(
  resource: ResourceName,
  object: KubeObject,
  old: KubeObject | undefined,
  user: UserInfo,
  roles: RoleSource,
): void {
  const { kind, name } = roleRefOf(object);
  const { namespace } = object.metadata;
  if (old !== undefined && same(old["subjects"], object["subjects"]) && same(roleRefOf(old), roleRefOf(object))) return;
  const referenced = kind === "ClusterRole" ? "clusterroles" : "roles";
  const bind = { kind: "Resource", verb: "bind", group: RBAC_GROUP, version: "*", resource: referenced, name } as const;
  if (authorize(user, namespace === undefined ? bind : { ...bind, namespace }, roles).allowed) return;
  const role = kind === "ClusterRole" ? roles.clusterRole(name) : roles.role(namespace ?? "", name);
  if (role === undefined) throw notFound({ group: RBAC_GROUP, kind: resource.plural, name });
  const why = refusal(rulesOf(role), namespace, user, roles);
  if (why !== undefined) throw refused(resource, object, why);
}

function mayDo(
  verb: string,
  resource: string,
  object: KubeObject,
  old: KubeObject | undefined,
  user: UserInfo,
  roles: RoleSource,
): boolean {
  const { namespace, name } = object.metadata;
  const asked = {
    kind: "Resource",
    verb,
    group: RBAC_GROUP,
    version: "*",
    resource,
    ...defined({ namespace }),
    // A create request has no name.
    ...(old === undefined ? {} : { name }),
  } as const;
  return authorize(user, asked, roles).allowed;
}

function refusal(
  wanted: readonly PolicyRule[],
  namespace: string | undefined,
  user: UserInfo,
  roles: RoleSource,
): string | undefined {
  const problems = new Set<string>();
  const held = [...grantsTo(user, namespace, roles, problems)].flatMap(({ rules }) => rules);
  const lacking = missing(held, wanted);
  if (lacking.length === 0) return undefined;
  const lines = [...new Set(compact(lacking).map(describeRule))].sort((a, b) => (a < b ? -1 : 1));
  const errors = problems.size === 0 ? "" : `; resolution errors: [${aggregate([...problems])}]`;
  return `user ${JSON.stringify(user.name)} (groups=${quoteAll(user.groups)}) is attempting to grant RBAC permissions not currently held:\n${lines.join("\n")}${errors}`;
}

function refused({ group, plural }: ResourceName, { metadata: { name } }: KubeObject, why: string): StatusError {
  return failure(403, "Forbidden", `${plural}.${group} ${JSON.stringify(name)} is forbidden: ${why}`, {
    name,
    group,
    kind: plural,
  });
}

function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
