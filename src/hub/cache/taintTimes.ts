import type { MemberCluster, Taint } from "../../apis/index.ts";
import { type Clock, steadyTime } from "../../runtime/index.ts";
import type { ClusterTaint } from "../../scheduler/index.ts";
import type { HubEvent } from "./events.ts";

type Change = Pick<HubEvent<MemberCluster>, "type" | "object" | "old" | "initial">;

/**
 * Start times of cluster taints, for `tolerationSeconds`. A taint that is added while this process watches starts when
 * it is seen, or at a later `timeAdded`; an earlier one may come from another clock. Of a taint that existed before
 * only `timeAdded` is known. A jump of this machine's clock moves no start.
 */
export class TaintTimes {
  /** Epoch milliseconds, on the scale of every start time of this class. */
  readonly now: () => number;
  readonly #clock: Clock;
  readonly #began = new Map<string, ReadonlyMap<string, number>>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.now = steadyTime(clock);
  }

  take({ type, object, old, initial }: Change): void {
    const { name, uid } = object.metadata;
    if (type === "Deleted") {
      this.#began.delete(name);
      return;
    }
    if (initial) return;
    const known = old?.metadata.uid === uid ? old : undefined;
    const before = new Set((known?.spec.taints ?? []).map(identityOf));
    const began = new Map<string, number>();
    for (const taint of object.spec.taints ?? []) {
      const identity = identityOf(taint);
      const since = before.has(identity) ? this.#began.get(name)?.get(identity) : this.#beginning(taint);
      if (since !== undefined) began.set(identity, since);
    }
    if (began.size === 0) this.#began.delete(name);
    else this.#began.set(name, began);
  }

  of({ metadata, spec }: MemberCluster): ClusterTaint[] {
    const began = this.#began.get(metadata.name);
    return (spec.taints ?? []).map((taint) => {
      const since = began?.get(identityOf(taint));
      return since === undefined ? taint : { ...taint, since };
    });
  }

  /** Undefined without `timeAdded`: such a taint is tolerated without an end. */
  #beginning({ timeAdded }: Taint): number | undefined {
    const added = timeAdded === undefined ? Number.NaN : Date.parse(timeAdded);
    return Number.isNaN(added) ? undefined : this.now() + Math.max(0, added - this.#clock.now());
  }
}

/** A taint that is removed and added again starts anew. */
function identityOf({ key, value = "", effect, timeAdded = "" }: Taint): string {
  return [key, value, effect, timeAdded].join(" ");
}
