import { type ObjectRef, parseApiVersion } from "../../apis/index.ts";
import { isCustomGroup, isDefinition } from "../../interpreter/index.ts";
import { Handlers } from "./handlers.ts";
import type { MemberObject } from "./memberObject.ts";
import type { MemberObjects } from "./memberObjects.ts";

/** CustomResourceDefinitions among the objects of one member: their changes change the kinds that the member serves. */
export class Definitions {
  /** Last seen UID, hash and health, by key. */
  readonly #seen = new Map<string, string>();
  /** Definitions with a Delete row. */
  readonly #leaving = new Set<MemberObject>();
  readonly #changes = new Handlers<MemberObject>();
  readonly #freed = new Handlers<MemberObject>();

  constructor(objects: Pick<MemberObjects, "onChange">) {
    objects.onChange((object) => {
      if (this.#hasChanged(object)) this.#changes.call(object);
      this.#free(object);
    });
  }

  /** The definition may serve other kinds than before. */
  onChange(handler: (definition: MemberObject) => void): Disposable {
    return this.#changes.add(handler);
  }

  /** The deletion of the definition may proceed. */
  onFreed(handler: (definition: MemberObject) => void): Disposable {
    return this.#freed.add(handler);
  }

  #hasChanged(object: MemberObject): boolean {
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

  /** An object that has gone may have been the last of its kind. */
  #free({ ref: { apiVersion }, observed }: MemberObject): void {
    if (this.#leaving.size === 0 || observed !== undefined) return;
    const { group } = parseApiVersion(apiVersion);
    if (!isCustomGroup(group)) return;
    for (const definition of this.#leaving) if (groupOf(definition.ref) === group) this.#freed.call(definition);
  }
}

/** The name of a definition is `plural.group`; the plural has no dot. */
function groupOf({ name }: ObjectRef): string {
  return name.slice(name.indexOf(".") + 1);
}
