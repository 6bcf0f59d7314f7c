import type { KubeObject } from "../../apis/index.ts";
import { assembleSnapshot, computeTarget, type DeletionPolicy } from "../../desiredstate/index.ts";
import type { PlacedKind } from "../../hub/index.ts";
import type { EventRecorder } from "../../observability/index.ts";
import type { CopySources } from "../facts/index.ts";
import type { OrphaningDeletions } from "./orphaning.ts";
import { declaredOf } from "./objectDependencies.ts";
import { attempted } from "./planningFailure.ts";
import { type Footprint, footprintOf } from "./leftovers.ts";

export interface Finalization {
  policy: DeletionPolicy;
  footprint: Footprint;
}

export interface FinalizationsOptions extends Pick<CopySources, "hub" | "hubState" | "plans"> {
  events: EventRecorder;
  orphaning: Pick<OrphaningDeletions, "isOrphaned">;
}

/** Observations during a deletion are gathered for this time, since most of them need no decision. */
const GATHER_MS = 50;

/** The finalization of each object that is being deleted. Decided once; later changes of policies have no effect. */
export class Finalizations {
  readonly #options: FinalizationsOptions;
  readonly #decided = new Map<string, Finalization>();

  constructor(options: FinalizationsOptions) {
    this.#options = options;
  }

  get(owner: string): Finalization | undefined {
    return this.#decided.get(owner);
  }

  of(owner: string, object: KubeObject, kind: PlacedKind): Finalization {
    let finalization = this.#decided.get(owner);
    if (finalization === undefined) {
      const { hub, hubState, plans, events, orphaning } = this.#options;
      const { deletionPolicy } =
        plans.get(owner)?.target ??
        attempted({ plans, events }, owner, object, () => computeTarget(assembleSnapshot(hubState, object), hub.now()));
      const policy = orphaning.isOrphaned(object) ? "Orphan" : deletionPolicy;
      const { dependencies } = declaredOf({ hub, hubState }, owner, { object, kind }).needs;
      hub.catalog.need(dependencies);
      finalization = { policy, footprint: footprintOf(kind, object, dependencies) };
      this.#decided.set(owner, finalization);
    }
    return finalization;
  }

  /** How long observations of the copies are gathered during the deletion of the object, in milliseconds. */
  debounceMs(owner: string | undefined): number | undefined {
    return owner !== undefined && this.#decided.has(owner) ? GATHER_MS : undefined;
  }

  forget(owner: string): void {
    this.#decided.delete(owner);
  }
}
