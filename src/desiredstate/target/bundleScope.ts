import {
  ALLOWED_BUNDLE_KINDS_ANNOTATION,
  ALLOWED_BUNDLE_NAMESPACES_ANNOTATION,
  isOpenable,
  type KubeObject,
  renewCommand,
} from "../../apis/index.ts";
import { givesRights, groupKindOf, judgeManifests, titleOf, unpackedSpecOf } from "../../interpreter/index.ts";
import { once } from "../manifests/index.ts";
import { type Allowance, type NamespaceTerms, stricterOf } from "../podSecurity/index.ts";
import type { Problem } from "../types.ts";

/**
 * Limits on the content of a bundle. Whoever may write a bundle is a tenant of its namespace on the hub, but the
 * manager applies the bundle with the manager's own rights. So a bundle may bring only namespaced objects into the
 * namespace of the same name, and nothing that gives rights there. A cluster administrator may allow more by
 * annotations on the hub's Namespace, which a tenant cannot change: cluster-scoped kinds, Roles and RoleBindings by
 * kind, and other namespaces by name.
 *
 * A ClusterPlacement that selects the bundle allows nothing. A ClusterPlacement says where objects run, often for every
 * object with a label, and a tenant who sets the label would otherwise become administrator of the members.
 */

export function manifestsProblem(bundle: KubeObject): Problem | undefined {
  const found = judgeManifests(unpackedSpecOf(bundle), bundle.metadata.namespace).next();
  if (found.done === true) return undefined;
  return { reason: "InvalidManifest", message: `${found.value.field} ${found.value.message}` };
}

/** Why the rendered objects of the bundle may not go to members; undefined if they may. */
export function scopeProblem(objects: readonly KubeObject[], terms: NamespaceTerms): Problem | undefined {
  const needed = nothingNeeded();
  let first: KubeObject | undefined;
  for (const object of objects) {
    const { kind, metadata } = object;
    const { namespace } = metadata;
    if (namespace !== undefined && terms.protects(namespace) && !isOpenable(namespace))
      return protectedNamespace(object, namespace);
    const isAllowed = noted(needed, terms, { kind, namespace, needsKind: givesRights(groupKindOf(object)) });
    if (!isAllowed) first ??= object;
  }
  return first === undefined ? undefined : notAllowed(first, terms.namespace, needed);
}

export interface ScopeNeeds {
  /** Annotations of the hub's Namespace; each lacks at least one of the listed values. */
  allowances: Allowance[];
  /** Kinds in protected namespaces, as `kube-system/Role`. Each member must open these too. */
  inProtected: string[];
}

/** Computes {@link ScopeNeeds}. The objects must not break a rule that no administrator can lift. */
export function scopeNeeds(objects: readonly KubeObject[], terms: NamespaceTerms): ScopeNeeds {
  const needed = nothingNeeded();
  for (const object of objects) {
    const { kind, metadata } = object;
    noted(needed, terms, { kind, namespace: metadata.namespace, needsKind: givesRights(groupKindOf(object)) });
  }
  const allowances = annotationsOf(needed).map(({ name, value }) => ({
    namespace: terms.namespace,
    annotation: name,
    values: value,
  }));
  return { allowances, inProtected: [...needed.inProtected.keys()].toSorted() };
}

function nothingNeeded(): Needed {
  return { kinds: new Map(), namespaces: new Map(), inProtected: new Map() };
}

function annotationsOf({ kinds, namespaces, inProtected }: Needed): { name: string; value: string[] }[] {
  const places: Needs = new Map([...namespaces, ...inProtected]);
  return [
    { name: ALLOWED_BUNDLE_KINDS_ANNOTATION, value: valueOf(kinds) },
    { name: ALLOWED_BUNDLE_NAMESPACES_ANNOTATION, value: valueOf(places) },
  ].filter(({ value }) => value.length > 0);
}

/** Needs of the bundle beyond its namespace. The value is true if the need is already allowed. */
type Needs = Map<string, boolean>;

interface Needed {
  kinds: Needs;
  namespaces: Needs;
  /** Keys look like `kube-system/Role`. */
  inProtected: Needs;
}

function noted(
  { kinds, namespaces, inProtected }: Needed,
  terms: NamespaceTerms,
  { kind, namespace, needsKind }: { kind: string; namespace: string | undefined; needsKind: boolean },
): boolean {
  if (namespace !== undefined && terms.protects(namespace)) {
    const isAllowed = terms.allowsBundleInProtected(namespace, kind);
    inProtected.set(`${namespace}/${kind}`, isAllowed);
    return isAllowed;
  }
  let isAllowed = true;
  if (namespace === undefined || needsKind) {
    kinds.set(kind, terms.allowsBundleKind(kind));
    isAllowed = terms.allowsBundleKind(kind);
  }
  if (namespace === undefined || namespace === terms.namespace) return isAllowed;
  namespaces.set(namespace, terms.allowsBundleNamespace(namespace));
  return isAllowed && terms.allowsBundleNamespace(namespace);
}

function protectedNamespace(object: KubeObject, namespace: string): Problem {
  return {
    reason: "ProtectedNamespace",
    message: { what: `${titleOf(object)}: nothing is written into the namespace ${namespace} of members` },
  };
}

/** The command overwrites the whole annotation, so all needed values are listed if one lacks. */
function valueOf(needs: Needs): string[] {
  return [...needs.values()].every(Boolean) ? [] : [...needs.keys()].toSorted();
}

const lackingOf = (needs: Needs): string[] =>
  [...needs].flatMap(([name, isAllowed]) => (isAllowed ? [] : [name])).toSorted();

function notAllowed(object: KubeObject, home: string, needed: Needed): Problem {
  const { kinds, inProtected } = needed;
  const places: Needs = new Map([...needed.namespaces, ...inProtected]);
  const texts = annotationsOf(needed).map(({ name, value }) => `${name}=${value.join(",")}`);
  const command = `kubectl annotate --overwrite namespace ${home} ${texts.join(" ")}`;
  const opened = lackingOf(inProtected);
  const onMembers =
    opened.length === 0
      ? ""
      : `; and on each member: ${renewCommand("NAME", `--allow-protected ${[...inProtected.keys()].toSorted().join(",")}`)}`;
  const [lackingKinds, lackingPlaces] = [lackingOf(kinds), lackingOf(places)];
  const lacking = lackingKinds.length > 0 ? lackingKinds : lackingPlaces;
  const noun = lackingKinds.length > 0 ? "kinds" : "namespaces";
  return {
    reason: "NotAllowed",
    message: {
      lead: `${titleOf(object)}: `,
      what: `${noun} not allowed to bundles of ${home}:`,
      where: lacking,
      remedy: `an administrator allows it: ${command}${onMembers}`,
    },
  };
}

/**
 * Terms for each object of a bundle: the terms of the object's namespace, at the Pod Security level of the bundle's own
 * namespace if that is stricter. So nobody gains rights by sending objects to another namespace.
 *
 * Pods may use a service account that the bundle itself brings. The account is applied before the pods and is new,
 * since existing accounts are never adopted. With `conflictResolution: Adopt` this exception does not hold.
 */
export function termsWithin(objects: readonly KubeObject[], terms: NamespaceTerms, adopts: boolean): NamespaceTerms {
  const accounts = new Set(
    adopts ? [] : objects.filter(isAccount).map(({ metadata }) => `${metadata.namespace ?? ""}/${metadata.name}`),
  );
  const known = new Map<string, NamespaceTerms>();
  const within = (namespace: string): NamespaceTerms =>
    once(known, namespace, () => {
      const there = namespace === terms.namespace ? terms : terms.elsewhere(namespace);
      const allowsServiceAccount = (name: string): boolean =>
        accounts.has(`${namespace}/${name}`) || there.allowsServiceAccount(name);
      return { ...there, security: stricterOf(there.security, terms.security), allowsServiceAccount };
    });
  return { ...terms, of: ({ metadata }) => within(metadata.namespace ?? terms.namespace) };
}

function isAccount({ apiVersion, kind }: KubeObject): boolean {
  return apiVersion === "v1" && kind === "ServiceAccount";
}
