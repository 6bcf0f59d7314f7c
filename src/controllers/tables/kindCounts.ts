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

export class KindCounts {
  readonly #clusters = new Map<string, Map<string, { kind: GroupKind; count: number }>>();
  /** The last answers of {@link beside}: every change of a row asks for them, while the kinds rarely change. */
  readonly #answers = new Map<string, Beside>();

  /** True if the member object is the first of its kind on the cluster. */
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

  /** True if the member object was the last of its kind on the cluster. */
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

  /** The kinds that rows ask for on the cluster, and those in `more`, without those in `watched`, sorted. */
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

/** True if both lists hold the same kinds. Both lists must be in alphabetical order. */
export function sameKinds(a: readonly GroupKind[], b: readonly GroupKind[]): boolean {
  if (a === b) return true;
  return (
    a.length === b.length && a.every(({ group, kind }, index) => group === b[index]?.group && kind === b[index].kind)
  );
}
