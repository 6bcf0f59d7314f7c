import type { ObjectReport } from "./statusView.ts";

/** Names of objects in tables and commands. Pure. */

/** Name of an object in a table of several kinds, as in kubectl. A name without a kind means an application. */
export function nameOf({ kind, name }: Pick<ObjectReport, "kind" | "name">): string {
  return kind === "DemoApplication" ? name : `${kind.toLowerCase()}/${name}`;
}

/** The name, with the namespace before it. */
export function fullNameOf(object: Pick<ObjectReport, "kind" | "namespace" | "name">): string {
  return object.namespace === "" ? nameOf(object) : `${object.namespace}/${nameOf(object)}`;
}

/** The object's name for a command; with `-n` if the object is in another namespace than the shown one. */
export function nameOnCommandLine(
  { kind, namespace: own, name }: Pick<ObjectReport, "kind" | "namespace" | "name">,
  { namespace }: { namespace: string | undefined },
): string {
  const called = nameOf({ kind, name });
  return own === "" || own === namespace ? called : `${called} -n ${own}`;
}
