import type { TimeSlice } from "../core/index.ts";
import type { InformerEvent } from "./informerTypes.ts";

export interface DeliveryOptions {
  slice: TimeSlice;
  /** A handler threw an error. The other handlers still get the event. */
  failed: (error: unknown, key: string) => void;
}

export type EventHandler<T> = (event: InformerEvent<T>) => void;

/** Hands the events of an informer to its handlers, in order. Every handler has an event before the next event begins. */
export class Delivery<T> {
  readonly #options: DeliveryOptions;
  readonly #handlers = new Set<EventHandler<T>>();
  /** Handlers have had the first {@link #delivered} events of the queue. */
  readonly #queue: InformerEvent<T>[] = [];
  #delivered = 0;
  #delivering = false;

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  add(handler: EventHandler<T>): Disposable {
    this.#handlers.add(handler);
    return { [Symbol.dispose]: () => void this.#handlers.delete(handler) };
  }

  /** Delivers the events within the call, or after the events that are being delivered now. */
  emit(events: readonly InformerEvent<T>[]): void {
    if (!this.#begin(events)) return;
    try {
      while (this.#delivered < this.#queue.length) this.#deliverNext();
    } finally {
      this.#end();
    }
  }

  /** Resolves when the events are delivered. Many events leave the event loop free. */
  async emitInSlices(events: readonly InformerEvent<T>[]): Promise<void> {
    if (!this.#begin(events)) return;
    const { slice } = this.#options;
    try {
      while (this.#delivered < this.#queue.length) {
        while (slice.spent) await slice.next();
        this.#deliverNext();
      }
    } finally {
      this.#end();
    }
  }

  /** Tells one handler, who has subscribed late, of objects that the others know. */
  show(handler: EventHandler<T>, key: string, object: T): void {
    this.#call(handler, { type: "Added", key, object, initial: true });
  }

  /**
   * As {@link show}, in time slices; the first slice is within the call. Returns the handler for the events that come
   * meanwhile: an object that changes first is shown as it was known.
   */
  showInSlices(handler: EventHandler<T>, keys: Iterable<string>, get: (key: string) => T | undefined): Disposable {
    const pending = new Set(keys);
    const subscription = this.add((event) => {
      const { type, key, object, old = object } = event;
      if (pending.delete(key) && type !== "Added") this.show(handler, key, old);
      handler(event);
    });
    void this.#showEach(handler, pending, get);
    return {
      [Symbol.dispose]() {
        pending.clear();
        subscription[Symbol.dispose]();
      },
    };
  }

  /** Keys of new objects of which no handler knows yet. */
  undelivered(): string[] {
    const events = this.#queue.slice(this.#delivered);
    return events.filter(({ type }) => type === "Added").map(({ key }) => key);
  }

  async #showEach(handler: EventHandler<T>, pending: Set<string>, get: (key: string) => T | undefined): Promise<void> {
    const { slice } = this.#options;
    for (const key of pending) {
      while (slice.spent) await slice.next();
      // A change during the pause has taken its object out of the set.
      if (!pending.delete(key)) continue;
      const object = get(key);
      if (object !== undefined) this.show(handler, key, object);
    }
  }

  /** False if a delivery is going on: it includes the events. */
  #begin(events: readonly InformerEvent<T>[]): boolean {
    for (const event of events) this.#queue.push(event);
    if (this.#delivering) return false;
    this.#delivering = true;
    return true;
  }

  #deliverNext(): void {
    const event = this.#queue[this.#delivered];
    if (event === undefined) return;
    this.#delivered += 1;
    for (const handler of this.#handlers) this.#call(handler, event);
  }

  #end(): void {
    this.#queue.length = 0;
    this.#delivered = 0;
    this.#delivering = false;
  }

  #call(handler: EventHandler<T>, event: InformerEvent<T>): void {
    try {
      handler(event);
    } catch (error) {
      this.#options.failed(error, event.key);
    }
  }
}
