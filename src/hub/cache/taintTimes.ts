import type { MemberCluster, Taint } from "../../apis/index.ts";
import { type Clock, steadyTime } from "../../runtime/index.ts";
import type { ClusterTaint } from "../../scheduler/index.ts";
import type { HubEvent } from "./events.ts";

type Change = Pick<HubEvent<MemberCluster>, "type" | "object" | "old" | "initial">;

/**
 * When the taints of clusters began, for `tolerationSeconds`. Of a taint that came while this process was watching that is when it came;
 * a later time in `timeAdded` counts, an earlier one does not, since the clock that wrote it may be another one. Of a taint that was there
 * before only `timeAdded` says anything. A jump of this machine's clock moves neither.
 */
export class TaintTimes {
  /** Epoch milliseconds on the scale of every time that is given here. */
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

/** A taint that is taken off and put on again begins anew. */
function identityOf({ key, value = "", effect, timeAdded = "" }: Taint): string {
  return [key, value, effect, timeAdded].join(" ");
}
