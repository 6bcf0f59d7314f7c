import { type KubeObject, parseApiVersion, sameValue } from "../../apis/index.ts";
import type { Rendering } from "../podSecurity/index.ts";
import type { Problem } from "../types.ts";

/** Fields of Roles and bindings that decide who has which rights. */
const RBAC = "rbac.authorization.k8s.io";
const RIGHTS = ["rules", "aggregationRule", "roleRef", "subjects"] as const;

/**
 * Refuses a namespaced policy that changes the rules of a Role or the subjects of a RoleBinding. The hub's API server
 * lets nobody grant more rights than they have, but does not check Meridian's patches. A cluster-scoped policy may
 * change rights; a recorded one of a revision only if the current ones make the same change.
 */
export function judgeRights({ base, rules, after, present }: Rendering): Problem | undefined {
  if (!base.some(isAboutRights)) return undefined;
  const [given, made] = [present?.(), after(rules.length)];
  for (const [index, { policy, index: number }] of rules.entries()) {
    const isAdministrators = policy.namespace === undefined;
    if (isAdministrators && given === undefined) continue;
    const changes = changedRights(after(index), after(index + 1));
    const found = changes.find(
      ({ at, right }) => !isAdministrators || !sameValue(made[at]?.[right], given?.[at]?.[right]),
    );
    if (found === undefined) continue;
    const field = `${found.right} of ${base[found.at]?.kind} ${base[found.at]?.metadata.name}`;
    const why = isAdministrators ? "no policy of now changes" : "a policy of a namespace may not change";
    const message = `${policy.kind} ${policy.name}, rule ${number}: ${why} ${field}`;
    return { reason: "NotAllowed", message, policy };
  }
  return undefined;
}

function isAboutRights({ apiVersion }: KubeObject): boolean {
  return parseApiVersion(apiVersion).group === RBAC;
}

function changedRights(before: readonly KubeObject[], after: readonly KubeObject[]): { at: number; right: string }[] {
  return before.flatMap((was, at) => {
    const is = after[at];
    if (is === undefined || is === was || !isAboutRights(was)) return [];
    return RIGHTS.filter((right) => !sameValue(was[right], is[right])).map((right) => ({ at, right }));
  });
}
