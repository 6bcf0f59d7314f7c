import type { KeyClass, KeyUrgency } from "./keyOrder.ts";

/** Many keys are read in time slices. A generator that compares much yields undefined wherever reading may pause. */
export type Keys<K extends string = string> = K | Iterable<K | undefined> | undefined;

/** Adds keys to a workqueue: at once, or after `afterMs`; among the changes, unless a class is given. */
export type Enqueue<K extends string = string> = (keys: Keys<K>, afterMs?: number, of?: KeyUrgency) => void;

/** Wakes a controller. */
export interface Source<K extends string = string> {
  subscribe(enqueue: Enqueue<K>): Disposable;
}

/** Anything that emits events: an {@link Emitter}, or an informer (by `follow`). */
export type EventOrigin<E> =
  | { subscribe(handler: (event: E) => void): Disposable }
  | { follow(handler: (event: E) => void): Disposable };

type KeyOf<E> = E extends string ? E : E extends { key: infer K extends string } ? K : never;

/**
 * Begins the declaration of a source:
 *
 *     from(policies).when(changedSpec).map((event) => hub.selectedBy(event)).after(200)
 *
 * Without `map` an event enqueues its `key`, or itself if it is a string. The keys of events of an informer's initial
 * list are backlog: a change that comes meanwhile goes first.
 */
export function from<E>(origin: EventOrigin<E>): EventSource<E> {
  const subscribe = (handler: (event: E) => void): Disposable =>
    "subscribe" in origin ? origin.subscribe(handler) : origin.follow(handler);
  return new EventSource<E>(subscribe, keyOfEvent, () => undefined);
}

/** Maps events to keys. Nothing is subscribed before `subscribe`. */
export class EventSource<E, K extends string = KeyOf<E>> implements Source<K> {
  readonly #events: (handler: (event: E) => void) => Disposable;
  readonly #toKeys: (event: E) => Keys;
  readonly #delay: (event: E) => number | undefined;

  constructor(
    events: (handler: (event: E) => void) => Disposable,
    toKeys: (event: E) => Keys,
    delay: (event: E) => number | undefined,
  ) {
    this.#events = events;
    this.#toKeys = toKeys;
    this.#delay = delay;
  }

  /** Keeps only events for which the predicate holds. */
  when(predicate: (event: E) => boolean): EventSource<E, K> {
    const filtered = (handler: (event: E) => void): Disposable =>
      this.#events((event) => {
        if (predicate(event)) handler(event);
      });
    return new EventSource(filtered, this.#toKeys, this.#delay);
  }

  /** Sets the keys that an event enqueues. */
  map<M extends string>(toKeys: (event: E) => Keys<M>): EventSource<E, M> {
    return new EventSource<E, M>(this.#events, toKeys, this.#delay);
  }

  /** Enqueues after a delay in milliseconds (undefined: at once). Events of one key during the delay are merged. */
  after(delay: number | ((event: E) => number | undefined)): EventSource<E, K> {
    return new EventSource(this.#events, this.#toKeys, typeof delay === "number" ? () => delay : delay);
  }

  subscribe(enqueue: Enqueue<K>): Disposable {
    return this.#events((event) => enqueue(this.#toKeys(event) as Keys<K>, this.#delay(event), classOf(event)));
  }
}

/** A source of keys that wait for something, see {@link KeyUrgency}. */
export function waking<K extends string = string>(source: Source<K>): Source<K> {
  return { subscribe: (enqueue) => source.subscribe((keys, afterMs) => enqueue(keys, afterMs, "Wake")) };
}

function classOf(event: unknown): KeyClass {
  return typeof event === "object" && (event as { initial?: unknown } | null)?.initial === true ? "Backlog" : "Change";
}

/** Several sources under one name. */
export function merged<K extends string = string>(...sources: readonly Source<K>[]): Source<K> {
  return {
    subscribe(enqueue) {
      const subscriptions = new DisposableStack();
      for (const source of sources) subscriptions.use(source.subscribe(enqueue));
      return subscriptions;
    },
  };
}

function keyOfEvent(event: unknown): string {
  if (typeof event === "string") return event;
  const { key } = event as { key?: unknown };
  if (typeof key !== "string") throw new Error("the event has no key: say with map() which keys it enqueues");
  return key;
}

/** Hands events to its subscribers in order. The first error of a handler is thrown after all of them ran. */
export class Emitter<E> {
  readonly #handlers = new Set<(event: E) => void>();
  readonly #queue: E[] = [];
  #emitting = false;

  subscribe(handler: (event: E) => void): Disposable {
    // A function may be subscribed twice.
    const subscriber = (event: E): void => handler(event);
    this.#handlers.add(subscriber);
    return { [Symbol.dispose]: () => void this.#handlers.delete(subscriber) };
  }

  emit(event: E): void {
    this.#queue.push(event);
    if (this.#emitting) return;
    this.#emitting = true;
    const errors: unknown[] = [];
    try {
      // The queue grows during this loop when handlers emit further events.
      for (const next of this.#queue) {
        for (const handler of this.#handlers) {
          try {
            handler(next);
          } catch (error) {
            errors.push(error);
          }
        }
      }
    } finally {
      this.#queue.length = 0;
      this.#emitting = false;
    }
    if (errors.length > 0) throw errors[0];
  }
}
