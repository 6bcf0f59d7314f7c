import { type ObjectRef, refKey } from "../../apis/index.ts";
import type { ApplyRow, Failure } from "../../desiredstate/index.ts";
import { isSameTrouble, type LostPlace, type PodTrouble } from "../../interpreter/index.ts";
import type { RowDelta } from "../../ports/index.ts";
import { judge } from "./comparison.ts";
import { Contents } from "./contents.ts";
import { noteEnd } from "./ends.ts";
import { noteRefusal, setFailure } from "./failures.ts";
import { Handlers } from "./handlers.ts";
import { type MemberObject, newMemberObject } from "./memberObject.ts";
import { NamespaceUse } from "./namespaceUse.ts";
import { forgetContent, isOlder, type ObservedObject } from "./observed.ts";
import { isForgettable, replaceRow, rowFor } from "./rowChanges.ts";
import { countedPlaceholders } from "./yielding.ts";

/**
 * Store of all member objects of one worker's cluster: the only owner of what is known of each. It tells its handlers
 * synchronously of each row, of each change that may give work, and of news for the next report. A row with another verb
 * than Apply, or its withdrawal, is acknowledged with a report: no write of an earlier row begins afterwards.
 */
export class MemberObjects {
  readonly contents = new Contents();
  readonly #objects = new Map<string, MemberObject>();
  readonly #namespaces = new NamespaceUse();
  readonly #rows = new Handlers<MemberObject, RowDelta>();
  readonly #changes = new Handlers<MemberObject>();
  readonly #news = new Handlers<MemberObject>();
  #asked = 0;
  #closed = false;

  /** The delta is about to replace the object's row and revision. */
  onRow(handler: (object: MemberObject, delta: RowDelta) => void): Disposable {
    return this.#rows.add(handler);
  }

  /** The row or the observed object has changed, so that there may be work. */
  onChange(handler: (object: MemberObject) => void): Disposable {
    return this.#changes.add(handler);
  }

  /** The last report of the object is outdated. */
  onNews(handler: (object: MemberObject) => void): Disposable {
    return this.#news.add(handler);
  }

  /** No member object of the namespace is observed or has a row any more. */
  onNamespaceEmptied(handler: (namespace: string) => void): Disposable {
    return this.#namespaces.onEmptied(handler);
  }

  /** The next rows come from another planner: no revision that was taken before says anything of them. */
  beginEpoch(): void {
    for (const object of this.#objects.values()) object.revision = 0;
  }

  takeRow(delta: RowDelta): void {
    if (this.#closed) return;
    const { ref, row } = delta;
    const object = this.#objectFor(ref);
    this.#rows.call(object, delta);
    this.#asked += Number(row !== undefined) - Number(object.given !== undefined);
    this.contents.changed(ref, object.given, row);
    const { isNews, isChange } = replaceRow(object, delta);
    if (isNews) this.#reportLater(object);
    if (isChange) this.#changes.call(object);
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
    this.#reportLater(object);
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
      else if (isAbsent) this.#reportLater(object);
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
      this.#reportLater(object);
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
    judge(object);
    this.#reportLater(object);
    this.#changes.call(object);
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
    if (object.reportedWriting || isForgettable(object)) this.#reportLater(object);
  }

  /** Called when the write was refused for a missing permission, so that the member did nothing. */
  untouched(object: MemberObject, mayBeThere: boolean): void {
    if (object.observed === undefined) object.mayBeThere = mayBeThere;
  }

  /** Records the failure of the last attempt; undefined when the attempt succeeded. */
  fail(object: MemberObject, failure: Failure | undefined): void {
    if (this.#objects.get(object.key) !== object) return;
    const isRefused = noteRefusal(object, failure);
    if (setFailure(object, failure) || isRefused) this.#reportLater(object);
  }

  /** Called when an apply with that hash has succeeded. The row may have changed meanwhile. */
  carryOut(object: MemberObject, hash: string): void {
    if (object.row?.verb === "Apply" && object.row.hash === hash) object.carriedOut = true;
  }

  /** Records a drift correction. */
  heal(object: MemberObject, healed: NonNullable<MemberObject["healed"]>): void {
    object.healed = healed;
    this.#reportLater(object);
  }

  /** Records that another writer keeps undoing drift corrections; undefined when the last correction has lasted. */
  contest(object: MemberObject, contested: Failure | undefined): void {
    if (this.#objects.get(object.key) !== object || object.contested === contested) return;
    object.contested = contested;
    this.#reportLater(object);
  }

  /** Called when the fields in `drift` were taken back. */
  putBack(object: MemberObject, row: ApplyRow, drift: readonly LostPlace[]): void {
    const counted = countedPlaceholders(object.replaced, row, drift);
    if (counted === object.replaced) return;
    object.replaced = counted;
    // Another owner replaced the placeholder again before the answer to our write arrived.
    if (object.judged === undefined || object.judged.lost.length === 0) return;
    object.judged = undefined;
    if (judge(object)) this.#reportLater(object);
    this.#changes.call(object);
  }

  /** Takes the trouble of the workload's pods. The same trouble in other words changes nothing. */
  setTrouble(object: MemberObject, trouble: PodTrouble | undefined): void {
    if (object.observed?.podSelector === undefined || isSameTrouble(object.trouble, trouble)) return;
    object.trouble = trouble;
    this.#reportLater(object);
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
    return this.#namespaces.isUsed(namespace);
  }

  /** Drops all objects. Nothing is taken or reported after this. */
  close(): void {
    this.#closed = true;
    this.#objects.clear();
    this.#namespaces.clear();
  }

  #objectFor(ref: ObjectRef): MemberObject {
    const key = refKey(ref);
    let object = this.#objects.get(key);
    if (object !== undefined) return object;
    object = newMemberObject(ref);
    this.#objects.set(key, object);
    this.#namespaces.added(ref.namespace);
    return object;
  }

  /** Forgets an object without a row, an observation or a write, whose last report was collected. */
  forget({ key, ref }: MemberObject): void {
    if (this.#objects.delete(key)) this.#namespaces.forgot(ref.namespace);
  }

  #reportLater(object: MemberObject): void {
    if (!this.#closed) this.#news.call(object);
  }
}
