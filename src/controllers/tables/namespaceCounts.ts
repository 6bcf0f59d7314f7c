import type { ObjectRef } from "../../apis/index.ts";
import { Counts } from "./groups.ts";

interface Placed {
  cluster: string;
  ref: ObjectRef;
}

/** Number of entries in each namespace of each cluster. */
export class NamespaceCounts {
  readonly #counts = new Counts();

  add({ cluster, ref }: Placed): void {
    if (ref.namespace !== undefined) this.#counts.add(`${cluster}/${ref.namespace}`, 1);
  }

  remove({ cluster, ref }: Placed): void {
    if (ref.namespace !== undefined) this.#counts.add(`${cluster}/${ref.namespace}`, -1);
  }

  has(cluster: string, namespace: string): boolean {
    return this.#counts.of(`${cluster}/${namespace}`) > 0;
  }
}
