import { type KubeObject, type MemberCluster, type Placement, refKey } from "../../apis/index.ts";
import {
  type ClusterChange,
  type ClusterFacts,
  computeTarget,
  differenceOf,
  knownCopies,
  type Observation,
  ownerRefOf,
  type RemovalFacts,
  type Row,
  step,
  type Target,
} from "../../desiredstate/index.ts";
import { lostOf, whyItStays, withLoss } from "./loss.ts";
import { snapshotIn, statusOf, type World } from "./world.ts";

/** One object that would be planned otherwise. */
export interface Candidate {
  key: string;
  /** As it would stand on the hub. */
  object: KubeObject;
  before: Target | undefined;
  after: Target;
  /** What the hub knows of its copies. */
  copies: readonly Observation[];
  /** Clusters that it runs on now and that are lost. */
  lost: readonly string[];
}

export interface PlannedObject extends Candidate {
  changes: readonly ClusterChange[];
}

/** Two worlds, and the clusters that are lost in the second. */
export interface Comparison {
  before: World;
  after: World;
  lost: ReadonlySet<string>;
  /** Epoch milliseconds. */
  now: number;
}

/**
 * The objects whose plans differ, by the functions that the manager plans with. `Comparing` keeps every target of the world to come: which copies
 * others need is read from them.
 */
export class Comparing {
  readonly candidates: readonly Candidate[];
  /** Objects that would be planned otherwise, but for their deletion: nothing else becomes of them. */
  readonly departing: readonly KubeObject[];
  readonly #comparison: Comparison;
  readonly #facts: ReadonlyMap<string, ClusterFacts>;
  /** By `cluster/refKey` of what is asked for: the objects that ask for it. */
  readonly #wanted = new Map<string, Set<string>>();
  /** Of these, those that would have it written: not what is left as it is. */
  readonly #written = new Map<string, Set<string>>();
  /** By refKey: what others ask for, on whatever cluster. */
  readonly #along = new Map<string, Set<string>>();

  constructor(comparison: Comparison) {
    const { before, after, now } = comparison;
    this.#comparison = comparison;
    this.#facts = new Map(after.clusters.map((cluster) => [cluster.metadata.name, factsOf(cluster, after.heldDrains)]));
    const { lost } = comparison;
    const candidates: Candidate[] = [];
    const departing: KubeObject[] = [];
    for (const [key, object] of after.objects) {
      const old = before.objects.get(key);
      const was = old === undefined ? undefined : computeTarget(snapshotIn(before, old), now);
      const is = computeTarget(snapshotIn(after, object), now);
      const gone = lostOf(was, lost);
      const isDeparting = object.metadata.deletionTimestamp !== undefined;
      if (!isDeparting) this.#note(key, is);
      if (was !== undefined && gone.length === 0 && isSameTarget(was, is)) continue;
      if (isDeparting) {
        departing.push(object);
        continue;
      }
      const copies = was === undefined || old === undefined ? [] : knownCopies(was, statusOf(before, old));
      candidates.push({ key, object, before: was, after: is, copies, lost: gone });
    }
    this.candidates = candidates;
    this.departing = departing;
  }

  get before(): World {
    return this.#comparison.before;
  }

  /** The world to come. */
  get after(): World {
    return this.#comparison.after;
  }

  /** What happens to the object on each cluster, by what is on the members: what the hub knows, or what they themselves said. */
  planned(candidate: Candidate, copies: readonly Observation[] = candidate.copies): PlannedObject {
    const { before, after, lost } = candidate;
    const { now, after: world, lost: allLost } = this.#comparison;
    const there = copies.filter(({ cluster }) => !allLost.has(cluster));
    const changes = differenceOf({
      before,
      after,
      rowsBefore: before === undefined ? [] : this.#rows(candidate, before, there, now),
      rowsAfter: this.#rows(candidate, after, there, now),
      observations: there,
      writersOf: (cluster, ref) => this.#written.get(`${cluster}/${refKey(ref)}`) ?? NOBODY,
    });
    const why = whyItStays(placementOf(world, after), after.failover);
    return { ...candidate, changes: withLoss(changes, lost, { on: lostOf(after, allLost), why }) };
  }

  #rows(candidate: Candidate, target: Target, observations: readonly Observation[], now: number): Row[] {
    const removal: RemovalFacts = {
      owner: ownerRefOf(candidate.object),
      policy: "Delete",
      cause: { reason: "NotSelected", message: "the object is not to run there any more" },
      hub: { synced: true, deletionsHeld: false, planned: true },
      ownership: "Ours",
      clusters: this.#facts,
      neededByOthers: { has: (key) => this.#isNeededByOthers(key, candidate.key) },
      othersCopies: new Set(),
      replacing: new Set(),
      foundOnJoin: new Set(),
    };
    return step({ target, observations, removal }, now).rows;
  }

  #note(owner: string, { clusters }: Target): void {
    for (const { name, objects, frozen } of clusters) {
      for (const { ref, held } of objects) {
        const key = `${name}/${refKey(ref)}`;
        note(this.#wanted, key, owner);
        note(this.#along, refKey(ref), owner);
        if (!frozen && held === undefined) note(this.#written, key, owner);
      }
    }
  }

  /** Whether another object brings this one along. */
  goesAlong(key: string): boolean {
    return this.#along.has(key);
  }

  #isNeededByOthers(key: string, owner: string): boolean {
    const owners = this.#wanted.get(key);
    return owners !== undefined && (owners.size > 1 || !owners.has(owner));
  }
}

const NOBODY: ReadonlySet<string> = new Set();

function note(all: Map<string, Set<string>>, key: string, owner: string): void {
  const owners = all.get(key);
  if (owners === undefined) all.set(key, new Set([owner]));
  else owners.add(owner);
}

/** What the manager would have to know of a cluster before it removes anything there. */
function factsOf({ metadata, spec, status }: MemberCluster, heldDrains: World["heldDrains"]): ClusterFacts {
  const isReady = status?.conditions?.some((one) => one.type === "Ready" && one.status === "True") === true;
  const leaving =
    metadata.deletionTimestamp === undefined || spec.deletionPolicy === undefined
      ? undefined
      : spec.deletionPolicy === "Drain"
        ? ("Drain" as const)
        : ("Keep" as const);
  const held = leaving === "Drain" ? heldDrains.get(metadata.name) : undefined;
  return {
    synced: isReady,
    ...(spec.namespaces === undefined ? {} : { namespaces: spec.namespaces }),
    ...(leaving === undefined ? {} : { leaving }),
    ...(held === undefined ? {} : { held }),
  };
}

/** Whether both ask for the same everywhere. */
function isSameTarget(a: Target, b: Target): boolean {
  if (a.clusters.length !== b.clusters.length || a.conflictResolution !== b.conflictResolution) return false;
  return a.clusters.every((one, i) => {
    const other = b.clusters[i];
    return (
      other !== undefined &&
      one.name === other.name &&
      one.frozen === other.frozen &&
      one.replicas === other.replicas &&
      (one.problem === undefined) === (other.problem === undefined) &&
      one.objects.length === other.objects.length &&
      one.objects.every(({ hash }, j) => hash === other.objects[j]?.hash)
    );
  });
}

/** The placement of that name. */
export function placementOf(world: World, target: Target | undefined): Placement | undefined {
  const chosen = target?.placement;
  if (chosen === undefined) return undefined;
  return world.placements.find(
    ({ kind, metadata }) =>
      kind === chosen.kind && metadata.name === chosen.name && metadata.namespace === chosen.namespace,
  );
}
