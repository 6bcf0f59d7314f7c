import { policyKey, type RolloutStatus, shareOf } from "../../apis/index.ts";
import type { HubCache } from "../../hub/index.ts";
import { type RolloutPolicy, type Stop, stopOf } from "../../rollout/index.ts";
import { Emitter } from "../../runtime/index.ts";
import { type ObjectStates, refOfKey } from "../tables/index.ts";

/** A run under a policy that limits the number of concurrent rollouts (`maxObjects`). */
export interface BoundRun {
  owner: string;
  policy: string;
  /** A number of objects, or a share of the objects that the policy places. */
  maxObjects: number | string;
  rules: RolloutPolicy;
}

export interface StoppedRun {
  owner: string;
  /** Time of the stop, epoch milliseconds. */
  since: number;
  /** Time from which objects of other namespaces do not wait for the run, epoch milliseconds. */
  yieldsAt: number;
}

interface Place {
  /** Duration of all earlier stops, in milliseconds. Repeated pauses add up. */
  spentMs: number;
}

interface Queue {
  policy: string;
  maxObjects: number | string;
  taken: Map<string, Place>;
  stopped: Map<string, StoppedRun>;
  /** Objects without a slot, in order of arrival. */
  waiting: Set<string>;
}

/** Number of slots that stopped runs have yielded, in total and by the namespace of the object. */
interface Yielded {
  all: number;
  byNamespace: ReadonlyMap<string, number>;
}

/**
 * Decides which objects of a policy are rolled out now, if the policy limits their number. A run holds its slot until
 * it ends. A stopped run keeps its slot from its own namespace, and from other namespaces only as long as the policy
 * says: no tenant blocks another for ever. Earlier runs are read from the statuses.
 */
export class RolloutSlots {
  /** Objects whose turn may have come, or that wait for another run than before. */
  readonly changes = new Emitter<string>();
  readonly #hub: Pick<HubCache, "owners" | "object" | "statuses" | "now">;
  readonly #states: Pick<ObjectStates, "placedBy">;
  readonly #queues = new Map<string, Queue>();
  readonly #entered = new Map<string, Queue>();

  constructor({
    hub,
    states,
  }: {
    hub: Pick<HubCache, "owners" | "object" | "statuses" | "now">;
    states: Pick<ObjectStates, "placedBy">;
  }) {
    this.#hub = hub;
    this.#states = states;
  }

  /** Number of concurrent rollouts of the policy, at least one. */
  limitOf({ policy, maxObjects }: Pick<BoundRun, "policy" | "maxObjects">): number {
    return Math.max(1, shareOf(maxObjects, this.#states.placedBy(policy), Math.floor));
  }

  has(run: BoundRun): boolean {
    const queue = this.#enter(run);
    return queue.taken.has(run.owner) && !this.#hasYielded(queue.stopped.get(run.owner));
  }

  /**
   * True if the rollout may begin, or go on after it yielded its slot; the run then holds a slot. Otherwise the object
   * waits for {@link changes}.
   */
  mayBegin(run: BoundRun): boolean {
    const { owner } = run;
    if (this.has(run)) return true;
    const queue = this.#enter(run);
    queue.taken.delete(owner);
    queue.stopped.delete(owner);
    queue.waiting.add(owner);
    if (!this.#next(queue).includes(owner)) return false;
    queue.waiting.delete(owner);
    queue.taken.set(owner, { spentMs: 0 });
    return true;
  }

  keep(run: BoundRun): void {
    const { owner } = run;
    const queue = this.#enter(run);
    queue.waiting.delete(owner);
    const stop = queue.stopped.get(owner);
    const { spentMs = 0 } = queue.taken.get(owner) ?? {};
    queue.taken.set(owner, { spentMs: spentMs + (stop === undefined ? 0 : this.#hub.now() - stop.since) });
    if (queue.stopped.delete(owner)) this.#tellWaiting(queue);
  }

  stop(run: BoundRun, { since, patienceMs }: Stop): void {
    const { owner } = run;
    const queue = this.#enter(run);
    queue.waiting.delete(owner);
    const place = queue.taken.get(owner);
    if (place === undefined) return;
    const before = queue.stopped.get(owner);
    const begun = before?.since ?? since;
    const yieldsAt = begun + Math.max(0, patienceMs - place.spentMs);
    if (before?.yieldsAt === yieldsAt) return;
    queue.stopped.set(owner, { owner, since: begun, yieldsAt });
    this.#tellWaiting(queue);
  }

  /** Stopped runs that keep their slots from the object, runs of its own namespace first. */
  stoppedBefore(run: BoundRun): StoppedRun[] {
    const { stopped } = this.#enter(run);
    const own = namespaceOf(run.owner);
    const before = [...stopped.values()].filter(
      (stop) => stop.owner !== run.owner && (namespaceOf(stop.owner) === own || !this.#hasYielded(stop)),
    );
    return before.sort((a, b) => Number(namespaceOf(b.owner) === own) - Number(namespaceOf(a.owner) === own));
  }

  /** Stopped runs of a policy that hold slots while other objects wait. */
  stoppedOf(policy: string): StoppedRun[] {
    const { stopped, waiting } = this.#queues.get(policy) ?? {};
    return stopped === undefined || waiting?.size === 0 ? [] : [...stopped.values()];
  }

  /** The object has no rollout any more and waits for none. Its slot becomes free. */
  release(owner: string): void {
    const queue = this.#entered.get(owner);
    if (queue === undefined) return;
    this.#entered.delete(owner);
    queue.taken.delete(owner);
    queue.waiting.delete(owner);
    if (queue.stopped.delete(owner)) this.#tellWaiting(queue);
    else for (const next of this.#next(queue)) this.changes.emit(next);
  }

  /** Enters the object into the queue of its present policy, and releases its slot in another policy's queue. */
  #enter({ owner, policy, maxObjects, rules }: BoundRun): Queue {
    const queue = this.#queues.get(policy) ?? this.#open(policy, maxObjects, rules);
    queue.maxObjects = maxObjects;
    if (this.#entered.get(owner) !== queue) this.release(owner);
    this.#entered.set(owner, queue);
    return queue;
  }

  /**
   * The waiting objects that may begin now. A yielded slot is free only for other namespaces than the stopped run's.
   */
  #next(queue: Queue): string[] {
    const yielded = this.#yieldedIn(queue);
    const free = this.limitOf(queue) - queue.taken.size;
    const next: string[] = [];
    for (const owner of queue.waiting) {
      if (next.length >= free + yielded.all) break;
      const own = yielded.byNamespace.get(namespaceOf(owner)) ?? 0;
      if (next.length < free + yielded.all - own) next.push(owner);
    }
    return next;
  }

  #yieldedIn({ stopped }: Queue): Yielded {
    const byNamespace = new Map<string, number>();
    let all = 0;
    for (const stop of stopped.values()) {
      if (!this.#hasYielded(stop)) continue;
      const namespace = namespaceOf(stop.owner);
      all += 1;
      byNamespace.set(namespace, (byNamespace.get(namespace) ?? 0) + 1);
    }
    return { all, byNamespace };
  }

  #hasYielded(stop: StoppedRun | undefined): boolean {
    return stop !== undefined && stop.yieldsAt <= this.#hub.now();
  }

  #tellWaiting({ waiting }: Queue): void {
    for (const owner of [...waiting]) this.changes.emit(owner);
  }

  #open(policy: string, maxObjects: number | string, rules: RolloutPolicy): Queue {
    const queue: Queue = { policy, maxObjects, taken: new Map(), stopped: new Map(), waiting: new Set() };
    this.#queues.set(policy, queue);
    for (const owner of this.#hub.owners()) {
      const rollout = this.#entered.has(owner) ? undefined : this.#rolloutOf(owner, policy);
      // `RolledBack` keeps its slot until it is known whether the policy was the cause.
      if (rollout === undefined || WITHOUT_PLACE.has(rollout.state)) continue;
      queue.taken.set(owner, { spentMs: 0 });
      this.#entered.set(owner, queue);
      const stop = stopOf(rules, rollout);
      if (stop !== undefined)
        queue.stopped.set(owner, { owner, since: stop.since, yieldsAt: stop.since + stop.patienceMs });
    }
    return queue;
  }

  #rolloutOf(owner: string, policy: string): RolloutStatus | undefined {
    const found = this.#hub.object(owner);
    const { placement, rollout } = (found && this.#hub.statuses.of(found.object, found.kind)) ?? {};
    return placement !== undefined && policyKey(placement) === policy ? rollout : undefined;
  }
}

const WITHOUT_PLACE: ReadonlySet<RolloutStatus["state"]> = new Set(["Planned", "Succeeded", "Superseded"]);

/** Empty for a cluster-scoped object. */
function namespaceOf(owner: string): string {
  return refOfKey(owner).namespace ?? "";
}
