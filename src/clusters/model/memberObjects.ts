import { FIELD_MANAGER, isSameMessage, type KubeObject, type ObjectRef, refKey, sameValue } from "../../apis/index.ts";
import {
  type ApplyRow,
  expectedOf,
  type Failure,
  hasEnded,
  type Observation,
  type Row,
  sameReportTerms,
} from "../../desiredstate/index.ts";
import {
  alteredFields,
  isSameTrouble,
  lostPlaces,
  type LostPlace,
  onlyKept,
  type PodTrouble,
  withKept,
} from "../../interpreter/index.ts";
import { applyOf, isSameApplyOf, withoutEffect } from "./effectiveApply.ts";
import { Contents } from "./contents.ts";
import { type MemberObject, newMemberObject } from "./memberObject.ts";
import { observationOf, lastReportOf } from "./memberObservation.ts";
import { forgetContent, isOlder, type ObservedObject } from "./observed.ts";
import { noteEnd } from "./ends.ts";
import { type RowDelta, RowSum } from "../../ports/index.ts";
import { asksTheSame, isForgettable, rowFor } from "./rowChanges.ts";
import { countedPlaceholders, divideLost, keptBy } from "./yielding.ts";

export interface MemberObjectsOptions {
  cluster: string;
  /** Called synchronously when the lane may have work. */
  changed: (object: MemberObject) => void;
  /** Receives the changes of one turn of the event loop. */
  report: (observations: readonly Observation[]) => void;
  /** Called when no member object of the namespace is observed or has a row any more. */
  namespaceEmptied: (namespace: string) => void;
}

const IMMUTABLE_FIELD = "ImmutableField";
/** Refused hashes kept for one object. The rows of different owners of a shared dependency have different hashes. */
const MOST_REFUSED = 16;

/** Hash of the row that the member object was compared with and found in sync with. */
export function inSyncWith({ observed, judged }: MemberObject): string | undefined {
  if (observed === undefined || observed.deleting || judged === undefined) return undefined;
  if (judged.lost.length > 0 || judged.altered.length > 0 || judged.isStale === true) return undefined;
  return observed.hash === judged.hash ? judged.hash : undefined;
}

/** {@link inSyncWith}; undefined while another writer contests the object. */
function settledWith(object: MemberObject): string | undefined {
  return object.contested === undefined ? inSyncWith(object) : undefined;
}

/** True when we own all fields of the Apply row with the row's values, or its run has ended. */
export function isInSync(object: MemberObject): boolean {
  const { row } = object;
  return row?.verb === "Apply" && (hasEnded(row, object) || inSyncWith(object) === row.hash);
}

/**
 * All member objects of one worker's cluster, and what of them goes into the next report. A row with another verb than
 * Apply, or its withdrawal, is acknowledged with a report: no write of an earlier row begins afterwards. An absent
 * object without a row or a write is reported once more and then forgotten.
 */
export class MemberObjects {
  readonly #options: MemberObjectsOptions;
  readonly contents = new Contents();
  readonly #objects = new Map<string, MemberObject>();
  /** Keys of the objects in the next report. */
  readonly #dirty = new Set<string>();
  readonly #perNamespace = new Map<string, number>();
  #asked = 0;
  #sum = new RowSum();
  #closed = false;

  constructor(options: MemberObjectsOptions) {
    this.#options = options;
  }

  /** The next rows come from another planner: no revision that was taken before says anything of them. */
  beginEpoch(): void {
    for (const object of this.#objects.values()) object.revision = 0;
    this.#sum = new RowSum();
  }

  /** Checksum of the rows that were taken in this epoch. */
  get checksum(): number {
    return this.#sum.value;
  }

  /** Keys of the member objects that have a row. */
  *withRows(): Iterable<string> {
    for (const { key, given } of this.#objects.values()) if (given !== undefined) yield key;
  }

  /** Withdraws the rows of these member objects. */
  withdraw(keys: Iterable<string>): void {
    for (const key of [...keys]) {
      const object = this.#objects.get(key);
      if (object?.given !== undefined) this.takeRow({ ref: object.ref, revision: object.revision });
    }
  }

  takeRow({ ref, row, revision, origin, backlog }: RowDelta): void {
    if (this.#closed) return;
    const object = this.#objectFor(ref);
    const before = object.row;
    if (object.given !== undefined && object.revision > 0) this.#sum.remove(object.key, object.revision);
    if (row !== undefined) this.#sum.add(object.key, revision);
    this.#asked += Number(row !== undefined) - Number(object.given !== undefined);
    this.contents.changed(ref, object.given, row);
    object.given = row;
    object.row = rowFor(object);
    const asksToTell = !sameReportTerms(before?.reporting, object.row?.reporting);
    if (object.row?.reporting === undefined) forgetContent(object.observed);
    noteEnd(object);
    const isNew = before === undefined || object.row === undefined || !asksTheSame(before, object.row);
    if (row?.verb === "Apply") object.isAbsent = false;
    const isToAcknowledge = row?.verb !== "Apply" && (isNew || revision !== object.revision);
    object.revision = revision;
    object.origin = origin;
    object.isBacklog = backlog === true;
    if (isNew) {
      object.carriedOut = false;
      object.contested = undefined;
      this.#setFailure(object, undefined);
    }
    this.#divideAgain(object, before);
    this.#judge(object);
    if (isToAcknowledge || asksToTell) this.#mark(object);
    if (isNew || asksToTell) this.#options.changed(object);
  }

  /** Called when all rows of the cluster were taken. Drops content that no row wants. */
  tookAllRows(): void {
    this.contents.known();
    for (const object of this.#objects.values())
      if (object.row?.reporting === undefined) forgetContent(object.observed);
  }

  /** Takes the content of a member object that was read for a row with `reporting`. */
  read(object: MemberObject, { uid, evidence }: ObservedObject): void {
    const kept = object.observed?.uid === uid ? object.observed.evidence : undefined;
    // Content from the watch is newer than the read.
    if (this.#objects.get(object.key) !== object || kept === undefined || kept.content !== undefined) return;
    kept.content = evidence.content;
    this.#mark(object);
  }

  /** Takes an object from the watch; undefined when the watch reports it gone. */
  observe(ref: ObjectRef, observed: ObservedObject | undefined): void {
    if (this.#closed) return;
    const known = this.#objects.get(refKey(ref));
    if (known === undefined && observed === undefined) return;
    // An object without our label is outside the watch, so the watch cannot report its end. {@link vanished} does.
    if (known?.observed?.visible === false && (observed === undefined || isOlder(observed, known.observed))) return;
    const object = known ?? this.#objectFor(ref);
    const before = object.observed;
    object.isAbsent = observed === undefined && before !== undefined && before.uid === object.removed;
    this.#take(object, observed);
  }

  /** Takes the result of a read by name; undefined when no object of ours exists. */
  found(object: MemberObject, observed: ObservedObject | undefined): void {
    if (this.#objects.get(object.key) !== object) return;
    object.isAbsent = observed === undefined;
    this.#take(object, observed);
  }

  /** Drops the observations of objects that can no longer be read. Their existence is unknown from now on. */
  forgetUnreadable(isReadable: (ref: ObjectRef) => boolean): void {
    if (this.#closed) return;
    for (const object of [...this.#objects.values()]) {
      if (isReadable(object.ref)) continue;
      const { observed, isAbsent } = object;
      object.isAbsent = false;
      if (observed !== undefined) this.#take(object, undefined);
      else if (isAbsent) this.#mark(object);
    }
  }

  /** Called when the member has removed the kinds of these objects, and so the objects. */
  gone(isGone: (ref: ObjectRef) => boolean): void {
    if (this.#closed) return;
    for (const object of [...this.#objects.values()])
      if (object.observed !== undefined && isGone(object.ref)) this.found(object, undefined);
  }

  /** Called when an object that the watch does not show was found gone. */
  vanished(ref: ObjectRef, uid: string): void {
    const known = this.#objects.get(refKey(ref));
    if (this.#closed || known?.observed?.visible !== false || known.observed.uid !== uid) return;
    this.#take(known, undefined);
  }

  /** Called when the worker has removed this UID. If a watch shows the object, the watch reports its end. */
  removed(object: MemberObject, uid: string): void {
    object.removed = uid;
    if (object.observed?.visible === false) {
      this.#take(object, undefined);
    } else if (object.observed === undefined && this.#objects.get(object.key) === object) {
      object.isAbsent = true;
      object.mayBeThere = false;
      this.#mark(object);
    }
  }

  #take(object: MemberObject, observed: ObservedObject | undefined): void {
    const { uid, hash } = object.observed ?? {};
    if (observed?.podSelector === undefined || observed.uid !== uid || observed.hash !== hash)
      object.trouble = undefined;
    object.observed = observed;
    if (observed === undefined && uid !== undefined) object.gone = uid;
    if (observed !== undefined) object.mayBeThere = true;
    else if (object.isAbsent) object.mayBeThere = false;
    object.row = rowFor(object);
    noteEnd(object);
    object.judged = undefined;
    this.#judge(object);
    this.#mark(object);
    this.#options.changed(object);
  }

  /** Called before a write; {@link endWrite} follows. `brings`: the write creates the object. */
  beginWrite(object: MemberObject, brings = false): void {
    object.isAbsent = false;
    if (brings) object.mayBeThere = true;
    object.writing = true;
    object.effective = undefined;
  }

  /** Called when the write has ended, after its answer was observed or its failure recorded. */
  endWrite(object: MemberObject): void {
    object.writing = false;
    if (object.reportedWriting || isForgettable(object)) this.#mark(object);
  }

  /** Called when the write was refused for a missing permission, so that the member did nothing. */
  untouched(object: MemberObject, mayBeThere: boolean): void {
    if (object.observed === undefined) object.mayBeThere = mayBeThere;
  }

  /** Records the failure of the last attempt; undefined when the attempt succeeded. */
  fail(object: MemberObject, failure: Failure | undefined): void {
    if (this.#objects.get(object.key) !== object) return;
    if (failure?.reason === IMMUTABLE_FIELD) this.#noteRefusal(object);
    this.#setFailure(object, failure);
  }

  /** Called when an apply with that hash has succeeded. The row may have changed meanwhile. */
  carryOut(object: MemberObject, hash: string): void {
    if (object.row?.verb === "Apply" && object.row.hash === hash) object.carriedOut = true;
  }

  /** Records a drift correction. */
  heal(object: MemberObject, healed: NonNullable<MemberObject["healed"]>): void {
    object.healed = healed;
    this.#mark(object);
  }

  /** Records that another writer keeps undoing drift corrections; undefined when the last correction has lasted. */
  contest(object: MemberObject, contested: Failure | undefined): void {
    if (this.#objects.get(object.key) !== object || object.contested === contested) return;
    object.contested = contested;
    this.#mark(object);
  }

  /** Called when the fields in `drift` were taken back. */
  putBack(object: MemberObject, row: ApplyRow, drift: readonly LostPlace[]): void {
    const counted = countedPlaceholders(object.replaced, row, drift);
    if (counted === object.replaced) return;
    object.replaced = counted;
    // Another owner replaced the placeholder again before the answer to our write arrived.
    if (object.judged === undefined || object.judged.lost.length === 0) return;
    object.judged = undefined;
    this.#judge(object);
    this.#options.changed(object);
  }

  /** Judges again when only the row's `unwritten` or `hubOwned` fields have changed. */
  #divideAgain(object: MemberObject, before: Row | undefined): void {
    const { row, judged, observed } = object;
    if (row?.verb !== "Apply" || judged?.hash !== row.hash || before?.verb !== "Apply") return;
    if (sameValue(row.unwritten, before.unwritten) && sameValue(row.hubOwned, before.hubOwned)) return;
    if (observed?.evidence.live !== undefined) object.judged = undefined;
    else {
      const isStale = !sameValue(keptBy(object, row), keptBy(object, before));
      object.judged = { ...judged, ...divideLost(object, row, [...judged.lost, ...judged.yielded]), isStale };
    }
    this.#options.changed(object);
  }

  /** Takes the trouble of the workload's pods. The same trouble in other words changes nothing. */
  setTrouble(object: MemberObject, trouble: PodTrouble | undefined): void {
    if (object.observed?.podSelector === undefined || isSameTrouble(object.trouble, trouble)) return;
    object.trouble = trouble;
    this.#mark(object);
  }

  get(key: string): MemberObject | undefined {
    return this.#objects.get(key);
  }

  /** Number of member objects with a row. */
  get asked(): number {
    return this.#asked;
  }

  all(): Iterable<MemberObject> {
    return this.#objects.values();
  }

  /** True when a member object of the namespace is observed, has a row or is being written. */
  isUsed(namespace: string): boolean {
    return this.#perNamespace.has(namespace);
  }

  /** Sends the pending report now. */
  flush(): void {
    if (this.#dirty.size > 0) this.#options.report(this.collect());
  }

  /** Puts every member object into the next report. */
  markAll(): void {
    if (this.#closed) return;
    for (const key of this.#objects.keys()) this.#dirty.add(key);
  }

  /** The pending report, for the caller to send. */
  collect(): readonly Observation[] {
    const objects = [...this.#dirty].flatMap((key) => this.#objects.get(key) ?? []);
    this.#dirty.clear();
    for (const object of objects) object.reportedWriting = object.writing;
    for (const object of objects) object.lastReport = lastReportOf(object);
    const observations = objects.map((object) => observationOf(this.#options.cluster, object, settledWith(object)));
    for (const object of objects) if (isForgettable(object)) this.#forget(object);
    return observations;
  }

  /** Drops all objects. Nothing is taken or reported after this. */
  close(): void {
    this.#closed = true;
    this.#dirty.clear();
    this.#objects.clear();
    this.#perNamespace.clear();
  }

  #objectFor(ref: ObjectRef): MemberObject {
    const key = refKey(ref);
    let object = this.#objects.get(key);
    if (object !== undefined) return object;
    object = newMemberObject(ref);
    this.#objects.set(key, object);
    const { namespace } = ref;
    if (namespace !== undefined) this.#perNamespace.set(namespace, (this.#perNamespace.get(namespace) ?? 0) + 1);
    return object;
  }

  #forget({ key, ref: { namespace } }: MemberObject): void {
    if (!this.#objects.delete(key) || namespace === undefined) return;
    const left = (this.#perNamespace.get(namespace) ?? 1) - 1;
    if (left > 0) {
      this.#perNamespace.set(namespace, left);
      return;
    }
    this.#perNamespace.delete(namespace);
    this.#options.namespaceEmptied(namespace);
  }

  #mark({ key }: MemberObject): void {
    if (this.#closed) return;
    if (this.#dirty.size === 0) queueMicrotask(() => this.flush());
    this.#dirty.add(key);
  }

  /** Records the refused hash for the life of the object, since the hub decides on a replacement by it. */
  #noteRefusal(object: MemberObject): void {
    const { row, observed, refused } = object;
    if (row?.verb !== "Apply" || row.role !== "dependency" || observed === undefined) return;
    const before = refused?.uid === observed.uid ? refused.hashes : [];
    if (before.includes(row.hash)) return;
    object.refused = { uid: observed.uid, hashes: [...before, row.hash].slice(-MOST_REFUSED) };
    this.#mark(object);
  }

  #setFailure(object: MemberObject, failure: Failure | undefined): void {
    const before = object.failure;
    if (before === failure) return;
    const isSame = before?.reason === failure?.reason && before?.final === failure?.final;
    if (isSame && isSameMessage(before?.message, failure?.message)) return;
    object.failure = failure;
    this.#mark(object);
  }

  /** Compares ownership and values once for each observation. Drops the live object when it is in sync. */
  #judge(object: MemberObject): void {
    const { row, observed } = object;
    if (row?.verb !== "Apply" || observed === undefined) return;
    // A different hash means an earlier desired state, or, after the row was carried out, a changed annotation.
    if (observed.hash !== row.hash && !object.carriedOut) return;
    const { live } = observed.evidence;
    if (object.judged?.hash !== row.hash && live !== undefined) {
      const managed = live.metadata.managedFields ?? [];
      const { lost, yielded } = divideLost(
        object,
        row,
        lostPlaces(expectedOf(row.object, live), managed, FIELD_MANAGER, live),
      );
      // Lost fields are taken back first. The answer to that write shows whether admission alters values.
      const altered = lost.length > 0 ? [] : this.#alteredIn(object, row, live);
      const kept = keptBy(object, row);
      const isStale = kept.length > 0 && alteredFields(onlyKept(row.object, kept), live, FIELD_MANAGER).length > 0;
      object.judged = { hash: row.hash, lost, yielded, altered, isStale, sent: withKept(row.object, kept) };
      if (lost.length === 0 && altered.length === 0 && !isStale) observed.evidence.live = undefined;
      else if (altered.length > 0 && object.failure === undefined) this.#setFailure(object, withoutEffect(altered));
      this.#mark(object);
    }
    if (!isInSync(object)) return;
    // The row counts as carried out, whoever made the object match.
    object.carriedOut = true;
    this.#setFailure(object, undefined);
  }

  #alteredIn(object: MemberObject, row: ApplyRow, live: KubeObject): readonly string[] {
    const apply = applyOf(row, live);
    if (isSameApplyOf(object.effective, apply)) return [];
    const altered = alteredFields(row.object, live, FIELD_MANAGER);
    // managedFields give times in seconds, so a write that is still under way may get the same time.
    object.effective = altered.length === 0 && !object.writing ? apply : undefined;
    return altered;
  }
}
