import {
  ALLOWED_HOST_PORTS_ANNOTATION,
  ALLOWED_NODE_NAMES_ANNOTATION,
  ALLOWED_SERVICE_ACCOUNTS_ANNOTATION,
  type ObjectMeta,
} from "../../apis/index.ts";
import { type PodSecurityLevel, podSecurityLabels, podSecurityLevel } from "./level.ts";

/** What the hub allows the applications of one of its namespaces to be on a member. */
export interface NamespaceTerms {
  namespace: string;
  /** Meridian writes nothing into a namespace of that name on any member. */
  isProtected: boolean;
  security: PodSecurityLevel;
  /** Beside `default`. */
  allowsServiceAccount: (name: string) => boolean;
  allowsNodeName: (name: string) => boolean;
  allowsHostPort: (port: number) => boolean;
  /** The Pod Security labels of the namespace: those that the namespace gets which Meridian makes on members. */
  labels?: Readonly<Record<string, string>>;
}

/** The terms of a namespace, by its metadata on the hub. */
export function namespaceTerms(
  { name, labels, annotations }: Pick<ObjectMeta, "name" | "labels" | "annotations">,
  isProtected: boolean,
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
    ...(podSecurity === undefined ? {} : { labels: podSecurity }),
  };
}

/** Of a namespace of which nothing is known. */
export function defaultTerms(namespace: string): NamespaceTerms {
  return namespaceTerms({ name: namespace }, false);
}

/** By which a change of the terms is noticed. */
export function termsText({ labels, annotations }: Pick<ObjectMeta, "labels" | "annotations">): string {
  return JSON.stringify([
    podSecurityLabels(labels),
    annotations?.[ALLOWED_SERVICE_ACCOUNTS_ANNOTATION],
    annotations?.[ALLOWED_NODE_NAMES_ANNOTATION],
    annotations?.[ALLOWED_HOST_PORTS_ANNOTATION],
  ]);
}

const ANY = "*";

function anyOf(allowed: readonly string[]): (name: string) => boolean {
  return (name) => allowed.includes(ANY) || allowed.includes(name);
}

/** What is neither a port nor a range of ports allows nothing. */
function portIn(allowed: readonly string[]): (port: number) => boolean {
  const ranges = allowed.flatMap((text): [number, number][] => {
    if (text === ANY) return [[1, 65_535]];
    const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
    return first === undefined ? [] : [[Number(first), Number(last)]];
  });
  return (port) => ranges.some(([first, last]) => port >= first && port <= last);
}
