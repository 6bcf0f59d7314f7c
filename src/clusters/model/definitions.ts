import { type ObjectRef, parseApiVersion } from "../../apis/index.ts";
import { isCustomGroup, isDefinition } from "../../interpreter/index.ts";
import type { MemberObject } from "./memberObject.ts";

/** The definitions among the objects of one member: what comes and goes with them. */
export class Definitions {
  /** By key, as it was seen last. */
  readonly #seen = new Map<string, string>();
  /** Those that are to go. */
  readonly #leaving = new Set<MemberObject>();

  /** Whether the object is a definition that serves other kinds than when it was noted last, or that may. */
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

  /** Definitions that may go now, since the object, perhaps the last one of its kind, has gone. */
  *freedBy({ ref: { apiVersion }, observed }: MemberObject): Iterable<MemberObject> {
    if (this.#leaving.size === 0 || observed !== undefined) return;
    const { group } = parseApiVersion(apiVersion);
    if (!isCustomGroup(group)) return;
    for (const definition of this.#leaving) if (groupOf(definition.ref) === group) yield definition;
  }
}

/** A definition is named by the plural of its kind, which has no dot, and the group. */
function groupOf({ name }: ObjectRef): string {
  return name.slice(name.indexOf(".") + 1);
}
