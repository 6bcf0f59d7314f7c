import type { Target } from "../../desiredstate/index.ts";
import { type Clock, Emitter } from "../../runtime/index.ts";
import { type PodCount, type RoomAsked, roomBeside, type RoomReading } from "../../scheduler/index.ts";
import type { Observations } from "./observations.ts";
import type { Plans } from "./plans.ts";

export interface RoomsOptions {
  plans: Pick<Plans, "changes">;
  observations: Pick<Observations, "rooms" | "roomOf">;
  clock: Pick<Clock, "monotonic">;
}

/** Replicas that a cluster was given, and that the last reading did not see yet. */
interface Reserved extends PodCount {
  /** Monotonic milliseconds. */
  at: number;
}

/** Pods of what was written to a member are there by then, and a reading sees them. */
const SEEN_AFTER_MS = 3_000;

/**
 * Whose room is asked for: the clusters that plans divide replicas over by room. While a plan asks for a cluster, its worker measures it; when nobody
 * asks any more, it stops. What is given out counts as taken up at once, so that two objects are not given the same room between two readings. Costs
 * nothing where no policy divides by room.
 */
export class Rooms {
  /** A cluster that is asked for from now on, or is not any more. */
  readonly wanted = new Emitter<string>();
  /** A cluster of whose room another thing is known. */
  readonly changes = new Emitter<string>();
  readonly #options: RoomsOptions;
  readonly #reserved = new Map<string, Reserved[]>();
  /** What is left beside what is reserved, where something is. */
  readonly #left = new Map<string, RoomReading>();
  readonly #read = new Map<string, RoomReading | undefined>();
  /** What the last plan of an object asked for. */
  readonly #asked = new Map<string, { group: Group; awaited: boolean }>();
  /** Objects of one policy ask for the same clusters, mostly: one group, and not each of them on each cluster. By the names of the clusters. */
  readonly #groups = new Map<string, Group>();
  readonly #groupsOn = new Map<string, Set<Group>>();

  constructor(options: RoomsOptions) {
    this.#options = options;
    options.plans.changes.subscribe(({ owner, after }) => {
      this.#ask(owner, after?.target?.decision.room);
      this.#reserve(after?.target);
    });
    options.observations.rooms.subscribe((cluster) => this.#wasRead(cluster));
  }

  /** What is known of the cluster's room; undefined: it is not measured yet. */
  get(cluster: string): RoomReading | undefined {
    const reading = this.#options.observations.roomOf(cluster);
    const reserved = this.#reserved.get(cluster);
    if (reading === undefined || !("room" in reading) || reserved === undefined) return reading;
    let left = this.#left.get(cluster);
    if (left === undefined) this.#left.set(cluster, (left = { room: roomBeside(reading.room, reserved) }));
    return left;
  }

  isWanted(cluster: string): boolean {
    return this.#groupsOn.has(cluster);
  }

  /** The objects for which another room of the cluster may change anything: no division that is complete depends on it. */
  *awaiting(cluster: string): Iterable<string> {
    for (const { owners } of this.#groupsOn.get(cluster) ?? [])
      for (const owner of owners) if (this.#asked.get(owner)?.awaited === true) yield owner;
  }

  #reserve(target: Target | undefined): void {
    const needs = target?.podNeeds;
    if (target?.decision.room === undefined || needs === undefined) return;
    const at = this.#options.clock.monotonic();
    for (const [cluster, count] of target.decision.room.added) {
      const reserved = this.#reserved.get(cluster);
      if (reserved === undefined) this.#reserved.set(cluster, [{ needs, count, at }]);
      else reserved.push({ needs, count, at });
      this.#left.delete(cluster);
    }
  }

  #wasRead(cluster: string): void {
    const reading = this.#options.observations.roomOf(cluster);
    const before = this.#read.get(cluster);
    this.#read.set(cluster, reading);
    const reserved = this.#reserved.get(cluster) ?? [];
    const unseenSince = this.#options.clock.monotonic() - SEEN_AFTER_MS;
    const unseen = reserved.filter(({ at }) => at > unseenSince);
    if (unseen.length === 0) this.#reserved.delete(cluster);
    else this.#reserved.set(cluster, unseen);
    this.#left.delete(cluster);
    if (reading !== before || unseen.length < reserved.length) this.changes.emit(cluster);
  }

  #ask(owner: string, asked: RoomAsked | undefined): void {
    const before = this.#asked.get(owner);
    if (before === undefined && asked === undefined) return;
    const changed = new Set<string>();
    const group = asked === undefined ? undefined : this.#group(asked.clusters, changed);
    group?.owners.add(owner);
    if (asked === undefined || group === undefined) this.#asked.delete(owner);
    else this.#asked.set(owner, { group, awaited: asked.awaited });
    if (before !== undefined && before.group !== group) this.#leave(before.group, owner, changed);
    for (const cluster of changed) this.wanted.emit(cluster);
  }

  #group(clusters: readonly string[], changed: Set<string>): Group {
    const key = clusters.join();
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const group: Group = { key, clusters, owners: new Set() };
    this.#groups.set(key, group);
    for (const cluster of clusters) {
      const groups = this.#groupsOn.get(cluster);
      if (groups !== undefined) groups.add(group);
      else {
        this.#groupsOn.set(cluster, new Set([group]));
        changed.add(cluster);
      }
    }
    return group;
  }

  #leave(group: Group, owner: string, changed: Set<string>): void {
    group.owners.delete(owner);
    if (group.owners.size > 0) return;
    this.#groups.delete(group.key);
    for (const cluster of group.clusters) {
      const groups = this.#groupsOn.get(cluster);
      groups?.delete(group);
      if (groups?.size !== 0) continue;
      this.#groupsOn.delete(cluster);
      this.#reserved.delete(cluster);
      this.#left.delete(cluster);
      this.#read.delete(cluster);
      changed.add(cluster);
    }
  }
}

/** Clusters, and the objects that ask for just these. */
interface Group {
  readonly key: string;
  readonly clusters: readonly string[];
  readonly owners: Set<string>;
}
