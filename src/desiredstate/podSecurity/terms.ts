import {
  ALLOWED_BUNDLE_KINDS_ANNOTATION,
  ALLOWED_BUNDLE_NAMESPACES_ANNOTATION,
  ALLOWED_HOST_PORTS_ANNOTATION,
  ALLOWED_NODE_NAMES_ANNOTATION,
  ALLOWED_SERVICE_ACCOUNTS_ANNOTATION,
  defined,
  DNS_SUBDOMAIN,
  isOpenable,
  isProtectedNamespace,
  type KubeObject,
  type ObjectMeta,
} from "../../apis/index.ts";
import { type PodSecurityLevel, podSecurityLabels, podSecurityLevel } from "./level.ts";

/** Permissions that a namespace of the hub gives its applications on members. */
export interface NamespaceTerms {
  namespace: string;
  isProtected: boolean;
  security: PodSecurityLevel;
  /** Service accounts beside `default`. */
  allowsServiceAccount: (name: string) => boolean;
  allowsNodeName: (name: string) => boolean;
  allowsHostPort: (port: number) => boolean;
  /** Values of the annotation that allow nothing, because they are no valid name or port. */
  unusable: (annotation: string) => readonly string[];
  /** Kinds beyond the ones that every bundle may hold: cluster-scoped kinds, and kinds that give rights. */
  allowsBundleKind: (kind: string) => boolean;
  allowsBundleNamespace: (name: string) => boolean;
  /** Kinds in a protected namespace of Kubernetes. The annotation must name both, as `namespace/kind`. */
  allowsBundleInProtected: (namespace: string, kind: string) => boolean;
  protects: (namespace: string) => boolean;
  elsewhere: (namespace: string) => NamespaceTerms;
  /** Only for a bundle: the terms for one of its objects, by the namespace of the object. */
  of?: (object: KubeObject) => NamespaceTerms;
  /** The Pod Security labels of the namespace. A namespace that Meridian creates on a member gets them. */
  labels?: Readonly<Record<string, string>>;
}

/** The terms of a namespace, by its metadata on the hub. */
export function namespaceTerms(
  { name, labels, annotations }: Pick<ObjectMeta, "name" | "labels" | "annotations">,
  isProtected: boolean,
  {
    protects = isProtectedNamespace,
    elsewhere = defaultTerms,
  }: Partial<Pick<NamespaceTerms, "protects" | "elsewhere">> = {},
): NamespaceTerms {
  const allowed = (annotation: string): string[] =>
    (annotations?.[annotation] ?? "").split(",").flatMap((text) => (text.trim() === "" ? [] : [text.trim()]));
  const podSecurity = podSecurityLabels(labels);
  return {
    namespace: name,
    isProtected,
    security: podSecurityLevel(labels),
    allowsServiceAccount: anyOf(allowed(ALLOWED_SERVICE_ACCOUNTS_ANNOTATION)),
    allowsNodeName: anyOf(allowed(ALLOWED_NODE_NAMES_ANNOTATION)),
    allowsHostPort: portIn(allowed(ALLOWED_HOST_PORTS_ANNOTATION)),
    unusable: (annotation) => {
      const isUsable = annotation === ALLOWED_HOST_PORTS_ANNOTATION ? isPortRange : isName;
      return allowed(annotation).filter((text) => !isUsable(text));
    },
    allowsBundleKind: anyOf(allowed(ALLOWED_BUNDLE_KINDS_ANNOTATION)),
    allowsBundleNamespace: anyOf(allowed(ALLOWED_BUNDLE_NAMESPACES_ANNOTATION)),
    allowsBundleInProtected: (namespace, kind) =>
      isOpenable(namespace) && allowed(ALLOWED_BUNDLE_NAMESPACES_ANNOTATION).includes(`${namespace}/${kind}`),
    protects: (namespace) => protects(namespace),
    elsewhere,
    ...defined({ labels: podSecurity }),
  };
}

/** The terms of a namespace about which nothing is known. */
export function defaultTerms(namespace: string): NamespaceTerms {
  return namespaceTerms({ name: namespace }, false);
}

/** Text of the labels and annotations that decide the terms. Callers compare it to see that the terms have changed. */
export function termsText({ labels, annotations }: Pick<ObjectMeta, "labels" | "annotations">): string {
  return JSON.stringify([
    podSecurityLabels(labels),
    annotations?.[ALLOWED_SERVICE_ACCOUNTS_ANNOTATION],
    annotations?.[ALLOWED_NODE_NAMES_ANNOTATION],
    annotations?.[ALLOWED_HOST_PORTS_ANNOTATION],
    annotations?.[ALLOWED_BUNDLE_KINDS_ANNOTATION],
    annotations?.[ALLOWED_BUNDLE_NAMESPACES_ANNOTATION],
  ]);
}

const ANY = "*";
const LAST_PORT = 65_535;

function anyOf(allowed: readonly string[]): (name: string) => boolean {
  return (name) => allowed.includes(ANY) || allowed.includes(name);
}

function isName(text: string): boolean {
  return text === ANY || DNS_SUBDOMAIN.test(text);
}

/** An entry that is neither a port nor a range of ports allows nothing. */
function portIn(allowed: readonly string[]): (port: number) => boolean {
  const ranges = allowed.map(rangeOf);
  return (port) => ranges.some((range) => range !== undefined && port >= range.first && port <= range.last);
}

function isPortRange(text: string): boolean {
  const range = rangeOf(text);
  return range !== undefined && range.first >= 1 && range.first <= range.last && range.last <= LAST_PORT;
}

function rangeOf(text: string): { first: number; last: number } | undefined {
  if (text === ANY) return { first: 1, last: LAST_PORT };
  const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  return first === undefined ? undefined : { first: Number(first), last: Number(last) };
}
