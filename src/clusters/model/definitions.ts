import { type ObjectRef, parseApiVersion } from "../../apis/index.ts";
import { isCustomGroup, isDefinition } from "../../interpreter/index.ts";
import type { MemberObject } from "./memberObject.ts";

/** CustomResourceDefinitions among the objects of one member: their changes change the kinds that the member serves. */
export class Definitions {
  /** Last seen UID, hash and health, by key. */
  readonly #seen = new Map<string, string>();
  /** Definitions with a Delete row. */
  readonly #leaving = new Set<MemberObject>();

  /** True when the object is a definition that may serve other kinds than at the last call. */
  hasChanged(object: MemberObject): boolean {
    const { ref, key, row, observed } = object;
    if (!isDefinition(ref)) return false;
    if (row?.verb === "Delete") this.#leaving.add(object);
    else this.#leaving.delete(object);
    const seen = observed === undefined ? "" : `${observed.uid} ${observed.hash ?? ""} ${observed.health.state}`;
    const before = this.#seen.get(key) ?? "";
    if (seen === before) return false;
    if (seen === "") this.#seen.delete(key);
    else this.#seen.set(key, seen);
    return true;
  }

  /** Definitions whose deletion may proceed, since the object that has gone may have been the last of its kind. */
  *freedBy({ ref: { apiVersion }, observed }: MemberObject): Iterable<MemberObject> {
    if (this.#leaving.size === 0 || observed !== undefined) return;
    const { group } = parseApiVersion(apiVersion);
    if (!isCustomGroup(group)) return;
    for (const definition of this.#leaving) if (groupOf(definition.ref) === group) yield definition;
  }
}

/** The name of a definition is `plural.group`; the plural has no dot. */
function groupOf({ name }: ObjectRef): string {
  return name.slice(name.indexOf(".") + 1);
}
