import { type GroupKind, groupKindOf } from "../../interpreter/index.ts";
import { kindKey, kindKeyOf, type ObjectRef } from "../../apis/index.ts";

interface Placed {
  cluster: string;
  ref: ObjectRef;
}

interface Beside {
  watched: readonly GroupKind[];
  more: readonly GroupKind[];
  kinds: readonly GroupKind[];
}

/** How many member objects of each kind are asked for on each cluster. */
export class KindCounts {
  readonly #clusters = new Map<string, Map<string, { kind: GroupKind; count: number }>>();
  /** The last answers, by cluster: asked for at each change of a row, while the kinds hardly ever change. */
  readonly #answers = new Map<string, Beside>();

  /** Whether it is the first one of its kind there. */
  add({ cluster, ref }: Placed): boolean {
    let kinds = this.#clusters.get(cluster);
    if (kinds === undefined) this.#clusters.set(cluster, (kinds = new Map()));
    const kind = groupKindOf(ref);
    const name = kindKey(kind);
    const known = kinds.get(name);
    if (known !== undefined) {
      known.count += 1;
      return false;
    }
    kinds.set(name, { kind, count: 1 });
    this.#answers.delete(cluster);
    return true;
  }

  /** Whether it was the last one. */
  remove({ cluster, ref }: Placed): boolean {
    const kinds = this.#clusters.get(cluster);
    const name = kindKeyOf(ref);
    const known = kinds?.get(name);
    if (kinds === undefined || known === undefined) return false;
    known.count -= 1;
    if (known.count > 0) return false;
    kinds.delete(name);
    this.#answers.delete(cluster);
    if (kinds.size === 0) this.#clusters.delete(cluster);
    return true;
  }

  /** These kinds, and those that are asked for on the cluster, but for those that are watched everywhere: in alphabetical order. */
  beside(watched: readonly GroupKind[], cluster: string, more: readonly GroupKind[]): readonly GroupKind[] {
    const known = this.#answers.get(cluster);
    if (known?.watched === watched && known.more === more) return known.kinds;
    const others = new Map(more.map((kind) => [kindKey(kind), kind]));
    for (const [name, { kind }] of this.#clusters.get(cluster) ?? []) others.set(name, kind);
    for (const kind of watched) others.delete(kindKey(kind));
    const kinds = [...others].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind);
    this.#answers.set(cluster, { watched, more, kinds });
    return kinds;
  }
}

/** Whether both lists, in alphabetical order, hold the same kinds. */
export function sameKinds(a: readonly GroupKind[], b: readonly GroupKind[]): boolean {
  if (a === b) return true;
  return (
    a.length === b.length && a.every(({ group, kind }, index) => group === b[index]?.group && kind === b[index].kind)
  );
}
