import { kindKeyOf, type Message, type ObjectRef } from "../../apis/index.ts";

/**
 * Key of the objects that one watch of a member shows. The watch covers a kind in the whole cluster (`group/Kind`), or
 * in one namespace (`group/Kind in NAMESPACE`) if Meridian's account has rights in some namespaces only. Observations
 * are trusted per watch.
 */
export function readabilityKey(kind: string, namespace: string | undefined): string {
  return namespace === undefined ? kind : `${kind}${IN}${namespace}`;
}

const IN = " in ";

/** Why the object cannot be observed; undefined if it can. */
export function whyUnreadable(
  unreadable: ReadonlyMap<string, Message> | undefined,
  ref: ObjectRef,
): Message | undefined {
  if (unreadable === undefined || unreadable.size === 0) return undefined;
  const name = kindKeyOf(ref);
  return unreadable.get(name) ?? unreadable.get(readabilityKey(name, ref.namespace));
}

/** True if objects of the kind may exist without being observed. */
export function isKindUnreadable(unreadable: ReadonlyMap<string, Message>, kind: string): boolean {
  if (unreadable.has(kind)) return true;
  for (const sight of unreadable.keys()) if (sight.startsWith(kind) && sight.startsWith(IN, kind.length)) return true;
  return false;
}
