/**
 * None, one or many. Many are read a slice at a time, so that ten thousand keys do not hold the event loop; a generator that compares
 * much to find few gives an undefined where it may be left for a while.
 */
export type Keys<K extends string = string> = K | Iterable<K | undefined> | undefined;

/** Puts keys into a workqueue: at once, or after so many milliseconds. */
export type Enqueue<K extends string = string> = (keys: Keys<K>, afterMs?: number) => void;

/** What wakes a controller: it enqueues keys from the moment it is subscribed until the subscription is disposed of. */
export interface Source<K extends string = string> {
  subscribe(enqueue: Enqueue<K>): Disposable;
}

/** Whatever has events: an {@link Emitter}, or an informer (by `onEvent`). */
export type EventOrigin<E> =
  | { subscribe(handler: (event: E) => void): Disposable }
  | { onEvent(handler: (event: E) => void): Disposable };

/** What an event enqueues unless `map` says otherwise: its `key`, or the event itself when it is a string. */
type KeyOf<E> = E extends string ? E : E extends { key: infer K extends string } ? K : never;

/**
 * Begins the declaration of a source:
 *
 *     from(policies).when(changedSpec).map((event) => hub.selectedBy(event)).after(200)
 *
 * Without `map` an event enqueues its own key. The events of an informer begin with the objects that are there already.
 */
export function from<E>(origin: EventOrigin<E>): EventSource<E> {
  const subscribe = (handler: (event: E) => void): Disposable =>
    "subscribe" in origin ? origin.subscribe(handler) : origin.onEvent(handler);
  return new EventSource<E>(subscribe, keyOfEvent, () => undefined);
}

/** Events on their way to becoming keys. Every step gives a new source, and nothing is subscribed before `subscribe`. */
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

  /** Only events for which this holds. */
  when(predicate: (event: E) => boolean): EventSource<E, K> {
    const filtered = (handler: (event: E) => void): Disposable =>
      this.#events((event) => {
        if (predicate(event)) handler(event);
      });
    return new EventSource(filtered, this.#toKeys, this.#delay);
  }

  /** Which keys an event enqueues. */
  map<M extends string>(toKeys: (event: E) => Keys<M>): EventSource<E, M> {
    return new EventSource<E, M>(this.#events, toKeys, this.#delay);
  }

  /** Enqueues so many milliseconds after the event; events of one key in between are one with it. Undefined: at once. */
  after(delay: number | ((event: E) => number | undefined)): EventSource<E, K> {
    return new EventSource(this.#events, this.#toKeys, typeof delay === "number" ? () => delay : delay);
  }

  subscribe(enqueue: Enqueue<K>): Disposable {
    return this.#events((event) => enqueue(this.#toKeys(event) as Keys<K>, this.#delay(event)));
  }
}

function keyOfEvent(event: unknown): string {
  if (typeof event === "string") return event;
  const { key } = event as { key?: unknown };
  if (typeof key !== "string") throw new Error("the event has no key: say with map() which keys it enqueues");
  return key;
}

/**
 * Hands events to its subscribers, in order: an event that a handler causes comes after the present one. A handler that throws keeps
 * the event from no other; the first error is thrown when all have had it.
 */
export class Emitter<E> {
  readonly #handlers = new Set<(event: E) => void>();
  readonly #queue: E[] = [];
  #emitting = false;

  subscribe(handler: (event: E) => void): Disposable {
    // Wrapped, so that one function can be subscribed twice.
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
      // Grows while it is walked when handlers cause further events.
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
