import type { Clock } from "../../runtime/index.ts";
import type { Emptiness, MemberObject, MemberObjects } from "../model/index.ts";
import type { Pace } from "../pacing/index.ts";
import { type Attempt, attemptOf } from "./attempt.ts";
import { whyKept } from "./namespaceActions.ts";

export interface InspectionsOptions {
  objects: MemberObjects;
  clock: Clock;
  /** Considers the namespace again. Returns false if the queue did not take it. */
  enqueue: (key: string) => boolean;
  retry: (key: string, attempt: string, pace: Pace) => void;
  /** UID of the namespace while it is to be deleted. */
  uidToDelete: (namespace: MemberObject) => string | undefined;
}

/** One inspection takes a request for each kind. */
const AT_A_TIME = 4;
/** So long may a user who prepared the namespace take to put objects into it. */
const EMPTY_FOR_MS = 30_000;

interface SeenEmpty {
  uid: string;
  /** Monotonic milliseconds. */
  until: number;
  /** Undefined once the second inspection is due. */
  timer: Disposable | undefined;
}

/**
 * Inspections of the namespaces that are to be deleted. A namespace is deleted when two inspections some time apart
 * found it empty, and was to be deleted all the time. A few inspections run at the same time; the others wait.
 */
export class Inspections {
  readonly #options: InspectionsOptions;
  /** By key. */
  readonly #seenEmpty = new Map<string, SeenEmpty>();
  /** Keys of the namespaces that wait for a place. */
  readonly #waiting = new Set<string>();
  #running = 0;

  constructor(options: InspectionsOptions) {
    this.#options = options;
  }

  get hasPlace(): boolean {
    return this.#running < AT_A_TIME;
  }

  /** The place is free again when the result is disposed of. Call {@link wakeNext} then. */
  begin(): Disposable {
    this.#running += 1;
    return { [Symbol.dispose]: () => void (this.#running -= 1) };
  }

  awaitPlace(key: string): void {
    this.#waiting.add(key);
  }

  /** Called whenever a place may be free: enqueues one waiting namespace, whose turn calls this again. */
  wakeNext(): void {
    for (const key of this.#waiting) {
      if (!this.hasPlace) return;
      this.#waiting.delete(key);
      if (this.#options.enqueue(key)) return;
    }
  }

  pausedUntil(key: string, uid: string): number | undefined {
    const seen = this.#seenEmpty.get(key);
    return seen?.uid === uid && seen.timer !== undefined ? seen.until : undefined;
  }

  /** Takes the result of an inspection. Returns the UID of the namespace when it may be deleted now. */
  inspected({ object: { key }, action }: Attempt, emptiness: Emptiness): string | undefined {
    const { objects, retry, uidToDelete } = this.#options;
    // Meanwhile the row may have been withdrawn, or an object placed in the namespace.
    const object = objects.get(key);
    const uid = object === undefined ? undefined : uidToDelete(object);
    if (object === undefined || uid === undefined) return undefined;
    const failure = whyKept(emptiness);
    if (failure === undefined && this.#isEmptyAgain(key, uid)) return uid;
    objects.fail(object, failure);
    if (failure === undefined) return undefined;
    this.forget(key);
    retry(key, attemptOf(object, action), "slowly");
    return undefined;
  }

  /** True when an earlier inspection, long enough ago, found this UID empty too. Otherwise the second one is scheduled. */
  #isEmptyAgain(key: string, uid: string): boolean {
    const { clock, enqueue } = this.#options;
    const seen = this.#seenEmpty.get(key);
    if (seen?.uid === uid && seen.timer === undefined) return true;
    this.forget(key);
    const fresh: SeenEmpty = { uid, until: clock.monotonic() + EMPTY_FOR_MS, timer: undefined };
    fresh.timer = clock.after(EMPTY_FOR_MS, () => {
      fresh.timer = undefined;
      enqueue(key);
    });
    this.#seenEmpty.set(key, fresh);
    return false;
  }

  /** Called at each change: a namespace that was not to be deleted in between has to be seen empty twice again. */
  note(namespace: MemberObject): void {
    const seen = this.#seenEmpty.get(namespace.key);
    if (seen !== undefined && this.#options.uidToDelete(namespace) !== seen.uid) this.forget(namespace.key);
  }

  forget(key: string): void {
    this.#seenEmpty.get(key)?.timer?.[Symbol.dispose]();
    this.#seenEmpty.delete(key);
  }

  /** Called when the session changes. */
  clear(): void {
    for (const key of [...this.#seenEmpty.keys()]) this.forget(key);
    this.#waiting.clear();
  }
}
