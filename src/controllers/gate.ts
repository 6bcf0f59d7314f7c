import type { Hub } from "./hub.ts";

/**
 * Whether anything may be deleted at all. Closed until every cache of the hub has synced and every object that was there then
 * has been planned once: an object without a plan has no rows, and would look like one that nobody wants.
 */
export class DeletionGate {
  readonly #hub: Hub;
  readonly #opened: () => void;
  #unplanned: Set<string> | undefined;

  constructor(hub: Hub, opened: () => void) {
    this.#hub = hub;
    this.#opened = opened;
  }

  /** The caches have synced: these objects have to be planned first. */
  expect(owners: Iterable<string>): void {
    this.#unplanned = new Set(owners);
    if (this.#unplanned.size === 0) this.#opened();
  }

  planned(owner: string): void {
    if (this.#unplanned?.delete(owner) === true && this.#unplanned.size === 0) this.#opened();
  }

  get allPlanned(): boolean {
    return this.#unplanned?.size === 0;
  }

  deletesAllowed(cluster: string): boolean {
    if (!this.allPlanned || !this.#hub.synced || this.#hub.deletionsHeld) return false;
    const member = this.#hub.clusters.get(cluster);
    if (member === undefined) return false;
    // A MemberCluster that is taken away without draining keeps what runs there.
    return member.metadata.deletionTimestamp === undefined || member.spec.deletionPolicy === "Drain";
  }
}
