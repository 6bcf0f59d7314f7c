import type { Row } from "../../desiredstate/index.ts";
import type { StatusStore } from "../../hub/index.ts";
import { type Plans } from "../tables/index.ts";

/** Nothing is sent to a cluster before the hub's record names it: the next leader must know where to look. */
export class RecordedRows {
  readonly #sources: { plans: Plans; store: Pick<StatusStore, "recorded"> };
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

  #isRecorded(owner: string): boolean {
    const { plans, store } = this.#sources;
    const recorded = store.recorded(owner);
    return plans.get(owner)?.target?.clusters.every(({ name }) => recorded.has(name)) ?? true;
  }
}
