import { fullMessage } from "../../apis/index.ts";
import { whyNeverPlaced } from "../../interpreter/index.ts";
import type { ResourceType } from "../../runtime/index.ts";
import type { HubKindAccess, PolicyRule } from "../workload/index.ts";
import { CommandError, EVERYTHING } from "../shared/index.ts";

/** Kinds that `join --kinds` and `install --kinds` grant an account, and what follows from granting them. Pure. */

export interface GrantedKind {
  /** `*`: every group. */
  group: string;
  /** `*`: every resource. */
  plural: string;
  /** Undefined: no server serves the kind yet. */
  namespaced: boolean | undefined;
  /** For `*`: the kinds that `*` stands for today. */
  all?: readonly GrantedKind[];
}

const RBAC = "rbac.authorization.k8s.io";
/**
 * Groups whose kinds give power. An account gets rights on them only by name. RBAC has to enforce this: admission
 * policies do not apply to policies and their bindings.
 */
export const POWERFUL_GROUPS: readonly string[] = [
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "apiregistration.k8s.io",
  "certificates.k8s.io",
  RBAC,
];

/** The kind's name in rights: `plural.group`, or `plural` for the core group. */
export function nameOfKind({ group, plural }: Pick<GrantedKind, "group" | "plural">): string {
  if (plural === EVERYTHING) return EVERYTHING;
  return group === "" ? plural : `${plural}.${group}`;
}

/**
 * The kinds of these names. A plural with a group may be unknown to every server: its CRD may arrive later. Throws
 * {@link CommandError}, which names the hub and `member`.
 */
export function resolveKinds(
  names: readonly string[],
  served: readonly ResourceType[],
  member?: string,
): GrantedKind[] {
  const kinds = names.map((name) => (name === EVERYTHING ? everyKind(served) : resolve(name, served, member)));
  const byName = new Map(kinds.map((kind) => [nameOfKind(kind), kind]));
  return [...byName.values()].toSorted((a, b) => (nameOfKind(a) < nameOfKind(b) ? -1 : 1));
}

/** The grant lists kinds, not groups: a group would include subresources such as `pods/exec`. */
function everyKind(served: readonly ResourceType[]): GrantedKind {
  const all = served
    .filter((kind) => !POWERFUL_GROUPS.includes(kind.group) && whyNeverPlaced(kind) === undefined)
    .map(({ group, plural, namespaced }) => ({ group, plural, namespaced }));
  return { group: EVERYTHING, plural: EVERYTHING, namespaced: undefined, all };
}

/** With `*` replaced by the kinds that it stands for. */
export function oneByOne(kinds: readonly GrantedKind[]): GrantedKind[] {
  return kinds.flatMap((kind) => (kind.plural === EVERYTHING ? (kind.all ?? []) : [kind]));
}

/** The kinds of `install --kinds`, as the hub serves them. Throws {@link CommandError}. */
export function resolveHubKinds(kinds: readonly HubKindAccess[], served: readonly ResourceType[]): HubKindAccess[] {
  const resolved = new Map<string, HubKindAccess>();
  for (const kind of kinds) {
    for (const { group, plural } of resolveKinds([nameOfKind(kind)], served)) {
      const name = nameOfKind({ group, plural });
      resolved.set(name, { group, plural, status: kind.status || resolved.get(name)?.status === true });
    }
  }
  return [...resolved.values()];
}

function resolve(name: string, served: readonly ResourceType[], member: string | undefined): GrantedKind {
  const found = foundAs(name, served, member);
  const kind = served.find(({ group, plural }) => group === found.group && plural === found.plural)?.kind;
  const never = kind === undefined ? undefined : whyNeverPlaced({ group: found.group, kind });
  if (never === undefined) return found;
  throw new CommandError(`--kinds ${nameOfKind(found)}: leave it out, no policy places objects of this kind: ${never}`);
}

function foundAs(name: string, served: readonly ResourceType[], member: string | undefined): GrantedKind {
  const dot = name.indexOf(".");
  const [word, group] = dot < 0 ? [name, undefined] : [name.slice(0, dot), name.slice(dot + 1)];
  const found = new Map<string, GrantedKind>();
  for (const { group: its, plural, kind, namespaced } of served) {
    const isMeant = plural === word.toLowerCase() || kind.toLowerCase() === word.toLowerCase();
    if (isMeant && (group === undefined || group === its))
      found.set(`${plural}.${its}`, { group: its, plural, namespaced });
  }
  const [first, ...others] = found.values();
  // A name without a group means Kubernetes' core kind, if there is one.
  const core = group === undefined ? found.get(`${first?.plural ?? ""}.`) : undefined;
  if (core !== undefined) return core;
  if (first !== undefined && others.length === 0) return first;
  if (first !== undefined)
    throw new CommandError(
      fullMessage({ what: `${name} is several kinds: give one of`, where: [first, ...others].map(nameOfKind) }),
    );
  if (group !== undefined && group !== "" && word === word.toLowerCase())
    return { group, plural: word, namespaced: undefined };
  const nobody = member === undefined ? "the hub serves no" : `neither ${member} nor the hub serves a`;
  throw new CommandError(
    `${nobody} kind ${name}; give its plural and group, such as mysqlclusters.mysql.presslabs.org, if its CRD is still to come`,
  );
}

/** Throws if a kind is cluster-scoped and the account is limited to namespaces. */
export function checkBounded(kinds: readonly GrantedKind[], namespaces: readonly string[] | undefined): void {
  if (namespaces === undefined) return;
  const first = kinds.find(({ namespaced, plural }) => namespaced === false || plural === EVERYTHING);
  if (first === undefined) return;
  const name = first.plural === EVERYTHING ? "'*'" : nameOfKind(first);
  throw new CommandError(
    `--kinds ${name} needs rights in the whole cluster, and the account is bounded to the namespaces ${namespaces.join(", ")}: leave the kind out, or give --namespaces '*'`,
  );
}

/** What the API server asks of an account that grants rights. Only for kinds of RBAC that were granted by name. */
export function rightsToGiveRights(kinds: readonly GrantedKind[]): PolicyRule[] {
  const has = (...plurals: string[]): string[] =>
    plurals.filter((plural) => kinds.some((kind) => kind.group === RBAC && kind.plural === plural));
  const roles = has("clusterroles", "roles");
  const isBinding = has("clusterrolebindings", "rolebindings").length > 0;
  return [
    ...(roles.length === 0 ? [] : [{ apiGroups: [RBAC], resources: roles, verbs: ["escalate"] }]),
    ...(isBinding ? [{ apiGroups: [RBAC], resources: ["clusterroles", "roles"], verbs: ["bind"] }] : []),
  ];
}

/** Warnings for a person who grants these kinds. */
export function consequences(kinds: readonly GrantedKind[]): string[] {
  const said: string[] = [];
  if (kinds.some(({ plural }) => plural === EVERYTHING))
    said.push(
      "--kinds '*' gives the hub's account every kind that this cluster and the hub serve now, but for those that give power: grant single kinds where you can; join --renew adds kinds that come later",
    );
  const powerful = kinds.filter(({ group }) => POWERFUL_GROUPS.includes(group));
  if (powerful.length > 0)
    said.push(
      `${powerful.map(nameOfKind).join(", ")}: whoever may place these on the hub can become administrator of this cluster`,
    );
  if (kinds.some((kind) => nameOfKind(kind) === DEFINITIONS) && !kinds.some(({ plural }) => plural === EVERYTHING))
    said.push(
      `${DEFINITIONS}: a definition is removed from this cluster only when no object of it is there, and to see that the account has to list them: grant the kinds that it defines too, as in --kinds mysqlclusters.mysql.presslabs.org`,
    );
  return said;
}

const DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io";
