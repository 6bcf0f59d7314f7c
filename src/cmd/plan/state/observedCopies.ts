import { refKey } from "../../../apis/index.ts";
import type { Observation } from "../../../desiredstate/index.ts";

export class ObservedCopies {
  readonly #byOwner = new Map<string, readonly Observation[]>();
  readonly #fromMembers = new Set<string>();
  /** By cluster and {@link refKey}. */
  readonly #byPlace = new Map<string, Map<string, Observation>>();

  set(owner: string, copies: readonly Observation[], fromMembers: boolean): void {
    for (const { cluster, ref } of this.#byOwner.get(owner) ?? []) this.#byPlace.get(cluster)?.delete(refKey(ref));
    this.#byOwner.set(owner, copies);
    if (fromMembers) this.#fromMembers.add(owner);
    for (const copy of copies) {
      const there = this.#byPlace.get(copy.cluster) ?? new Map<string, Observation>();
      this.#byPlace.set(copy.cluster, there.set(refKey(copy.ref), copy));
    }
  }

  isFromMembers(owner: string): boolean {
    return this.#fromMembers.has(owner);
  }

  *naming(owner: string): Iterable<Observation> {
    for (const copy of this.#byOwner.get(owner) ?? [])
      if (copy.present?.owner !== undefined && refKey(copy.present.owner) === owner) yield copy;
  }

  get(cluster: string, key: string): Observation | undefined {
    return this.#byPlace.get(cluster)?.get(key);
  }

  on(cluster: string): Iterable<Observation> {
    return this.#byPlace.get(cluster)?.values() ?? [];
  }
}
