import type { ObjectRef } from "../../apis/index.ts";

interface Placed {
  cluster: string;
  ref: ObjectRef;
}

/** Number of entries in each namespace of each cluster. */
export class NamespaceCounts {
  readonly #counts = new Map<string, number>();

  add({ cluster, ref }: Placed): void {
    if (ref.namespace === undefined) return;
    const key = `${cluster}/${ref.namespace}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  remove({ cluster, ref }: Placed): void {
    const key = `${cluster}/${ref.namespace ?? ""}`;
    const count = (this.#counts.get(key) ?? 0) - 1;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }

  has(cluster: string, namespace: string): boolean {
    return this.#counts.has(`${cluster}/${namespace}`);
  }
}
