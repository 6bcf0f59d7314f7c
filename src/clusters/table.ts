import { FIELD_MANAGER, type ObjectRef, type OwnerRef, refKey } from "../apis/index.ts";
import { type DesiredRow, reowned } from "../desiredstate/index.ts";
import { type LostField, lostFields } from "../interpreter/index.ts";
import type { Span } from "../observability/index.ts";
import type { ObservedObject } from "./observed.ts";

/** What happens to a member object that no plan asks for any more. */
export type ReleasePolicy = "Delete" | "Orphan";

/** Why the last attempt on a member object did not succeed. */
export interface Failure {
  reason: string;
  message: string;
  /** Not worth retrying until something changes; it is still tried again, slowly. */
  final: boolean;
}

/** One member object: what it should be, what it is, and what went wrong in between. */
export interface Entry {
  readonly cluster: string;
  readonly key: string;
  readonly ref: ObjectRef;
  /** Rows by the hub object that asked for them; several for a Secret that two applications read. */
  readonly requests: Map<string, DesiredRow>;
  /** The row that counts; undefined when the object is to go. */
  desired: DesiredRow | undefined;
  observed: ObservedObject | undefined;
  /** Which fields of the desired object with that hash are no longer ours; undefined until the observed object was judged. */
  judged: { hash: string; lost: readonly LostField[] } | undefined;
  failure: Failure | undefined;
  /** A write is under way: until it has ended, nobody knows what is there. */
  writing: boolean;
  release: ReleasePolicy;
  /** The hub objects whose status speaks of it: those that ask for it, and the one that it names as its owner. */
  readonly links: Set<string>;
  /** The plan that asked for it, for traces. */
  trace: Span | undefined;
  /** Monotonic milliseconds of the moment the present desired row was set. */
  desiredSince: number;
}

/** Told of every change, synchronously. */
export interface TableListener {
  /** The lane of that cluster has something to look at; what was let go of is not in the table any more. */
  entryChanged(entry: Entry): void;
  /** Something that the status of that hub object is made of has changed. */
  ownerChanged(owner: string): void;
}

export interface PlanContext {
  /** For objects that this plan drops. */
  release: ReleasePolicy;
  trace?: Span | undefined;
  monotonic: number;
}

/** True when the object is there as desired and all of its fields are ours. */
export function isInSync({ desired, observed, judged }: Entry): boolean {
  if (desired === undefined || observed === undefined || observed.deleting) return false;
  return observed.hash === desired.hash && judged?.hash === desired.hash && judged.lost.length === 0;
}

/**
 * The desired and the observed state of every member object, in memory. Planners replace the rows of their hub object, member
 * informers report what they see, lanes act on the difference, and the status is computed from what stands here.
 */
export class DesiredStateTable {
  readonly #clusters = new Map<string, Map<string, Entry>>();
  readonly #byOwner = new Map<string, Set<Entry>>();
  readonly #releases = new Map<string, ReleasePolicy>();
  readonly #listener: TableListener;
  readonly #keeps: (owner: OwnerRef, ref: ObjectRef) => boolean;

  /** `keeps`: whether a hub object that another manager carries goes with that dependency, so that it stays in its name. */
  constructor(listener: TableListener, keeps: (owner: OwnerRef, ref: ObjectRef) => boolean = () => false) {
    this.#listener = listener;
    this.#keeps = keeps;
  }

  /**
   * Sets the rows of one hub object; what it asked for before and does not ask for now is released. Tells nobody when nothing
   * changed, so that planning the same plan again costs nothing and sets off nothing.
   */
  replace(owner: string, rows: readonly DesiredRow[], context: PlanContext): void {
    const wanted = new Set<Entry>();
    let changed = this.releaseOf(owner) !== context.release;
    if (context.release === "Delete") this.#releases.delete(owner);
    else this.#releases.set(owner, context.release);
    for (const row of rows) {
      const entry = this.#entry(row.cluster, row.ref);
      wanted.add(entry);
      this.#link(owner, entry);
      const before = entry.requests.get(owner);
      entry.requests.set(owner, row);
      if (before !== undefined && isSameRequest(before, row)) continue;
      changed = true;
      entry.trace = context.trace;
      this.#settle(entry, context.monotonic);
      this.#listener.entryChanged(entry);
    }
    for (const entry of this.#byOwner.get(owner) ?? []) {
      if (wanted.has(entry)) continue;
      const asked = entry.requests.delete(owner);
      if (!asked && entry.release === context.release) continue;
      changed = true;
      entry.release = context.release;
      if (asked) entry.trace = context.trace;
      this.#settle(entry, context.monotonic);
      this.#drop(entry);
      this.#listener.entryChanged(entry);
    }
    if (changed) this.#listener.ownerChanged(owner);
  }

  /** Takes what a member reported: the object, or undefined when it is gone. */
  observe(cluster: string, ref: ObjectRef, observed: ObservedObject | undefined, monotonic: number): Entry | undefined {
    const known = this.#clusters.get(cluster)?.get(refKey(ref));
    if (known === undefined && observed === undefined) return undefined;
    const entry = known ?? this.#entry(cluster, ref);
    entry.observed = observed;
    entry.judged = undefined;
    if (observed?.owner !== undefined) {
      const owner = refKey(observed.owner);
      this.#link(owner, entry);
      entry.release = this.releaseOf(owner);
    }
    this.#settle(entry, monotonic);
    const owners = [...entry.links];
    this.#drop(entry);
    this.#listener.entryChanged(entry);
    for (const owner of owners) this.#listener.ownerChanged(owner);
    return entry;
  }

  fail(entry: Entry, failure: Failure | undefined): void {
    const before = entry.failure;
    if (before === failure) return;
    if (before?.reason === failure?.reason && before?.message === failure?.message && before?.final === failure?.final)
      return;
    entry.failure = failure;
    for (const owner of entry.links) this.#listener.ownerChanged(owner);
  }

  /** What another manager does with that hub object may have changed: looks anew at what is in its name. */
  reconsider(owner: string, monotonic: number): void {
    for (const entry of this.#byOwner.get(owner) ?? []) {
      if (entry.requests.size === 0) continue;
      const before = entry.desired?.hash;
      this.#settle(entry, monotonic);
      if (entry.desired?.hash !== before) this.#listener.entryChanged(entry);
    }
  }

  /** A write of that entry begins; {@link endWrite} follows. Meanwhile it is not let go of. */
  beginWrite(entry: Entry): void {
    entry.writing = true;
  }

  /** The write has ended, and what it did has been observed or has failed. */
  endWrite(entry: Entry): void {
    entry.writing = false;
    if (entry.requests.size > 0) return;
    const owners = [...entry.links];
    if (entry.observed === undefined) {
      this.#drop(entry);
      this.#listener.entryChanged(entry);
    }
    for (const owner of owners) this.#listener.ownerChanged(owner);
  }

  /**
   * The connection is gone for good: nothing of that cluster is observed or waited for. What plans ask for there stays until they
   * ask for something else, since another cluster of that name may have taken its place already.
   */
  forgetCluster(cluster: string, monotonic: number): void {
    for (const entry of [...this.entriesIn(cluster)]) {
      entry.failure = undefined;
      this.observe(cluster, entry.ref, undefined, monotonic);
    }
  }

  /** What happens to the objects of that hub object when it asks for them no more. */
  releaseOf(owner: string): ReleasePolicy {
    return this.#releases.get(owner) ?? "Delete";
  }

  get(cluster: string, key: string): Entry | undefined {
    return this.#clusters.get(cluster)?.get(key);
  }

  entriesOf(owner: string): Iterable<Entry> {
    return this.#byOwner.get(owner) ?? [];
  }

  entriesIn(cluster: string): Iterable<Entry> {
    return this.#clusters.get(cluster)?.values() ?? [];
  }

  #entry(cluster: string, ref: ObjectRef): Entry {
    let entries = this.#clusters.get(cluster);
    if (entries === undefined) this.#clusters.set(cluster, (entries = new Map()));
    const key = refKey(ref);
    let entry = entries.get(key);
    if (entry === undefined) {
      entry = {
        cluster,
        key,
        ref,
        requests: new Map(),
        desired: undefined,
        observed: undefined,
        judged: undefined,
        failure: undefined,
        writing: false,
        release: "Delete",
        links: new Set(),
        trace: undefined,
        desiredSince: 0,
      };
      entries.set(key, entry);
    }
    return entry;
  }

  #link(owner: string, entry: Entry): void {
    let entries = this.#byOwner.get(owner);
    if (entries === undefined) this.#byOwner.set(owner, (entries = new Set()));
    entries.add(entry);
    entry.links.add(owner);
  }

  #unlink(owner: string, entry: Entry): void {
    entry.links.delete(owner);
    const entries = this.#byOwner.get(owner);
    entries?.delete(entry);
    if (entries?.size === 0) this.#byOwner.delete(owner);
  }

  /** Chooses the row that counts and judges the observed object by it. */
  #settle(entry: Entry, monotonic: number): void {
    const before = entry.desired;
    entry.desired = this.#rowFor(entry);
    if (before === undefined || entry.desired === undefined || !isSameRequest(before, entry.desired)) {
      entry.desiredSince = monotonic;
      entry.failure = undefined;
    }
    judge(entry);
    // However it came about: there is nothing left to do.
    if (isInSync(entry)) entry.failure = undefined;
  }

  /** The row that counts, in the name of the owner that the member object has where that one needs it as well. */
  #rowFor(entry: Entry): DesiredRow | undefined {
    const row = chooseRow(entry);
    const named = entry.observed?.owner;
    if (row?.role !== "dependency" || row.mode !== "Apply" || named === undefined || named.uid === row.owner.uid)
      return row;
    if (entry.requests.has(refKey(named)) || !this.#keeps(named, entry.ref)) return row;
    return { ...row, owner: named, ...reowned(row.object, named) };
  }

  /** Lets go of an entry that nobody asks for and that is not there. */
  #drop(entry: Entry): void {
    for (const owner of entry.links) {
      if (!entry.requests.has(owner) && !lingersFor(entry, owner)) this.#unlink(owner, entry);
    }
    if (entry.requests.size > 0 || entry.observed !== undefined || entry.writing) return;
    const entries = this.#clusters.get(entry.cluster);
    entries?.delete(entry.key);
    if (entries?.size === 0) this.#clusters.delete(entry.cluster);
  }
}

/** Still there or being written, and nobody else's: an object whose owner annotation was removed is waited for like any other. */
function lingersFor(entry: Entry, owner: string): boolean {
  if (entry.observed === undefined) return entry.writing;
  const named = entry.observed.owner;
  return named === undefined || refKey(named) === owner;
}

function isSameRequest(a: DesiredRow, b: DesiredRow): boolean {
  return a.hash === b.hash && a.mode === b.mode && a.role === b.role && a.conflictResolution === b.conflictResolution;
}

/** The owner that the member object names keeps it; otherwise who asked first. Dependencies are equal whoever asks. */
function chooseRow(entry: Entry): DesiredRow | undefined {
  if (entry.requests.size <= 1) return entry.requests.values().next().value;
  const named = entry.observed?.owner;
  const holder = named === undefined ? undefined : entry.requests.get(refKey(named));
  if (holder?.mode === "Apply") return holder;
  for (const row of entry.requests.values()) if (row.mode === "Apply") return row;
  return entry.requests.values().next().value;
}

/** Compares ownership of fields with the desired object, once for each observation; what it needed is dropped then. */
function judge(entry: Entry): void {
  const { desired, observed } = entry;
  if (desired?.mode !== "Apply" || observed === undefined || observed.hash !== desired.hash) return;
  if (entry.judged?.hash === desired.hash) return;
  const { evidence } = observed;
  if (evidence.managedFields === undefined) return;
  const lost = lostFields(desired.object, evidence.managedFields, FIELD_MANAGER);
  entry.judged = { hash: desired.hash, lost };
  if (lost.length === 0) evidence.managedFields = undefined;
}
