import { policyKey, type RolloutStatus, shareOf } from "../../apis/index.ts";
import type { HubCache } from "../../hub/index.ts";
import { type RolloutPolicy, type Stop, stopOf } from "../../rollout/index.ts";
import { Emitter } from "../../runtime/index.ts";
import type { ObjectStates, PartStore, RolloutSlot, SlotStop } from "../states/index.ts";
import { refOfKey } from "../tables/index.ts";

/** A run under a policy that limits the number of concurrent rollouts (`maxObjects`). */
export interface BoundRun {
  owner: string;
  policy: string;
  /** A number of objects, or a share of the objects that the policy places. */
  maxObjects: number | string;
  rules: RolloutPolicy;
}

export interface StoppedRun extends SlotStop {
  owner: string;
}

/** The objects of one policy by their slots. */
interface Queue {
  policy: string;
  maxObjects: number | string;
  taken: Set<string>;
  stopped: Set<string>;
  /** Objects without a slot, in order of arrival. */
  waiting: Set<string>;
}

/** Number of slots that stopped runs have yielded, in total and by the namespace of the object. */
interface Yielded {
  all: number;
  byNamespace: ReadonlyMap<string, number>;
}

type SlotHub = Pick<HubCache, "owners" | "object" | "statuses" | "now">;
type SlotStates = PartStore<"slot"> & Pick<ObjectStates, "placedBy">;

/**
 * Decides which objects of a policy are rolled out now, if the policy limits their number. A run holds its slot until
 * it ends. A stopped run keeps its slot from its own namespace, and from other namespaces only as long as the policy
 * says: no tenant blocks another for ever. Earlier runs are read from the statuses.
 */
export class RolloutSlots {
  /** Objects whose turn may have come, or that wait for another run than before. */
  readonly changes = new Emitter<string>();
  readonly #hub: SlotHub;
  readonly #states: SlotStates;
  /** By policy. Derived from the slots in the objects' records. */
  readonly #queues = new Map<string, Queue>();

  constructor({ hub, states }: { hub: SlotHub; states: SlotStates }) {
    this.#hub = hub;
    this.#states = states;
  }

  /** Number of concurrent rollouts of the policy, at least one. */
  limitOf({ policy, maxObjects }: Pick<BoundRun, "policy" | "maxObjects">): number {
    return Math.max(1, shareOf(maxObjects, this.#states.placedBy(policy), Math.floor));
  }

  has(run: BoundRun): boolean {
    const { slot } = this.#enter(run);
    return slot.place === "Taken" && !this.#hasYielded(slot.stop);
  }

  /**
   * True if the rollout may begin, or go on after it yielded its slot; the run then holds a slot. Otherwise the object
   * waits for {@link changes}.
   */
  mayBegin(run: BoundRun): boolean {
    const { owner, policy } = run;
    if (this.has(run)) return true;
    const { queue } = this.#enter(run);
    this.#put(owner, { policy, place: "Waiting", spentMs: 0 });
    if (!this.#next(queue).includes(owner)) return false;
    this.#put(owner, { policy, place: "Taken", spentMs: 0 });
    return true;
  }

  keep(run: BoundRun): void {
    const { owner, policy } = run;
    const { queue, slot } = this.#enter(run);
    const { stop, spentMs } = slot;
    const stoppedMs = stop === undefined ? 0 : this.#hub.now() - stop.since;
    this.#put(owner, { policy, place: "Taken", spentMs: spentMs + stoppedMs });
    if (stop !== undefined) this.#tellWaiting(queue);
  }

  stop(run: BoundRun, { since, patienceMs }: Stop): void {
    const { owner, policy } = run;
    const { queue, slot } = this.#enter(run);
    if (slot.place !== "Taken") {
      this.#put(owner, { policy, place: "None", spentMs: 0 });
      return;
    }
    const before = slot.stop;
    const begun = before?.since ?? since;
    const yieldsAt = begun + Math.max(0, patienceMs - slot.spentMs);
    if (before?.yieldsAt === yieldsAt) return;
    this.#put(owner, { ...slot, stop: { since: begun, yieldsAt } });
    this.#tellWaiting(queue);
  }

  /** Stopped runs that keep their slots from the object, runs of its own namespace first. */
  stoppedBefore(run: BoundRun): StoppedRun[] {
    const { queue } = this.#enter(run);
    const own = namespaceOf(run.owner);
    const before = this.#stoppedIn(queue).filter(
      (stop) => stop.owner !== run.owner && (namespaceOf(stop.owner) === own || !this.#hasYielded(stop)),
    );
    return before.sort((a, b) => Number(namespaceOf(b.owner) === own) - Number(namespaceOf(a.owner) === own));
  }

  /** Stopped runs of a policy that hold slots while other objects wait. */
  stoppedOf(policy: string): StoppedRun[] {
    const queue = this.#queues.get(policy);
    return queue === undefined || queue.waiting.size === 0 ? [] : this.#stoppedIn(queue);
  }

  /** The object has no rollout any more and waits for none. Its slot becomes free. */
  release(owner: string): void {
    const slot = this.#slotOf(owner);
    const queue = slot === undefined ? undefined : this.#queues.get(slot.policy);
    if (slot === undefined || queue === undefined) return;
    this.#states.clear(owner, "slot");
    index(queue, owner, undefined);
    if (slot.stop !== undefined) this.#tellWaiting(queue);
    else for (const next of this.#next(queue)) this.changes.emit(next);
  }

  /** Enters the object into the queue of its present policy, and releases its slot in another policy's queue. */
  #enter({ owner, policy, maxObjects, rules }: BoundRun): { queue: Queue; slot: RolloutSlot } {
    const queue = this.#queues.get(policy) ?? this.#open(policy, maxObjects, rules);
    queue.maxObjects = maxObjects;
    const known = this.#slotOf(owner);
    if (known?.policy === policy) return { queue, slot: known };
    this.release(owner);
    return { queue, slot: this.#put(owner, { policy, place: "None", spentMs: 0 }) };
  }

  #slotOf(owner: string): RolloutSlot | undefined {
    return this.#states.get(owner)?.slot;
  }

  #put(owner: string, slot: RolloutSlot): RolloutSlot {
    this.#states.setPart(owner, "slot", slot);
    const queue = this.#queues.get(slot.policy);
    if (queue !== undefined) index(queue, owner, slot);
    return slot;
  }

  #stoppedIn({ stopped }: Queue): StoppedRun[] {
    return [...stopped].flatMap((owner) => {
      const stop = this.#slotOf(owner)?.stop;
      return stop === undefined ? [] : [{ owner, ...stop }];
    });
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

  #yieldedIn(queue: Queue): Yielded {
    const byNamespace = new Map<string, number>();
    let all = 0;
    for (const stop of this.#stoppedIn(queue)) {
      if (!this.#hasYielded(stop)) continue;
      const namespace = namespaceOf(stop.owner);
      all += 1;
      byNamespace.set(namespace, (byNamespace.get(namespace) ?? 0) + 1);
    }
    return { all, byNamespace };
  }

  #hasYielded(stop: SlotStop | undefined): boolean {
    return stop !== undefined && stop.yieldsAt <= this.#hub.now();
  }

  #tellWaiting({ waiting }: Queue): void {
    for (const owner of [...waiting]) this.changes.emit(owner);
  }

  #open(policy: string, maxObjects: number | string, rules: RolloutPolicy): Queue {
    const queue: Queue = { policy, maxObjects, taken: new Set(), stopped: new Set(), waiting: new Set() };
    this.#queues.set(policy, queue);
    for (const owner of this.#hub.owners()) {
      const rollout = this.#slotOf(owner) === undefined ? this.#rolloutOf(owner, policy) : undefined;
      // `RolledBack` keeps its slot until it is known whether the policy was the cause.
      if (rollout === undefined || WITHOUT_PLACE.has(rollout.state)) continue;
      const stop = stopOf(rules, rollout);
      this.#put(owner, {
        ...{ policy, place: "Taken", spentMs: 0 },
        ...(stop === undefined ? {} : { stop: { since: stop.since, yieldsAt: stop.since + stop.patienceMs } }),
      });
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

/** Puts the object where its slot says; undefined: nowhere. A place in the order of arrival is kept. */
function index({ taken, stopped, waiting }: Queue, owner: string, slot: RolloutSlot | undefined): void {
  const places: [Set<string>, boolean][] = [
    [taken, slot?.place === "Taken"],
    [waiting, slot?.place === "Waiting"],
    [stopped, slot?.stop !== undefined],
  ];
  for (const [owners, isIn] of places) {
    if (isIn) owners.add(owner);
    else owners.delete(owner);
  }
}

/** Empty for a cluster-scoped object. */
function namespaceOf(owner: string): string {
  return refOfKey(owner).namespace ?? "";
}
