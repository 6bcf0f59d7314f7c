import { memberKinds } from "../../interpreter/index.ts";
import { NAMESPACES, PODS, type ResourceType } from "../../runtime/index.ts";

/** An RBAC rule. */
export interface Rights {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
}

type Kind = Pick<ResourceType, "group" | "plural">;

/** Objects are applied, patched and removed, but never replaced, so `update` is not needed. */
const EVERYTHING = ["get", "list", "watch", "create", "patch", "delete"];

/** Pods show why a workload is not healthy. They are listed and never watched. */
const ON_PODS = ["list"];

/** One rule for each API group; resources in alphabetical order. */
export function rightsOn(kinds: readonly Kind[], verbs: readonly string[]): Rights[] {
  const groups = new Map<string, Set<string>>();
  for (const { group, plural } of kinds) groups.set(group, (groups.get(group) ?? new Set()).add(plural));
  return Array.from(groups, ([group, resources]) => ({
    apiGroups: [group],
    resources: [...resources].toSorted(),
    verbs: [...verbs],
  }));
}

/** {@link memberRights} without cluster-scoped kinds, for a member on which Meridian is limited to namespaces. */
export function memberRightsInNamespace(more: readonly (Kind & { namespaced: boolean | undefined })[] = []): Rights[] {
  // The scope of a kind that is not served yet is unknown; an unusable right does no harm.
  const kinds = [...memberKinds(), ...more].filter(({ namespaced }) => namespaced !== false);
  return [...rightsOn(kinds, EVERYTHING), ...rightsOn([PODS], ON_PODS)];
}

/** What Meridian needs on a member: for the kinds that can always be placed, and for `more`. */
export function memberRights(more: readonly Kind[] = []): Rights[] {
  return [
    ...rightsOn([NAMESPACES], EVERYTHING),
    ...rightsOn([...memberKinds(), ...more], EVERYTHING),
    ...rightsOn([PODS], ON_PODS),
  ];
}
