import { type KubeObject, parseApiVersion, sameValue, shortMessage } from "../apis/index.ts";
import type { MatchedRule } from "../override/index.ts";
import type { Problem } from "./types.ts";

/** Roles and bindings: whom they mean, and what they allow. */
const RBAC = "rbac.authorization.k8s.io";
const RIGHTS = ["rules", "aggregationRule", "roleRef", "subjects"] as const;

/** What one cluster's rules have made of a hub object. `after`: what the first so many rules make of it. */
export interface Overridden {
  base: readonly KubeObject[];
  rules: readonly MatchedRule[];
  after: (count: number) => readonly KubeObject[];
}

/**
 * Why what was rendered may not go to a member: a policy of a namespace changes what a Role allows or whom a RoleBinding means. The hub's API
 * server gives nobody more rights than he has, and asks nothing about a patch of Meridian's.
 */
export function judgeRights({ base, rules, after }: Overridden): Problem | undefined {
  if (!base.some(isAboutRights)) return undefined;
  for (const [index, { policy, index: number }] of rules.entries()) {
    if (policy.namespace === undefined) continue;
    const field = changedRight(after(index), after(index + 1));
    if (field === undefined) continue;
    const message = `${policy.kind} ${policy.name}, rule ${number}: a policy of a namespace may not change ${field}`;
    return { reason: "NotAllowed", message: shortMessage(message), policy };
  }
  return undefined;
}

function isAboutRights({ apiVersion }: KubeObject): boolean {
  return parseApiVersion(apiVersion).group === RBAC;
}

function changedRight(before: readonly KubeObject[], after: readonly KubeObject[]): string | undefined {
  for (const [index, was] of before.entries()) {
    const is = after[index];
    if (is === undefined || is === was || !isAboutRights(was)) continue;
    const field = RIGHTS.find((right) => !sameValue(was[right], is[right]));
    if (field !== undefined) return `${field} of ${was.kind} ${was.metadata.name}`;
  }
  return undefined;
}
