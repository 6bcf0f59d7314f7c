import type { KubeObject } from "../../apis/index.ts";
import { assembleSnapshot, computeTarget, type DeletionPolicy } from "../../desiredstate/index.ts";
import type { PlacedKind } from "../../hub/index.ts";
import type { EventRecorder } from "../../observability/index.ts";
import type { CopySources } from "../facts/index.ts";
import type { OrphaningDeletions } from "./orphaning.ts";
import { askedOf } from "./needs.ts";
import { attempted } from "./planningFailure.ts";
import { type Footprint, footprintOf } from "./leftovers.ts";

/** How an object that is being deleted parts from its copies. */
export interface Finalization {
  policy: DeletionPolicy;
  footprint: Footprint;
}

export interface FinalizationsOptions extends CopySources {
  events: EventRecorder;
  orphaning: Pick<OrphaningDeletions, "isOrphaned">;
}

/** What is seen of the copies of an object that is being deleted is taken together for so long: most of it leaves nothing to decide. */
const GATHER_MS = 50;

/** How each object that is being deleted parts from its copies: decided once, whatever becomes of its policies meanwhile. */
export class Finalizations {
  readonly #options: FinalizationsOptions;
  readonly #decided = new Map<string, Finalization>();

  constructor(options: FinalizationsOptions) {
    this.#options = options;
  }

  /** Undefined before it was decided. */
  get(owner: string): Finalization | undefined {
    return this.#decided.get(owner);
  }

  /** Decides it. */
  of(owner: string, object: KubeObject, kind: PlacedKind): Finalization {
    let finalization = this.#decided.get(owner);
    if (finalization === undefined) {
      const { hub, hubState, plans, orphaning } = this.#options;
      const { deletionPolicy } =
        plans.get(owner)?.target ??
        attempted(this.#options, owner, object, () => computeTarget(assembleSnapshot(hubState, object), hub.now()));
      const policy = orphaning.isOrphaned(object) ? "Orphan" : deletionPolicy;
      const { dependencies } = askedOf(this.#options, owner, { object, kind }).needs;
      hub.catalog.need(dependencies);
      finalization = { policy, footprint: footprintOf(kind, object, dependencies) };
      this.#decided.set(owner, finalization);
    }
    return finalization;
  }

  /** For how many milliseconds news of the copies of this object may be gathered; undefined: it is not being deleted, and the news is for now. */
  gathering(owner: string | undefined): number | undefined {
    return owner !== undefined && this.#decided.has(owner) ? GATHER_MS : undefined;
  }

  forget(owner: string): void {
    this.#decided.delete(owner);
  }
}
