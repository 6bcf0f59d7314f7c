import { policyKey } from "../../apis/index.ts";
import type { Target } from "../../desiredstate/index.ts";
import type { HubCache } from "../../hub/index.ts";

const MINUTE_MS = 60_000;

interface Pace {
  /** The latest assigned turn, epoch milliseconds. */
  last: number;
  turns: Map<string, number>;
}

/**
 * Lets the objects of a policy leave lost clusters at equal intervals, if the policy limits the evictions per minute.
 * Evictions from before this process started are read from the statuses of the objects.
 */
export class EvictionPace {
  readonly #hub: Pick<HubCache, "objects" | "statuses">;
  readonly #policies = new Map<string, Pace>();

  constructor(hub: Pick<HubCache, "objects" | "statuses">) {
    this.#hub = hub;
  }

  /** Time at which the object may leave, in epoch milliseconds: its assigned turn, or else the next free turn. */
  turnOf(policy: string, perMinute: number, owner: string, now: number): number {
    const { last, turns } = this.#paceOf(policy);
    return turns.get(owner) ?? Math.max(now, last + Math.ceil(MINUTE_MS / perMinute));
  }

  note(owner: string, { placement, failover }: Target, now: number): void {
    if (placement === undefined || failover?.turn === undefined) return;
    const pace = this.#policies.get(policyKey(placement));
    if (pace === undefined) return;
    pace.last = Math.max(pace.last, failover.turn);
    pace.turns.set(owner, failover.turn);
    // A turn is kept for a minute: the status with the departure may not be written yet.
    for (const [other, turn] of pace.turns) if (turn < now - MINUTE_MS) pace.turns.delete(other);
  }

  #paceOf(policy: string): Pace {
    let pace = this.#policies.get(policy);
    if (pace === undefined) this.#policies.set(policy, (pace = { last: this.#lastDeparture(), turns: new Map() }));
    return pace;
  }

  /** Last eviction by any policy. After a start, the manager evicts too slowly rather than too fast. */
  #lastDeparture(): number {
    let last = Number.NEGATIVE_INFINITY;
    for (const object of this.#hub.objects())
      for (const { reason, at } of this.#hub.statuses.of(object)?.departures ?? [])
        if (reason === "ClusterLost") last = Math.max(last, Date.parse(at));
    return last;
  }
}
