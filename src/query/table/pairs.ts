import type { ObjectIdentity, ObjectPair } from "../types.ts";

/** A namespace and a kind: what a right is about. One value for each pair, so that answers are looked up by identity. */
export interface Pair extends ObjectPair {
  /** Number of objects. */
  objects: number;
}

/** The pairs of the table that have objects. */
export class Pairs {
  readonly #pairs = new Map<string, Pair>();

  take({ namespace, group, kind }: ObjectIdentity): Pair {
    const key = `${namespace ?? ""} ${group}/${kind}`;
    let pair = this.#pairs.get(key);
    if (pair === undefined) this.#pairs.set(key, (pair = { namespace, kindKey: `${group}/${kind}`, objects: 0 }));
    pair.objects += 1;
    return pair;
  }

  release(pair: Pair): void {
    pair.objects -= 1;
    if (pair.objects === 0) this.#pairs.delete(`${pair.namespace ?? ""} ${pair.kindKey}`);
  }

  all(): Iterable<Pair> {
    return this.#pairs.values();
  }
}
