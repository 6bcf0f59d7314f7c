import { kindKeyOf, type ObjectRef } from "../../apis/index.ts";
import type { Clock } from "../../runtime/index.ts";
import { Breaker } from "./breaker.ts";

interface Kind {
  breaker: Breaker;
  trying: boolean;
  /** Keys of the objects that wait for a trial. */
  waiting: Set<string>;
  timer: Disposable | undefined;
}

/**
 * One circuit breaker per kind, for a member that answers, but not for that kind (a hanging webhook, say). Its objects
 * take no place in the lane; one trial at a time is sent.
 */
export class KindBreakers {
  readonly #clock: Clock;
  readonly #enqueue: (key: string) => void;
  readonly #kinds = new Map<string, Kind>();

  /** `enqueue`: called when an object no longer has to wait. */
  constructor(clock: Clock, enqueue: (key: string) => void) {
    this.#clock = clock;
    this.#enqueue = enqueue;
  }

  /** True when a request for the kind may begin now. */
  admits(ref: ObjectRef): boolean {
    const kind = this.#kinds.get(kindKeyOf(ref));
    if (kind === undefined) return true;
    const state = kind.breaker.state(this.#clock.monotonic());
    return state.kind === "Closed" || (state.kind === "HalfOpen" && !kind.trying);
  }

  /** A request begins; {@link answered}, {@link silent} or {@link unsent} must follow. */
  begin(ref: ObjectRef): void {
    const kind = this.#kinds.get(kindKeyOf(ref));
    if (kind !== undefined) kind.trying = kind.breaker.state(this.#clock.monotonic()).kind === "HalfOpen";
  }

  /** Enqueues the object when the kind may be tried. */
  awaitTrial(ref: ObjectRef, key: string): void {
    const kind = this.#kinds.get(kindKeyOf(ref));
    if (kind === undefined) return;
    kind.waiting.add(key);
    this.#tryLater(kind);
  }

  /** Also for a refusal. */
  answered(ref: ObjectRef): void {
    const name = kindKeyOf(ref);
    const kind = this.#kinds.get(name);
    if (kind === undefined) return;
    this.#kinds.delete(name);
    this.#release(kind);
  }

  /** No answer came in time. */
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

  unsent(ref: ObjectRef): void {
    const kind = this.#kinds.get(kindKeyOf(ref));
    if (kind === undefined) return;
    kind.trying = false;
    if (kind.waiting.size > 0) this.#tryLater(kind);
  }

  /** With an open breaker, as `Deployment.apps`. */
  get silentKinds(): readonly string[] {
    const now = this.#clock.monotonic();
    return [...this.#kinds]
      .filter(([, { breaker }]) => breaker.state(now).kind !== "Closed")
      .map(([name]) => name.split("/").toReversed().filter(Boolean).join("."))
      .toSorted();
  }

  /** Drops all breakers and forgets the waiting objects. */
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
      // The first object may be gone.
      if (kind.waiting.size > 0) this.#tryLater(kind, Breaker.FIRST_PAUSE_MS);
    });
  }

  #release({ timer, waiting }: Kind): void {
    timer?.[Symbol.dispose]();
    for (const key of waiting) this.#enqueue(key);
  }
}
