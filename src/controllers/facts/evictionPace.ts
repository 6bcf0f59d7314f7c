import { policyKey } from "../../apis/index.ts";
import type { Target } from "../../desiredstate/index.ts";
import type { HubCache } from "../../hub/index.ts";

const MINUTE_MS = 60_000;

interface Pace {
  /** The latest turn that was given, epoch milliseconds. */
  last: number;
  /** Turns that were given, by object. */
  turns: Map<string, number>;
}

/**
 * When the objects of a policy may leave lost clusters, where the policy bounds how many do so in a minute: one after the other, with the same time
 * between any two. A turn that was given stays its object's, so that nobody has to ask again before it comes. What was left before this process began
 * is told by the statuses of the objects.
 */
export class EvictionPace {
  readonly #hub: Pick<HubCache, "objects" | "statuses">;
  readonly #policies = new Map<string, Pace>();

  constructor(hub: Pick<HubCache, "objects" | "statuses">) {
    this.#hub = hub;
  }

  /** When the object may leave, if that is due now: the turn that it has, or the one that it would get. Epoch milliseconds. */
  turnOf(policy: string, perMinute: number, owner: string, now: number): number {
    const { last, turns } = this.#paceOf(policy);
    return turns.get(owner) ?? Math.max(now, last + Math.ceil(MINUTE_MS / perMinute));
  }

  /** The turn that the target rests on is the object's from now on. */
  note(owner: string, { placement, failover }: Target, now: number): void {
    if (placement === undefined || failover?.turn === undefined) return;
    const pace = this.#policies.get(policyKey(placement));
    if (pace === undefined) return;
    pace.last = Math.max(pace.last, failover.turn);
    pace.turns.set(owner, failover.turn);
    // Kept for a while: the status that tells of the departure is still being written, or nobody said that the cluster has come back meanwhile.
    for (const [other, turn] of pace.turns) if (turn < now - MINUTE_MS) pace.turns.delete(other);
  }

  #paceOf(policy: string): Pace {
    let pace = this.#policies.get(policy);
    if (pace === undefined) this.#policies.set(policy, (pace = { last: this.#lastDeparture(), turns: new Map() }));
    return pace;
  }

  /** Of whatever policy: a manager that has just begun is rather too slow than too fast. */
  #lastDeparture(): number {
    let last = Number.NEGATIVE_INFINITY;
    for (const object of this.#hub.objects())
      for (const { reason, at } of this.#hub.statuses.of(object)?.departures ?? [])
        if (reason === "ClusterLost") last = Math.max(last, Date.parse(at));
    return last;
  }
}
