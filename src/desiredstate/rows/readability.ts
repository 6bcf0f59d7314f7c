import { kindKeyOf, type ObjectRef } from "../../apis/index.ts";

/**
 * What a watch of a member shows: the objects of a kind (`group/Kind`) in the whole cluster, or in one namespace of it (`group/Kind in NAMESPACE`)
 * where Meridian's account has rights in some namespaces only. Trust is by watch.
 */
export function readabilityKey(kind: string, namespace: string | undefined): string {
  return namespace === undefined ? kind : `${kind}${IN}${namespace}`;
}

const IN = " in ";

/** Why such an object is not known; undefined when it is. */
export function whyUnreadable(unseen: ReadonlyMap<string, string> | undefined, ref: ObjectRef): string | undefined {
  if (unseen === undefined || unseen.size === 0) return undefined;
  const name = kindKeyOf(ref);
  return unseen.get(name) ?? unseen.get(readabilityKey(name, ref.namespace));
}

/** Whether any object of that kind may be there without being known. */
export function isKindUnreadable(unseen: ReadonlyMap<string, string>, kind: string): boolean {
  if (unseen.has(kind)) return true;
  for (const sight of unseen.keys()) if (sight.startsWith(kind) && sight.startsWith(IN, kind.length)) return true;
  return false;
}
