import { memberKinds } from "../../interpreter/index.ts";
import { NAMESPACES, PODS, type ResourceType } from "../../runtime/index.ts";

/** A rule as RBAC has it. */
export interface Rights {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
}

type Kind = Pick<ResourceType, "group" | "plural">;

/** Objects are applied, patched and removed, never replaced. */
const EVERYTHING = ["get", "list", "watch", "create", "patch", "delete"];

/** Why a workload is not healthy stands in its pods, which are read and never watched. */
const ON_PODS = ["list"];

/** One rule for each API group among these kinds, with these verbs; resources in alphabetical order. */
export function rightsOn(kinds: readonly Kind[], verbs: readonly string[]): Rights[] {
  const groups = new Map<string, Set<string>>();
  for (const { group, plural } of kinds) groups.set(group, (groups.get(group) ?? new Set()).add(plural));
  return Array.from(groups, ([group, resources]) => ({
    apiGroups: [group],
    resources: [...resources].toSorted(),
    verbs: [...verbs],
  }));
}

/** What Meridian needs in a namespace of a member to which it is bounded: the kinds as in {@link memberRights}, and none that is cluster-scoped. */
export function memberRightsInNamespace(more: readonly (Kind & { namespaced: boolean | undefined })[] = []): Rights[] {
  // Of a kind that nobody serves yet, nobody knows; a right that cannot be used does no harm.
  const kinds = [...memberKinds(), ...more].filter(({ namespaced }) => namespaced !== false);
  return [...rightsOn(kinds, EVERYTHING), ...rightsOn([PODS], ON_PODS)];
}

/** What Meridian needs on a member to place objects there: of the kinds it always may place, and of these. */
export function memberRights(more: readonly Kind[] = []): Rights[] {
  return [
    ...rightsOn([NAMESPACES], EVERYTHING),
    ...rightsOn([...memberKinds(), ...more], EVERYTHING),
    ...rightsOn([PODS], ON_PODS),
  ];
}
