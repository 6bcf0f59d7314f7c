import { failure, type StatusError } from "../statusError.ts";
import type { KubeObject, UserInfo } from "../types.ts";
import { ruleAllows } from "./rules.ts";
import {
  type Attributes,
  type Decision,
  type PolicyRule,
  roleRefOf,
  type RoleSource,
  rulesOf,
  type Subject,
  subjectsOf,
} from "./types.ts";

/** Members of this group may do everything, without a role. */
const MASTERS = "system:masters";

/** The RBAC decision. Never throws: a binding to a missing role grants nothing, and the reason names it. */
export function authorize(user: UserInfo, attributes: Attributes, roles: RoleSource): Decision {
  if (isMaster(user)) return { allowed: true, reason: "" };
  const asked = withNamespace(attributes);
  const problems = new Set<string>();
  for (const grant of grantsTo(user, asked.kind === "Resource" ? asked.namespace : undefined, roles, problems)) {
    if (grant.rules.some((rule) => ruleAllows(rule, asked))) {
      return { allowed: true, reason: `RBAC: allowed by ${grant.source()}` };
    }
  }
  return { allowed: false, reason: problems.size === 0 ? "" : `RBAC: ${aggregate([...problems])}` };
}

export function isMaster(user: UserInfo): boolean {
  return user.groups.includes(MASTERS);
}

/** A request for a named namespace counts as a request in that namespace, so that a Role there can allow it. */
function withNamespace(asked: Attributes): Attributes {
  if (asked.kind === "NonResource" || asked.group !== "" || asked.resource !== "namespaces") return asked;
  return asked.name === undefined || asked.name === "" ? asked : { ...asked, namespace: asked.name };
}

/** The rules that one binding grants to a user. */
export interface Grant {
  rules: readonly PolicyRule[];
  /** `ClusterRoleBinding "x" of ClusterRole "y" to User "z"`. */
  source: () => string;
}

/**
 * The grants of a user: from cluster-wide bindings, and from the namespace if given. Bindings to missing roles are
 * added to `problems`.
 */
export function* grantsTo(
  user: UserInfo,
  namespace: string | undefined,
  roles: RoleSource,
  problems: Set<string>,
): Generator<Grant> {
  for (const binding of roles.clusterRoleBindings()) yield* grantOf(binding, user, undefined, roles, problems);
  if (namespace === undefined || namespace === "") return;
  for (const binding of roles.roleBindings(namespace)) yield* grantOf(binding, user, namespace, roles, problems);
}

function* grantOf(
  binding: KubeObject,
  user: UserInfo,
  namespace: string | undefined,
  roles: RoleSource,
  problems: Set<string>,
): Generator<Grant> {
  const subject = subjectsOf(binding).find((candidate) => isSubject(candidate, user, namespace));
  if (subject === undefined) return;
  const { kind, name } = roleRefOf(binding);
  const role = kind === "ClusterRole" ? roles.clusterRole(name) : roles.role(namespace ?? "", name);
  if (role === undefined) {
    problems.add(`${kind.toLowerCase()}.rbac.authorization.k8s.io ${JSON.stringify(name)} not found`);
    return;
  }
  yield {
    rules: rulesOf(role),
    source: () => {
      const where = namespace === undefined ? binding.metadata.name : `${binding.metadata.name}/${namespace}`;
      const whose = namespace === undefined ? "ClusterRoleBinding" : "RoleBinding";
      return `${whose} ${JSON.stringify(where)} of ${kind} ${JSON.stringify(name)} to ${describeSubject(subject)}`;
    },
  };
}

function isSubject(subject: Subject, user: UserInfo, bindingNamespace: string | undefined): boolean {
  switch (subject.kind) {
    case "User":
      return user.name === subject.name;
    case "Group":
      return user.groups.includes(subject.name);
    case "ServiceAccount": {
      const namespace = subject.namespace ?? bindingNamespace ?? "";
      return namespace !== "" && user.name === `system:serviceaccount:${namespace}:${subject.name}`;
    }
    default:
      return false;
  }
}

function describeSubject({ kind, name, namespace }: Subject): string {
  return kind === "ServiceAccount"
    ? `${kind} ${JSON.stringify(`${name}/${namespace ?? ""}`)}`
    : `${kind} ${JSON.stringify(name)}`;
}

/** Joins several errors as Go does. */
export function aggregate(errors: readonly string[]): string {
  return errors.length === 1 ? (errors[0] as string) : `[${errors.join(", ")}]`;
}

/**
 * The 403 answer: `pods is forbidden: User "bob" cannot list resource "pods" in API group "" in the namespace
 * "default"`.
 */
export function forbidden(user: UserInfo, attributes: Attributes, reason: string): StatusError {
  const asked = withNamespace(attributes);
  const suffix = reason === "" ? "" : `: ${reason}`;
  const who = `User ${JSON.stringify(user.name)} cannot ${asked.verb}`;
  if (asked.kind === "NonResource") {
    return failure(403, "Forbidden", `forbidden: ${who} path ${JSON.stringify(asked.path)}${suffix}`, {});
  }
  const { group, resource, subresource, namespace = "", name = "" } = asked;
  const qualified = group === "" ? resource : `${resource}.${group}`;
  const what = subresource === undefined ? resource : `${resource}/${subresource}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  return failure(
    403,
    "Forbidden",
    `${subjectOf(qualified, name)} is forbidden: ${who} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}${suffix}`,
    { ...(name === "" ? {} : { name }), ...(group === "" ? {} : { group }), kind: resource },
  );
}

function subjectOf(qualified: string, name: string): string {
  return name === "" ? qualified : `${qualified} ${JSON.stringify(name)}`;
}
