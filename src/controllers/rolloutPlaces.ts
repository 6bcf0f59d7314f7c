import { policyKey, type RolloutStatus, shareOf } from "../apis/index.ts";
import type { HubCache } from "../hub/index.ts";
import { Emitter } from "../runtime/index.ts";
import type { Plans } from "./plans.ts";

type RunState = RolloutStatus["state"];

/** An object whose policy bounds how many are rolled out at once (`maxObjects`). */
export interface BoundRun {
  /** Key of the object. */
  owner: string;
  /** Key of the policy. */
  policy: string;
  /** Of the objects that the policy places: a number or a share. */
  maxObjects: number | string;
}

/** The objects of one policy. */
interface Queue extends Omit<BoundRun, "owner"> {
  /** Objects whose rollout has begun and keeps its place. */
  taken: Set<string>;
  /** First come, first served. */
  waiting: Set<string>;
}

/** A run of any other state has begun and is not over. `RolledBack` keeps its place until it is known whether the policy was the cause. */
const WITHOUT_PLACE: ReadonlySet<RunState> = new Set<RunState>(["Planned", "Succeeded", "Superseded"]);

/**
 * Which objects of a policy are rolled out now, where the policy bounds how many are. Who has a place keeps it until its run is over; the others wait in
 * the order in which they came. Which runs had begun before this process did is told by the statuses of their objects.
 */
export class RolloutPlaces {
  /** Objects whose turn may have come. */
  readonly changes = new Emitter<string>();
  readonly #hub: Pick<HubCache, "owners" | "object" | "statuses">;
  readonly #plans: Pick<Plans, "placedBy">;
  /** By the keys of the policies. */
  readonly #queues = new Map<string, Queue>();
  /** In which queue an object is. */
  readonly #entered = new Map<string, Queue>();

  constructor({
    hub,
    plans,
  }: {
    hub: Pick<HubCache, "owners" | "object" | "statuses">;
    plans: Pick<Plans, "placedBy">;
  }) {
    this.#hub = hub;
    this.#plans = plans;
  }

  /** How many objects of the policy are rolled out at once: at least one. */
  limitOf({ policy, maxObjects }: Omit<BoundRun, "owner">): number {
    return Math.max(1, shareOf(maxObjects, this.#plans.placedBy(policy), Math.floor));
  }

  /** Whether the rollout of the object may begin. One that may has its place from now on; one that may not waits, and {@link changes} tells when it may. */
  mayBegin(run: BoundRun): boolean {
    const { owner } = run;
    const queue = this.#enter(run);
    if (queue.taken.has(owner)) return true;
    queue.waiting.add(owner);
    if (!first(queue.waiting, this.#free(queue)).includes(owner)) return false;
    queue.waiting.delete(owner);
    queue.taken.add(owner);
    return true;
  }

  /** The run has begun, and is not over as far as others are concerned. */
  keep(run: BoundRun): void {
    const queue = this.#enter(run);
    queue.waiting.delete(run.owner);
    queue.taken.add(run.owner);
  }

  /** The object is rolled out no more, and waits for nothing. */
  release(owner: string): void {
    const queue = this.#entered.get(owner);
    if (queue === undefined) return;
    this.#entered.delete(owner);
    queue.taken.delete(owner);
    queue.waiting.delete(owner);
    for (const next of first(queue.waiting, this.#free(queue))) this.changes.emit(next);
  }

  /** The queue of the policy, with what it says now; whatever the object had with another policy is given up. */
  #enter({ owner, policy, maxObjects }: BoundRun): Queue {
    const queue = this.#queues.get(policy) ?? this.#open(policy, maxObjects);
    queue.maxObjects = maxObjects;
    if (this.#entered.get(owner) !== queue) this.release(owner);
    this.#entered.set(owner, queue);
    return queue;
  }

  #free(queue: Queue): number {
    return this.limitOf(queue) - queue.taken.size;
  }

  #open(policy: string, maxObjects: number | string): Queue {
    const queue: Queue = { policy, maxObjects, taken: new Set(), waiting: new Set() };
    this.#queues.set(policy, queue);
    for (const owner of this.#begunOf(policy)) {
      if (this.#entered.has(owner)) continue;
      queue.taken.add(owner);
      this.#entered.set(owner, queue);
    }
    return queue;
  }

  *#begunOf(policy: string): Iterable<string> {
    for (const owner of this.#hub.owners()) {
      const found = this.#hub.object(owner);
      const status = found === undefined ? undefined : this.#hub.statuses.of(found.object, found.kind);
      const { placement, rollout } = status ?? {};
      if (placement === undefined || rollout === undefined || WITHOUT_PLACE.has(rollout.state)) continue;
      if (policyKey(placement) === policy) yield owner;
    }
  }
}

function first(owners: Iterable<string>, count: number): string[] {
  const found: string[] = [];
  for (const owner of owners) {
    if (found.length >= count) break;
    found.push(owner);
  }
  return found;
}
