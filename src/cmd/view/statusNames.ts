import type { ObjectReport } from "./statusView.ts";

/** How tables and commands name an object. Pure. */

/** As kubectl names objects of several kinds in one table; an application is what is meant where no kind is named. */
export function nameOf({ kind, name }: Pick<ObjectReport, "kind" | "name">): string {
  return kind === "DemoApplication" ? name : `${kind.toLowerCase()}/${name}`;
}

/** With the namespace before it. */
export function fullNameOf(object: Pick<ObjectReport, "kind" | "namespace" | "name">): string {
  return object.namespace === "" ? nameOf(object) : `${object.namespace}/${nameOf(object)}`;
}

/** How a person names the object to a command: what is in another namespace than the one that is shown, with that. */
export function nameOnCommandLine(
  { kind, namespace: own, name }: Pick<ObjectReport, "kind" | "namespace" | "name">,
  { namespace }: { namespace: string | undefined },
): string {
  const called = nameOf({ kind, name });
  return own === "" || own === namespace ? called : `${called} -n ${own}`;
}
