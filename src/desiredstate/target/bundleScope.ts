import {
  ALLOWED_BUNDLE_KINDS_ANNOTATION,
  ALLOWED_BUNDLE_NAMESPACES_ANNOTATION,
  firstFitting,
  isOpenable,
  type KubeObject,
  shortMessage,
  renewCommand,
} from "../../apis/index.ts";
import { givesRights, groupKindOf, judgeManifests, titleOf, unpackedSpecOf } from "../../interpreter/index.ts";
import { type Allowance, type NamespaceTerms, stricterOf } from "../podSecurity/index.ts";
import type { Problem } from "../types.ts";

/**
 * What a bundle may bring to members. Whoever may write a bundle is a tenant of its namespace on the hub, and what the manager applies is
 * applied with the manager's rights: so a bundle brings only namespaced objects into the namespace of its own name, and nothing that gives
 * rights there. What goes beyond is for a cluster administrator to allow, by annotations on the Namespace of the hub, which a tenant
 * cannot change: by kind, for cluster-scoped kinds and for Roles and RoleBindings, and by name, for other namespaces.
 *
 * That a ClusterPlacement selects the bundle allows nothing: it says where objects run, often for every object with a label, and a tenant
 * who sets the label would have become the administrator of the members.
 */

/** Why the manifests cannot be sent as they are; undefined when they can. */
export function manifestsProblem(bundle: KubeObject): Problem | undefined {
  const found = judgeManifests(unpackedSpecOf(bundle), bundle.metadata.namespace).next();
  if (found.done === true) return undefined;
  const detail = `${found.value.field} ${found.value.message}`;
  const message = shortMessage(detail);
  return { reason: "InvalidManifest", message, ...(message === detail ? {} : { detail }) };
}

/** Why what the bundle renders may not go to members; undefined when it may. */
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

/** What has to be allowed before what the bundle renders may go to members. */
export interface ScopeNeeds {
  /** Of the Namespace of the hub; each lacks at least one of its values. */
  allowances: Allowance[];
  /** Kinds in namespaces of Kubernetes, as `kube-system/Role`, which each member has to open too. */
  inProtected: string[];
}

/** {@link ScopeNeeds} of objects that break no rule which nobody can lift. */
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

/** What the bundle needs beyond its namespace, and whether that is allowed already. */
type Needs = Map<string, boolean>;

interface Needed {
  kinds: Needs;
  namespaces: Needs;
  /** As `kube-system/Role`. */
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
  const message = shortMessage(`${titleOf(object)}: nothing is written into the namespace ${namespace} of members`);
  return { reason: "ProtectedNamespace", message };
}

/** An annotation is written whole: one that lacks something names all that the bundle needs by it. */
function valueOf(needs: Needs): string[] {
  return [...needs.values()].every(Boolean) ? [] : [...needs.keys()].toSorted();
}

const lackingOf = (needs: Needs): string[] =>
  [...needs].flatMap(([name, isAllowed]) => (isAllowed ? [] : [name])).toSorted();

/** Says what to do, as far as there is room; in full beside it. */
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
  const what =
    lackingKinds.length > 0
      ? `kinds ${lackingKinds.join(", ")} are not allowed to bundles of ${home}`
      : `namespaces ${lackingPlaces.join(", ")} are not allowed to bundles of ${home}`;
  const detail = `${titleOf(object)}: ${what}; an administrator allows it: ${command}${onMembers}`;
  const names = [
    ...(lackingKinds.length > 0 ? ["allowed-bundle-kinds"] : []),
    ...(lackingPlaces.length > 0 ? ["allowed-bundle-namespaces"] : []),
  ].join(", ");
  const message = firstFitting([
    detail,
    `${what}: annotate the Namespace (${names})`,
    `${titleOf(object)} is not allowed in ${home}: annotate the Namespace (${names})`,
    `not allowed in ${home}: annotate the Namespace (${names})`,
    `annotate the Namespace (${names})`,
  ]);
  return { reason: "NotAllowed", message, ...(message === detail ? {} : { detail }) };
}

/**
 * The terms for one object of a bundle: those of the namespace that the object goes to, at the level of the bundle's own where that is stricter:
 * whoever may bring objects elsewhere becomes no more by it. A service account that the bundle itself brings may
 * run its pods: the pods are applied after the account, which was made for this bundle, since an account that is there already is never
 * taken up. Where strangers are taken over (`Adopt`), this is not so.
 */
export function termsWithin(objects: readonly KubeObject[], terms: NamespaceTerms, adopts: boolean): NamespaceTerms {
  const accounts = new Set(
    adopts ? [] : objects.filter(isAccount).map(({ metadata }) => `${metadata.namespace ?? ""}/${metadata.name}`),
  );
  const known = new Map<string, NamespaceTerms>();
  const within = (namespace: string): NamespaceTerms => {
    let found = known.get(namespace);
    if (found === undefined) {
      const there = namespace === terms.namespace ? terms : terms.elsewhere(namespace);
      const allowsServiceAccount = (name: string): boolean =>
        accounts.has(`${namespace}/${name}`) || there.allowsServiceAccount(name);
      const security = stricterOf(there.security, terms.security);
      known.set(namespace, (found = { ...there, security, allowsServiceAccount }));
    }
    return found;
  };
  return { ...terms, of: ({ metadata }) => within(metadata.namespace ?? terms.namespace) };
}

function isAccount({ apiVersion, kind }: KubeObject): boolean {
  return apiVersion === "v1" && kind === "ServiceAccount";
}
