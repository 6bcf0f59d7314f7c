import type { Target } from "../../desiredstate/index.ts";
import { type Clock, Emitter } from "../../runtime/index.ts";
import { type PodCount, type HeadroomAsked, headroomBeside, type CapacityReading } from "../../scheduler/index.ts";
import { Groups, type Observations } from "../tables/index.ts";
import type { ObjectStates } from "./objectStates.ts";

export interface CapacitiesOptions {
  states: Pick<ObjectStates, "planChanges">;
  observations: Pick<Observations, "capacities" | "capacityOf">;
  clock: Pick<Clock, "monotonic">;
}

/** Replicas that a cluster was given and that the last reading may not include. */
interface Reserved extends PodCount {
  /** Monotonic milliseconds. */
  at: number;
}

/** Time after which the pods of assigned replicas exist, so that a reading includes them. */
const SEEN_AFTER_MS = 3_000;

/**
 * The room of the clusters over which plans divide replicas by room. Measured only while a plan asks for the cluster.
 * Assigned replicas count as used at once, so that two objects do not get the same room between two readings.
 */
export class Capacities {
  /** A cluster that plans ask for from now on, or no longer ask for. */
  readonly wanted = new Emitter<string>();
  readonly changes = new Emitter<string>();
  readonly #options: CapacitiesOptions;
  readonly #reserved = new Map<string, Reserved[]>();
  /** Room without the reserved replicas, for clusters with reservations. */
  readonly #left = new Map<string, CapacityReading>();
  readonly #read = new Map<string, CapacityReading | undefined>();
  /** Groups by the names of their clusters: objects of one policy mostly ask for the same clusters. Derived from plans. */
  readonly #groups = new Map<string, Group>();
  readonly #groupsOn = new Groups<Group>();

  constructor(options: CapacitiesOptions) {
    this.#options = options;
    options.states.planChanges.subscribe(({ owner, before, after }) => {
      this.#ask(owner, before?.target?.decision.room, after?.target?.decision.room);
      this.#reserve(after?.target);
    });
    options.observations.capacities.subscribe((cluster) => this.#wasRead(cluster));
  }

  /** The known room of the cluster; undefined if the room was not measured yet. */
  get(cluster: string): CapacityReading | undefined {
    const reading = this.#options.observations.capacityOf(cluster);
    const reserved = this.#reserved.get(cluster);
    if (reading === undefined || !("room" in reading) || reserved === undefined) return reading;
    let left = this.#left.get(cluster);
    if (left === undefined) this.#left.set(cluster, (left = { room: headroomBeside(reading.room, reserved) }));
    return left;
  }

  isWanted(cluster: string): boolean {
    return this.#groupsOn.of(cluster).size > 0;
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
    const reading = this.#options.observations.capacityOf(cluster);
    const before = this.#read.get(cluster);
    this.#read.set(cluster, reading);
    const reserved = this.#reserved.get(cluster) ?? [];
    const unreadSince = this.#options.clock.monotonic() - SEEN_AFTER_MS;
    const unread = reserved.filter(({ at }) => at > unreadSince);
    if (unread.length === 0) this.#reserved.delete(cluster);
    else this.#reserved.set(cluster, unread);
    this.#left.delete(cluster);
    if (reading !== before || unread.length < reserved.length) this.changes.emit(cluster);
  }

  #ask(owner: string, before: HeadroomAsked | undefined, asked: HeadroomAsked | undefined): void {
    if (before === undefined && asked === undefined) return;
    const changed = new Set<string>();
    const group = asked === undefined ? undefined : this.#group(asked.clusters, changed);
    group?.owners.add(owner);
    const left = before === undefined ? undefined : this.#groups.get(keyOf(before.clusters));
    if (left !== undefined && left !== group) this.#leave(left, owner, changed);
    for (const cluster of changed) this.wanted.emit(cluster);
  }

  #group(clusters: readonly string[], changed: Set<string>): Group {
    const key = keyOf(clusters);
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const group: Group = { key, clusters, owners: new Set() };
    this.#groups.set(key, group);
    for (const cluster of clusters) if (this.#groupsOn.add(cluster, group)) changed.add(cluster);
    return group;
  }

  #leave(group: Group, owner: string, changed: Set<string>): void {
    group.owners.delete(owner);
    if (group.owners.size > 0) return;
    this.#groups.delete(group.key);
    for (const cluster of group.clusters) {
      if (!this.#groupsOn.delete(cluster, group)) continue;
      this.#reserved.delete(cluster);
      this.#left.delete(cluster);
      this.#read.delete(cluster);
      changed.add(cluster);
    }
  }
}

function keyOf(clusters: readonly string[]): string {
  return clusters.join();
}

/** A set of clusters, and the objects that ask for exactly these clusters. */
interface Group {
  readonly key: string;
  readonly clusters: readonly string[];
  readonly owners: Set<string>;
}
