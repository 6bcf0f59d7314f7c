import { kindKeyOf, type Message, type ObjectRef, type Reason, refKey } from "../../apis/index.ts";
import {
  isKindUnreadable,
  isSameRef,
  type Observation,
  readabilityKey,
  whyUnreadable,
} from "../../desiredstate/index.ts";
import { Emitter } from "../../runtime/index.ts";
import type { CapacityReading } from "../../scheduler/index.ts";
import type { ClusterContact } from "./clusterContact.ts";
import { Groups } from "./groups.ts";
import { NamespaceCounts } from "./namespaceCounts.ts";

/** One member object was reported anew. */
export interface ObservationChange {
  cluster: string;
  key: string;
  ref: ObjectRef;
  before: Observation | undefined;
  /** Undefined if the worker has forgotten the member object, or if the cluster no longer exists. */
  after: Observation | undefined;
  named: Named;
}

/** What one report changed. */
export interface ObservationBatch {
  changes: readonly ObservationChange[];
  /** Clusters whose contact was set or whose MemberCluster is gone. */
  contacts: ReadonlySet<string>;
  /** The worker named everything that it knows on these clusters, and had taken all rows up to the revision. */
  complete: ReadonlyMap<string, number>;
}

interface OpenBatch extends ObservationBatch {
  changes: ObservationChange[];
  contacts: Set<string>;
  capacities: Set<string>;
  complete: Map<string, number>;
}

interface Named {
  before: string | undefined;
  after: string | undefined;
}

const UNKNOWN: ClusterContact = Object.freeze({
  ok: false,
  reason: "ClusterUnknown",
  message: "there is no MemberCluster of that name",
  synced: false,
  pending: true,
  unreadable: new Map<string, Message>(),
});

/**
 * The observed state: every member object and the contact with each cluster, as the workers last reported them. Only
 * the receiver of the workers' reports writes this table.
 */
export class Observations {
  /** For tables that follow this table: emitted after the table holds all of a report, and before anybody else wakes. */
  readonly batches = new Emitter<ObservationBatch>();
  /** Every change. Emitted synchronously, after this table and those that follow hold all of the report. */
  readonly changes = new Emitter<ObservationChange>();
  readonly contacts = new Emitter<string>();
  readonly capacities = new Emitter<string>();
  readonly #capacities = new Map<string, CapacityReading>();
  readonly #clusters = new Map<string, Map<string, Observation>>();
  readonly #contacts = new Map<string, ClusterContact>();
  /** Member objects by the hub object that their owner annotation names. */
  readonly #byOwner = new Groups<Observation>();
  readonly #namespaces = new NamespaceCounts();
  #open: OpenBatch | undefined;

  /** Takes all that `write` writes as one change: nobody sees a part of it. */
  batch(write: () => void): void {
    if (this.#open !== undefined) {
      write();
      return;
    }
    const batch: OpenBatch = { changes: [], contacts: new Set(), capacities: new Set(), complete: new Map() };
    this.#open = batch;
    try {
      write();
    } finally {
      this.#open = undefined;
      this.#emit(batch);
    }
  }

  #emit(batch: OpenBatch): void {
    const { changes, contacts, capacities, complete } = batch;
    if (changes.length > 0 || contacts.size > 0 || complete.size > 0) this.batches.emit(batch);
    for (const change of changes) this.changes.emit(change);
    for (const cluster of contacts) this.contacts.emit(cluster);
    for (const cluster of capacities) this.capacities.emit(cluster);
  }

  /** Each observation replaces the previous one of the member object. */
  report(cluster: string, observations: readonly Observation[]): void {
    this.batch(() => this.#report(cluster, observations));
  }

  #report(cluster: string, observations: readonly Observation[]): void {
    let known = this.#clusters.get(cluster);
    if (known === undefined) this.#clusters.set(cluster, (known = new Map()));
    for (const observation of observations) {
      const key = refKey(observation.ref);
      const before = known.get(key);
      const named = namedBy(before, observation);
      const { present, writing, failure, absent, mayBeThere, ended } = observation;
      // Without an object and a write, an observation is kept only for one of these.
      const isToldOf = failure !== undefined || ended !== undefined || absent !== undefined || mayBeThere !== undefined;
      const isOver = present === undefined && !writing && !isToldOf;
      if (isOver) known.delete(key);
      else known.set(key, observation);
      if (before === undefined && !isOver) this.#namespaces.add(observation);
      if (before !== undefined && isOver) this.#namespaces.remove(before);
      if (before !== undefined && named.before !== undefined) this.#byOwner.delete(named.before, before);
      if (named.after !== undefined) this.#byOwner.add(named.after, observation);
      this.#open?.changes.push({ cluster, key, ref: observation.ref, before, after: observation, named });
    }
  }

  /** Undefined when the MemberCluster is gone; the cluster's observations are forgotten then. */
  contact(cluster: string, contact: ClusterContact | undefined): void {
    this.batch(() => {
      if (contact !== undefined) this.#contacts.set(cluster, contact);
      else {
        this.#contacts.delete(cluster);
        this.#capacities.delete(cluster);
        this.#forget(cluster, () => true);
        this.#clusters.delete(cluster);
      }
      this.#open?.contacts.add(cluster);
    });
  }

  /** Free room on the nodes; undefined when the room is no longer measured. */
  capacity(cluster: string, reading: CapacityReading | undefined): void {
    this.batch(() => {
      if (reading === undefined) this.#capacities.delete(cluster);
      else {
        this.#capacities.set(cluster, reading);
        this.#open?.capacities.add(cluster);
      }
    });
  }

  /** The room was measured again, with the same result. */
  measuredAgain(cluster: string): void {
    this.batch(() => {
      if (this.#capacities.has(cluster)) this.#open?.capacities.add(cluster);
    });
  }

  /**
   * The worker knows no other member objects than those in `named` (by refKey), and had taken all rows up to the
   * revision. Undefined: it named every object of this table.
   */
  complete(cluster: string, revision: number, named: Pick<ReadonlySet<string>, "has"> | undefined): void {
    this.batch(() => {
      if (named !== undefined) this.#forget(cluster, (key) => !named.has(key));
      this.#open?.complete.set(cluster, revision);
    });
  }

  #forget(cluster: string, isForgotten: (key: string) => boolean): void {
    const known = this.#clusters.get(cluster);
    for (const [key, before] of known ?? []) {
      if (!isForgotten(key)) continue;
      known?.delete(key);
      const named = namedBy(before, undefined);
      this.#namespaces.remove(before);
      if (named.before !== undefined) this.#byOwner.delete(named.before, before);
      this.#open?.changes.push({ cluster, key, ref: before.ref, before, after: undefined, named });
    }
  }

  /** The last reading of the room on the cluster's nodes; undefined if the room was not measured (yet). */
  capacityOf(cluster: string): CapacityReading | undefined {
    return this.#capacities.get(cluster);
  }

  contactOf(cluster: string): ClusterContact {
    return this.#contacts.get(cluster) ?? UNKNOWN;
  }

  /** True if the cluster was tried and does not answer. */
  isLost(cluster: string): boolean {
    const { ok, pending } = this.contactOf(cluster);
    return !ok && !pending;
  }

  /** True if the cluster was tried and answers. */
  isReached(cluster: string): boolean {
    const { ok, pending } = this.contactOf(cluster);
    return ok && !pending;
  }

  /** True if all our objects of these kinds (`group/Kind`) there are known: an unknown object does not exist. */
  knows(cluster: string, kinds: Iterable<string>): boolean {
    const { synced, partlySynced = false, unreadable } = this.contactOf(cluster);
    if (synced || !partlySynced) return synced;
    for (const kind of kinds) if (isKindUnreadable(unreadable, kind)) return false;
    return true;
  }

  /** Why objects of the kind are not known although the cluster answers; undefined if they are known. */
  whyUnreadable(cluster: string, ref: ObjectRef): Message | undefined {
    return whyUnreadable(this.contactOf(cluster).unreadable, ref);
  }

  /** The reason code for {@link whyUnreadable}. */
  unreadableReason(cluster: string, ref: ObjectRef): Reason {
    const { unserved, ungranted } = this.contactOf(cluster);
    const name = kindKeyOf(ref);
    if (unserved?.has(name) === true) return "KindNotServed";
    const isDenied = ungranted?.has(name) === true || ungranted?.has(readabilityKey(name, ref.namespace)) === true;
    return isDenied ? "Forbidden" : "NotObserved";
  }

  get(cluster: string, key: string): Observation | undefined {
    return this.#clusters.get(cluster)?.get(key);
  }

  hasAny(cluster: string): boolean {
    return (this.#clusters.get(cluster)?.size ?? 0) > 0;
  }

  in(cluster: string): Iterable<Observation> {
    return this.#clusters.get(cluster)?.values() ?? [];
  }

  naming(owner: string): Iterable<Observation> {
    return this.#byOwner.of(owner);
  }

  get ownersNamed(): number {
    return this.#byOwner.size;
  }

  /** True if an object in the namespace of the member is known or being written. */
  isInUse(cluster: string, namespace: string): boolean {
    return this.#namespaces.has(cluster, namespace);
  }
}

/** Most changes keep the owner, so that both keys share one string. */
function namedBy(before: Observation | undefined, after: Observation | undefined): Named {
  const [was, is] = [before?.present?.owner, after?.present?.owner];
  const old = was === undefined ? undefined : refKey(was);
  if (is === undefined) return { before: old, after: undefined };
  return { before: old, after: was !== undefined && isSameRef(was, is) ? old : refKey(is) };
}
