import { policyKey, type RolloutStatus, shareOf } from "../../apis/index.ts";
import type { HubCache } from "../../hub/index.ts";
import { type RolloutPolicy, type Stop, stopOf } from "../../rollout/index.ts";
import { Emitter } from "../../runtime/index.ts";
import { type Plans, refOfKey } from "../tables/index.ts";

/** An object whose policy bounds how many are rolled out at once (`maxObjects`). */
export interface BoundRun {
  /** Key of the object. */
  owner: string;
  /** Key of the policy. */
  policy: string;
  /** Of the objects that the policy places: a number or a share. */
  maxObjects: number | string;
  rules: RolloutPolicy;
}

/** A run that has a place and has stopped. */
export interface StoppedRun {
  /** Key of the object. */
  owner: string;
  /** Since when, epoch milliseconds. */
  since: number;
  /** From when on objects of other namespaces do not wait for it, epoch milliseconds. */
  yieldsAt: number;
}

interface Place {
  /** For how long the run had stopped before, in milliseconds: who pauses again and again does not begin anew. */
  spentMs: number;
}

/** The objects of one policy. */
interface Queue {
  policy: string;
  maxObjects: number | string;
  /** Objects whose rollout has begun and keeps its place. */
  taken: Map<string, Place>;
  /** Those of them that have stopped. */
  stopped: Map<string, StoppedRun>;
  /** First come, first served. */
  waiting: Set<string>;
}

/** How many places stopped runs have yielded, in all and by the namespaces of their objects. */
interface Yielded {
  all: number;
  byNamespace: ReadonlyMap<string, number>;
}

/**
 * Which objects of a policy are rolled out now, where the policy bounds how many are. Who has a place keeps it until its run is over; the others wait in
 * the order in which they came. A run that has stopped keeps its place against objects of its own namespace, and against those of others for as long as
 * the policy says: one tenant does not hold up another for ever. Which runs had begun before this process did is told by the statuses of their objects.
 */
export class RolloutSlots {
  /** Objects whose turn may have come, or that wait for another run than before. */
  readonly changes = new Emitter<string>();
  readonly #hub: Pick<HubCache, "owners" | "object" | "statuses" | "now">;
  readonly #plans: Pick<Plans, "placedBy">;
  /** By the keys of the policies. */
  readonly #queues = new Map<string, Queue>();
  /** In which queue an object is. */
  readonly #entered = new Map<string, Queue>();

  constructor({
    hub,
    plans,
  }: {
    hub: Pick<HubCache, "owners" | "object" | "statuses" | "now">;
    plans: Pick<Plans, "placedBy">;
  }) {
    this.#hub = hub;
    this.#plans = plans;
  }

  /** How many objects of the policy are rolled out at once: at least one. */
  limitOf({ policy, maxObjects }: Pick<BoundRun, "policy" | "maxObjects">): number {
    return Math.max(1, shareOf(maxObjects, this.#plans.placedBy(policy), Math.floor));
  }

  /** Whether the run has a place, which it has not yielded. */
  has(run: BoundRun): boolean {
    const queue = this.#enter(run);
    return queue.taken.has(run.owner) && !this.#hasYielded(queue.stopped.get(run.owner));
  }

  /**
   * Whether the rollout of the object may begin, or go on after it yielded its place. One that may has its place from now on; one that may not waits, and
   * {@link changes} tells when it may.
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

  /** The run has begun, and goes on. */
  keep(run: BoundRun): void {
    const { owner } = run;
    const queue = this.#enter(run);
    queue.waiting.delete(owner);
    const stop = queue.stopped.get(owner);
    const { spentMs = 0 } = queue.taken.get(owner) ?? {};
    queue.taken.set(owner, { spentMs: spentMs + (stop === undefined ? 0 : this.#hub.now() - stop.since) });
    if (queue.stopped.delete(owner)) this.#tellWaiting(queue);
  }

  /** The run has stopped. It keeps the place that it has, and gets none. */
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

  /** Stopped runs that keep their places from the object, those of its own namespace first. */
  stoppedBefore(run: BoundRun): StoppedRun[] {
    const { stopped } = this.#enter(run);
    const own = namespaceOf(run.owner);
    const before = [...stopped.values()].filter(
      (stop) => stop.owner !== run.owner && (namespaceOf(stop.owner) === own || !this.#hasYielded(stop)),
    );
    return before.sort((a, b) => Number(namespaceOf(b.owner) === own) - Number(namespaceOf(a.owner) === own));
  }

  /** Of a policy: stopped runs that keep their places while other objects wait. */
  stoppedOf(policy: string): StoppedRun[] {
    const { stopped, waiting } = this.#queues.get(policy) ?? {};
    return stopped === undefined || waiting?.size === 0 ? [] : [...stopped.values()];
  }

  /** The object is rolled out no more, and waits for nothing. */
  release(owner: string): void {
    const queue = this.#entered.get(owner);
    if (queue === undefined) return;
    this.#entered.delete(owner);
    queue.taken.delete(owner);
    queue.waiting.delete(owner);
    if (queue.stopped.delete(owner)) this.#tellWaiting(queue);
    else for (const next of this.#next(queue)) this.changes.emit(next);
  }

  /** The queue of the policy, with what it says now; whatever the object had with another policy is given up. */
  #enter({ owner, policy, maxObjects, rules }: BoundRun): Queue {
    const queue = this.#queues.get(policy) ?? this.#open(policy, maxObjects, rules);
    queue.maxObjects = maxObjects;
    if (this.#entered.get(owner) !== queue) this.release(owner);
    this.#entered.set(owner, queue);
    return queue;
  }

  /** The waiting objects that may begin now, in their order. What another namespace's stopped run has yielded is free for them, and not for its own. */
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
      // A run of any other state has begun and is not over. `RolledBack` keeps its place until it is known whether the policy was the cause.
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

/** Empty for what is cluster-scoped. */
function namespaceOf(owner: string): string {
  return refOfKey(owner).namespace ?? "";
}
