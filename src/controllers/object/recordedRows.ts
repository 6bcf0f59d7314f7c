import type { Row } from "../../desiredstate/index.ts";
import type { StatusStore } from "../../hub/index.ts";
import { type Plans } from "../tables/index.ts";

/**
 * Nothing is sent to a cluster before the hub's record names the cluster. The next leader must know where to look for
 * copies.
 */
export class RecordedRows {
  readonly #sources: { plans: Plans; store: Pick<StatusStore, "recorded"> };
  /** Objects whose plan names clusters that the hub's record does not name yet. */
  readonly #unrecorded = new Set<string>();

  constructor(sources: { plans: Plans; store: Pick<StatusStore, "recorded"> }) {
    this.#sources = sources;
  }

  /** The rows that may be handed to the workers now; the others wait for {@link hasArrived}. */
  of(owner: string, rows: readonly Row[]): readonly Row[] {
    if (this.#isRecorded(owner)) {
      this.#unrecorded.delete(owner);
      return rows;
    }
    this.#unrecorded.add(owner);
    const recorded = this.#sources.store.recorded(owner);
    return rows.filter(({ verb, cluster }) => verb !== "Apply" || recorded.has(cluster));
  }

  /** True if rows waited for the record, and the record is now complete. */
  hasArrived(owner: string): boolean {
    return this.#unrecorded.has(owner) && this.#isRecorded(owner);
  }

  forget(owner: string): void {
    this.#unrecorded.delete(owner);
  }

  /** True if the record names every cluster of the plan. */
  #isRecorded(owner: string): boolean {
    const { plans, store } = this.#sources;
    const recorded = store.recorded(owner);
    return plans.get(owner)?.target?.clusters.every(({ name }) => recorded.has(name)) ?? true;
  }
}
