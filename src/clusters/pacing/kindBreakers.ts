import { kindKeyOf, type ObjectRef } from "../../apis/index.ts";
import type { Clock } from "../../runtime/index.ts";
import { Breaker } from "./breaker.ts";

interface Kind {
  breaker: Breaker;
  /** One request tries whether the kind is answered again. */
  trying: boolean;
  /** Keys of member objects that wait for that. */
  waiting: Set<string>;
  timer: Disposable | undefined;
}

/**
 * A breaker for each kind that a member does not answer for, while it answers otherwise: a webhook that hangs, say. Objects of such a kind
 * wait here and take no other object's place; one at a time tries again.
 */
export class KindBreakers {
  readonly #clock: Clock;
  readonly #enqueue: (key: string) => void;
  readonly #kinds = new Map<string, Kind>();

  /** `enqueue`: the object need not wait any longer. */
  constructor(clock: Clock, enqueue: (key: string) => void) {
    this.#clock = clock;
    this.#enqueue = enqueue;
  }

  /** Whether that object may be written now; else it waits, and is enqueued when it may. To be followed by {@link answered} or {@link silent}. */
  admits(ref: ObjectRef, key: string): boolean {
    const kind = this.#kinds.get(kindKeyOf(ref));
    if (kind === undefined) return true;
    const state = kind.breaker.state(this.#clock.monotonic());
    if (state.kind === "Closed") return true;
    if (state.kind === "HalfOpen" && !kind.trying) {
      kind.trying = true;
      return true;
    }
    kind.waiting.add(key);
    this.#tryLater(kind);
    return false;
  }

  /** The member answered a request for that kind, also when the answer is no. */
  answered(ref: ObjectRef): void {
    const name = kindKeyOf(ref);
    const kind = this.#kinds.get(name);
    if (kind === undefined) return;
    this.#kinds.delete(name);
    this.#release(kind);
  }

  /** A request for that kind got no answer in time. */
  silent(ref: ObjectRef): void {
    const name = kindKeyOf(ref);
    let kind = this.#kinds.get(name);
    if (kind === undefined) {
      kind = { breaker: new Breaker(), trying: false, waiting: new Set(), timer: undefined };
      kind.breaker.setContact(true);
      this.#kinds.set(name, kind);
    }
    kind.trying = false;
    kind.breaker.unreached(this.#clock.monotonic());
    kind.timer?.[Symbol.dispose]();
    kind.timer = undefined;
    if (kind.waiting.size > 0) this.#tryLater(kind);
  }

  /** Neither: what was tried was not sent. */
  unsent(ref: ObjectRef): void {
    const kind = this.#kinds.get(kindKeyOf(ref));
    if (kind === undefined) return;
    kind.trying = false;
    if (kind.waiting.size > 0) this.#tryLater(kind);
  }

  /** Kinds that are not answered for, as `Deployment.apps`. */
  get silentKinds(): readonly string[] {
    const now = this.#clock.monotonic();
    return [...this.#kinds]
      .filter(([, { breaker }]) => breaker.state(now).kind !== "Closed")
      .map(([name]) => name.split("/").toReversed().filter(Boolean).join("."))
      .toSorted();
  }

  /** Nothing of the past counts. Who waited is forgotten, too. */
  clear(): void {
    for (const { timer } of this.#kinds.values()) timer?.[Symbol.dispose]();
    this.#kinds.clear();
  }

  #tryLater(kind: Kind, leastMs = 1): void {
    if (kind.timer !== undefined || kind.trying) return;
    const now = this.#clock.monotonic();
    const state = kind.breaker.state(now);
    const at = state.kind === "Open" ? (state.retryAt ?? now) : now;
    kind.timer = this.#clock.after(Math.max(leastMs, at - now), () => {
      kind.timer = undefined;
      const [first] = kind.waiting;
      if (first === undefined) return;
      kind.waiting.delete(first);
      this.#enqueue(first);
      // It may not be there any more: then the next one tries.
      if (kind.waiting.size > 0) this.#tryLater(kind, Breaker.FIRST_PAUSE_MS);
    });
  }

  #release({ timer, waiting }: Kind): void {
    timer?.[Symbol.dispose]();
    for (const key of waiting) this.#enqueue(key);
  }
}
