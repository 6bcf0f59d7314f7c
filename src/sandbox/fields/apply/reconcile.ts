import { differenceWithBelow, type FieldSet, insert, isEmpty, LEAF, union } from "../sets/index.ts";
import { type FieldType, type ListType, type MapType, type PathElement, SELF } from "../values/index.ts";

/**
 * Reads a set by the current schema. If a field became one leaf after the set was written, the owner of a part owns the
 * whole leaf. Returns the same set if no such change happened.
 */
export function reconcileWithType(set: FieldSet, type: FieldType): FieldSet {
  if (reconciled.get(set) === type) return set;
  const walk = new ReconcilingWalk();
  walk.visit(set, type, false);
  if (isEmpty(walk.nowLeaves)) {
    reconciled.set(set, type);
    return set;
  }
  return union(differenceWithBelow(set, walk.nowLeaves), walk.nowLeaves);
}

/** Remembers checked sets. Sets are shared and frozen, and types live as long as their schema, so most sets are known. */
const reconciled = new WeakMap<FieldSet, FieldType>();

class ReconcilingWalk {
  readonly nowLeaves: FieldSet = {};
  readonly #path: PathElement[] = [];

  visit(set: FieldSet | undefined, type: FieldType, ownedAsLeaf: boolean): void {
    const { map, list, scalar } = type;
    if (map !== undefined) {
      if (map.deduced) return;
      if (!ownedAsLeaf && map.atomic) {
        if (set !== undefined && !isEmpty(set)) insert(this.nowLeaves, this.#path);
        return;
      }
      if (set !== undefined) this.#visitEntries(set, map);
      return;
    }
    if (scalar !== undefined || list === undefined) return;
    if (!ownedAsLeaf && list.atomic) insert(this.nowLeaves, this.#path);
    else if (set !== undefined) this.#visitItems(set, list);
  }

  #visitEntries(set: FieldSet, map: MapType): void {
    for (const element in set) {
      if (element === SELF) continue;
      const field = element.startsWith("f:") ? map.fields.get(element.slice(2)) : undefined;
      const type = field?.type ?? map.element;
      if (type !== undefined) this.#descend(element, set[element] as FieldSet, type);
    }
  }

  #visitItems(set: FieldSet, list: ListType): void {
    for (const element in set) {
      if (element !== SELF) this.#descend(element, set[element] as FieldSet, list.element);
    }
  }

  #descend(element: PathElement, node: FieldSet, type: FieldType): void {
    this.#path.push(element);
    if (node === LEAF) this.visit(undefined, type, true);
    else this.visit(node, type, false);
    this.#path.pop();
  }
}
