import { FIELD_MANAGER, type KubeObject, type ObjectRef, refKey, sameValue } from "../../apis/index.ts";
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
import { observationOf, toldOf } from "./memberObservation.ts";
import { forgetContent, isOlder, type ObservedObject } from "./observed.ts";
import { noteEnd } from "./ends.ts";
import type { RowDelta } from "../ports.ts";
import { asksTheSame, isForgettable, rowFor } from "./rowChanges.ts";
import { countedPlaceholders, divideLost, keptBy } from "./yielding.ts";

export interface MemberObjectsOptions {
  cluster: string;
  /** Something changed that may give the lane work. Called synchronously. */
  changed: (object: MemberObject) => void;
  /** What is to be reported, in batches: one for each turn of the event loop in which anything changed. */
  report: (observations: readonly Observation[]) => void;
  /** No member object of that namespace is known or asked for any more. */
  namespaceEmptied: (namespace: string) => void;
}

const IMMUTABLE_FIELD = "ImmutableField";
/** In the names of so many owners. */
const MOST_REFUSED = 16;

/** The hash of the row that the member object was compared with and found equal to. */
export function inSyncWith({ observed, judged }: MemberObject): string | undefined {
  if (observed === undefined || observed.deleting || judged === undefined) return undefined;
  if (judged.lost.length > 0 || judged.altered.length > 0 || judged.isStale === true) return undefined;
  return observed.hash === judged.hash ? judged.hash : undefined;
}

/** {@link inSyncWith}, once what was put back is known to last. */
function settledWith(object: MemberObject): string | undefined {
  return object.contested === undefined ? inSyncWith(object) : undefined;
}

/**
 * True when the member object is as its Apply row says, and all of the row's fields are ours and have its values; or when the work of the row has
 * come to its end, whatever is left of the object.
 */
export function isInSync(object: MemberObject): boolean {
  if (object.row?.verb === "Apply" && hasEnded(object.row, object)) return true;
  return object.row?.verb === "Apply" && inSyncWith(object) === object.row.hash;
}

/**
 * What one worker knows of the objects of its cluster: rows come from the assignment, observations from the watches, failures from the
 * lane. Whatever the hub side has to know goes into the next report.
 *
 * A row that is withdrawn, or that asks for anything but an apply, is acknowledged with a report, whether or not anything else changed:
 * no write of an earlier row begins after that. A member object that is absent, has no row and is not being written is reported once
 * more and then forgotten.
 */
export class MemberObjects {
  readonly #options: MemberObjectsOptions;
  readonly contents = new Contents();
  readonly #objects = new Map<string, MemberObject>();
  /** Keys that the next report is about. */
  readonly #dirty = new Set<string>();
  /** How many member objects of each namespace there are. */
  readonly #perNamespace = new Map<string, number>();
  /** How many have a row. */
  #asked = 0;
  #closed = false;

  constructor(options: MemberObjectsOptions) {
    this.#options = options;
  }

  /** These are all rows there are: a member object with no row among them has none any more. */
  withdrawOthers(deltas: readonly RowDelta[]): void {
    const given = new Set(deltas.map(({ ref }) => refKey(ref)));
    for (const { key, ref, row, revision } of [...this.#objects.values()])
      if (row !== undefined && !given.has(key)) this.takeRow({ ref, row: undefined, revision });
  }

  takeRow({ ref, row, revision, origin }: RowDelta): void {
    if (this.#closed) return;
    const object = this.#objectFor(ref);
    const before = object.row;
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

  /** The first rows of an assignment have all been taken: what no row asks for is not kept any longer. */
  tookFirstRows(): void {
    this.contents.known();
    for (const object of this.#objects.values())
      if (object.row?.reporting === undefined) forgetContent(object.observed);
  }

  /** The content of the member object was read, since a row asks for it. */
  read(object: MemberObject, { uid, evidence }: ObservedObject): void {
    const kept = object.observed?.uid === uid ? object.observed.evidence : undefined;
    // What the watch has brought since is newer.
    if (this.#objects.get(object.key) !== object || kept === undefined || kept.content !== undefined) return;
    kept.content = evidence.content;
    this.#mark(object);
  }

  /** Takes what the member reported: the object, or undefined when it is gone. */
  observe(ref: ObjectRef, observed: ObservedObject | undefined): void {
    if (this.#closed) return;
    const known = this.#objects.get(refKey(ref));
    if (known === undefined && observed === undefined) return;
    // What the watch does not see has left its selection with our marks; that it is gone is for {@link vanished} to say.
    if (known?.observed?.visible === false && (observed === undefined || isOlder(observed, known.observed))) return;
    const object = known ?? this.#objectFor(ref);
    const before = object.observed;
    object.isAbsent = observed === undefined && before !== undefined && before.uid === object.removed;
    this.#take(object, observed);
  }

  /** Takes what was found under its name: an object of ours that the watch may not show, or nothing of ours. */
  found(object: MemberObject, observed: ObservedObject | undefined): void {
    if (this.#objects.get(object.key) !== object) return;
    object.isAbsent = observed === undefined;
    this.#take(object, observed);
  }

  /** What is out of sight from now on: nobody can say whether it is still there. */
  loseSight(isSeen: (ref: ObjectRef) => boolean): void {
    if (this.#closed) return;
    for (const object of [...this.#objects.values()]) {
      if (isSeen(object.ref)) continue;
      const { observed, isAbsent } = object;
      object.isAbsent = false;
      if (observed !== undefined) this.#take(object, undefined);
      else if (isAbsent) this.#mark(object);
    }
  }

  /** The member has removed the kinds of these objects, and so the objects. */
  gone(isGone: (ref: ObjectRef) => boolean): void {
    if (this.#closed) return;
    for (const object of [...this.#objects.values()])
      if (object.observed !== undefined && isGone(object.ref)) this.found(object, undefined);
  }

  /** That life of a member object which the watch does not see is not there any more. */
  vanished(ref: ObjectRef, uid: string): void {
    const known = this.#objects.get(refKey(ref));
    if (this.#closed || known?.observed?.visible !== false || known.observed.uid !== uid) return;
    this.#take(known, undefined);
  }

  /** That life of the object was deleted, or let go of: the watch says when it is gone, unless it cannot see the object. */
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

  /** A write of that object begins; {@link endWrite} follows. `brings`: when the member takes it, the object is there. */
  beginWrite(object: MemberObject, brings = false): void {
    object.isAbsent = false;
    if (brings) object.mayBeThere = true;
    object.writing = true;
    object.effective = undefined;
  }

  /** The write has ended, and what it did has been observed or has failed. */
  endWrite(object: MemberObject): void {
    object.writing = false;
    if (object.reportedWriting || isForgettable(object)) this.#mark(object);
  }

  /** The write was refused for want of a right, before the member did anything: what may be there is what could be before the write. */
  untouched(object: MemberObject, mayBeThere: boolean): void {
    if (object.observed === undefined) object.mayBeThere = mayBeThere;
  }

  /** Undefined: the last attempt succeeded. */
  fail(object: MemberObject, failure: Failure | undefined): void {
    if (this.#objects.get(object.key) !== object) return;
    if (failure?.reason === IMMUTABLE_FIELD) this.#noteRefusal(object);
    this.#setFailure(object, failure);
  }

  /** An apply of what has that hash has succeeded; the row may have become another one meanwhile. */
  carryOut(object: MemberObject, hash: string): void {
    if (object.row?.verb === "Apply" && object.row.hash === hash) object.carriedOut = true;
  }

  /** What others had done to the member object was put right. */
  heal(object: MemberObject, healed: NonNullable<MemberObject["healed"]>): void {
    object.healed = healed;
    this.#mark(object);
  }

  /** Others undo it each time; undefined: what was put back has lasted for a while. */
  contest(object: MemberObject, contested: Failure | undefined): void {
    if (this.#objects.get(object.key) !== object || object.contested === contested) return;
    object.contested = contested;
    this.#mark(object);
  }

  /** What others took was put back. */
  putBack(object: MemberObject, row: ApplyRow, drift: readonly LostPlace[]): void {
    const counted = countedPlaceholders(object.replaced, row, drift);
    if (counted === object.replaced) return;
    object.replaced = counted;
    // An owner that is faster than the answer to our write has replaced the placeholder again.
    if (object.judged === undefined || object.judged.lost.length === 0) return;
    object.judged = undefined;
    this.#judge(object);
    this.#options.changed(object);
  }

  /** The same object is to be, but what nobody has written is another part of it, or what the copy keeps has changed on the hub. */
  #divideAgain(object: MemberObject, before: Row | undefined): void {
    const { row, judged, observed } = object;
    if (row?.verb !== "Apply" || judged?.hash !== row.hash || before?.verb !== "Apply") return;
    if (sameValue(row.unwritten, before.unwritten) && sameValue(row.standing, before.standing)) return;
    if (observed?.evidence.live !== undefined) object.judged = undefined;
    else {
      const isStale = !sameValue(keptBy(object, row), keptBy(object, before));
      object.judged = { ...judged, ...divideLost(object, row, [...judged.lost, ...judged.yielded]), isStale };
    }
    this.#options.changed(object);
  }

  /** What the pods of the workload say; undefined: nothing. The same trouble in other words is no news. */
  tell(object: MemberObject, trouble: PodTrouble | undefined): void {
    if (object.observed?.podSelector === undefined || isSameTrouble(object.trouble, trouble)) return;
    object.trouble = trouble;
    this.#mark(object);
  }

  get(key: string): MemberObject | undefined {
    return this.#objects.get(key);
  }

  /** How many objects are asked for on the member. */
  get asked(): number {
    return this.#asked;
  }

  all(): Iterable<MemberObject> {
    return this.#objects.values();
  }

  /** Whether any member object of that namespace is known, asked for or being written. */
  isUsed(namespace: string): boolean {
    return this.#perNamespace.has(namespace);
  }

  /** Reports now what is waiting to be reported. */
  flush(): void {
    if (this.#dirty.size === 0) return;
    const objects: MemberObject[] = [];
    for (const key of this.#dirty) {
      const object = this.#objects.get(key);
      if (object !== undefined) objects.push(object);
    }
    this.#dirty.clear();
    for (const object of objects) object.reportedWriting = object.writing;
    for (const object of objects) object.told = toldOf(object);
    this.#options.report(objects.map((object) => observationOf(this.#options.cluster, object, settledWith(object))));
    for (const object of objects) if (isForgettable(object)) this.#forget(object);
  }

  /** Drops everything. Nothing is taken or reported after this. */
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

  /** Remembered for as long as that object lives, whatever its row says meanwhile: what replaces it is decided upon that. */
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
    if (before?.reason === failure?.reason && before?.message === failure?.message && before?.final === failure?.final)
      return;
    object.failure = failure;
    this.#mark(object);
  }

  /** Compares ownership of fields with the desired object, once for each observation; what the comparison needed is dropped then. */
  #judge(object: MemberObject): void {
    const { row, observed } = object;
    if (row?.verb !== "Apply" || observed === undefined) return;
    // Another hash is an earlier desired state, unless this one was there already: then somebody changed the annotation.
    if (observed.hash !== row.hash && !object.carriedOut) return;
    const { live } = observed.evidence;
    if (object.judged?.hash !== row.hash && live !== undefined) {
      const managed = live.metadata.managedFields ?? [];
      const { lost, yielded } = divideLost(
        object,
        row,
        lostPlaces(expectedOf(row.object, live), managed, FIELD_MANAGER, live),
      );
      // What others took is put back first; the answer to that says whether it had an effect.
      const altered = lost.length > 0 ? [] : this.#alteredIn(object, row, live);
      const kept = keptBy(object, row);
      const isStale = kept.length > 0 && alteredFields(onlyKept(row.object, kept), live, FIELD_MANAGER).length > 0;
      object.judged = { hash: row.hash, lost, yielded, altered, isStale, sent: withKept(row.object, kept) };
      if (lost.length === 0 && altered.length === 0 && !isStale) observed.evidence.live = undefined;
      else if (altered.length > 0 && object.failure === undefined) this.#setFailure(object, withoutEffect(altered));
      this.#mark(object);
    }
    if (!isInSync(object)) return;
    // Whoever brought this about: there is nothing left to do.
    object.carriedOut = true;
    this.#setFailure(object, undefined);
  }

  #alteredIn(object: MemberObject, row: ApplyRow, live: KubeObject): readonly string[] {
    const apply = applyOf(row, live);
    if (isSameApplyOf(object.effective, apply)) return [];
    const altered = alteredFields(row.object, live, FIELD_MANAGER);
    // The time of an apply is in seconds: while a write is under way, another one may carry the same time.
    object.effective = altered.length === 0 && !object.writing ? apply : undefined;
    return altered;
  }
}
