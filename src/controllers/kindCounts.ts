import { type GroupKind, groupKindOf } from "../interpreter/index.ts";
import type { ObjectRef } from "../apis/index.ts";

interface Placed {
  cluster: string;
  ref: ObjectRef;
}

/** How many member objects of each kind are asked for on each cluster. */
export class KindCounts {
  readonly #clusters = new Map<string, Map<string, { kind: GroupKind; count: number }>>();

  /** Whether it is the first one of its kind there. */
  add({ cluster, ref }: Placed): boolean {
    let kinds = this.#clusters.get(cluster);
    if (kinds === undefined) this.#clusters.set(cluster, (kinds = new Map()));
    const kind = groupKindOf(ref);
    const name = nameOf(kind);
    const known = kinds.get(name);
    if (known === undefined) kinds.set(name, { kind, count: 1 });
    else known.count += 1;
    return known === undefined;
  }

  /** Whether it was the last one. */
  remove({ cluster, ref }: Placed): boolean {
    const kinds = this.#clusters.get(cluster);
    const name = nameOf(groupKindOf(ref));
    const known = kinds?.get(name);
    if (kinds === undefined || known === undefined) return false;
    known.count -= 1;
    if (known.count > 0) return false;
    kinds.delete(name);
    if (kinds.size === 0) this.#clusters.delete(cluster);
    return true;
  }

  /** These kinds, and those that are asked for on the cluster, but for those that are watched everywhere: in alphabetical order. */
  beside(watched: readonly GroupKind[], cluster: string, more: readonly GroupKind[]): readonly GroupKind[] {
    const others = new Map(more.map((kind) => [nameOf(kind), kind]));
    for (const [name, { kind }] of this.#clusters.get(cluster) ?? []) others.set(name, kind);
    for (const kind of watched) others.delete(nameOf(kind));
    return [...others].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind);
  }
}

/** Whether both lists, in alphabetical order, hold the same kinds. */
export function sameKinds(a: readonly GroupKind[], b: readonly GroupKind[]): boolean {
  return (
    a.length === b.length && a.every(({ group, kind }, index) => group === b[index]?.group && kind === b[index].kind)
  );
}

export function nameOf({ group, kind }: GroupKind): string {
  return `${group}/${kind}`;
}
