import type { Message, ObjectRef, Reason } from "../../apis/index.ts";
import type { Why } from "../../desiredstate/index.ts";
import type { MemberLoad } from "../../observability/index.ts";
import { AdaptiveConcurrency, type Clock } from "../../runtime/index.ts";
import { Breaker, KindBreakers } from "../pacing/index.ts";
import type { Outcome } from "../write/index.ts";

export interface RequestPacingOptions {
  clock: Clock;
  /** This member's share of the concurrent requests of the process. */
  share: () => number;
  /** Called for an object that no longer waits for its kind. */
  enqueue: (key: string) => void;
  /** Called when failures have opened the breaker of the member. */
  tripped: () => void;
}

/** A member counts as throttling for this time after its Retry-After, since the next request may get 429 again. */
const THROTTLED_FOR_MS = 6_000;

/** How many requests one member gets, and when: its circuit breakers, its Retry-After and its concurrency. */
export class RequestPacing {
  readonly breaker = new Breaker();
  readonly #clock: Clock;
  readonly #share: () => number;
  readonly #tripped: () => void;
  readonly #concurrency = new AdaptiveConcurrency({ least: 1, start: 16, most: 32, runOfSuccesses: 64 });
  readonly #kinds: KindBreakers;
  #throttledUntil = Number.NEGATIVE_INFINITY;

  constructor({ clock, share, enqueue, tripped }: RequestPacingOptions) {
    this.#tripped = tripped;
    this.#clock = clock;
    this.#share = share;
    this.#kinds = new KindBreakers(clock, enqueue);
  }

  /** End of the last Retry-After in monotonic milliseconds. */
  get throttledUntil(): number {
    return this.#throttledUntil;
  }

  /** Requests at a time. */
  get limit(): number {
    const isTrying = this.breaker.state(this.#clock.monotonic()).kind === "HalfOpen";
    return isTrying ? 1 : Math.min(this.#concurrency.limit, this.#share());
  }

  /** Reason, without changing numbers, why requests are slowed down or stopped now. */
  get why(): Why | undefined {
    const now = this.#clock.monotonic();
    const say = (message: Message): Why => ({ reason: "WritesThrottled" satisfies Reason, message });
    if (this.#throttledUntil + THROTTLED_FOR_MS > now) return say("the server asks for fewer requests (HTTP 429)");
    const silent = this.#kinds.silentKinds;
    if (silent.length > 0) return say({ what: "no answer to writes of", where: silent });
    const isTrying = this.breaker.state(now).kind !== "Closed";
    return isTrying ? say("requests do not reach the server; one at a time is tried") : undefined;
  }

  get load(): Pick<MemberLoad, "isBreakerOpen" | "silentKinds"> {
    const isBreakerOpen = this.breaker.state(this.#clock.monotonic()).kind !== "Closed";
    return { isBreakerOpen, silentKinds: this.#kinds.silentKinds.length };
  }

  setContact(ok: boolean): void {
    this.breaker.setContact(ok);
    this.#kinds.clear();
  }

  admits(ref: ObjectRef): boolean {
    return this.#kinds.admits(ref);
  }

  /** Enqueues the object when its kind may be tried. */
  awaitTrial(ref: ObjectRef, key: string): void {
    this.#kinds.awaitTrial(ref, key);
  }

  /** A request begins. One of the methods below must follow. */
  begin(ref: ObjectRef): void {
    this.#kinds.begin(ref);
  }

  /** The member has answered for the kind. `ms`: time until the answer, if the concurrency may follow it. */
  answered(ref: ObjectRef, ms?: number): void {
    this.breaker.succeeded();
    this.#kinds.answered(ref);
    if (ms !== undefined) this.#concurrency.succeeded(ms, this.#clock.monotonic());
  }

  /** The member has answered requests for other kinds. */
  reached(ref: ObjectRef): void {
    this.breaker.succeeded();
    this.#kinds.unsent(ref);
  }

  /** Nothing is known of the member: the request was not sent, or broken off by this process. */
  unsent(ref: ObjectRef): void {
    this.#kinds.unsent(ref);
  }

  failed(ref: ObjectRef, outcome: Outcome): void {
    const now = this.#clock.monotonic();
    switch (outcome.kind) {
      case "NotLeader":
        this.#kinds.unsent(ref);
        return;
      case "Unreached":
        this.#kinds.unsent(ref);
        if (this.breaker.unreached(now)) this.#tripped();
        return;
      case "Silent":
        // The probe decides whether the whole member is silent.
        this.#kinds.silent(ref);
        return;
      case "Throttled":
        this.answered(ref);
        this.#concurrency.throttled(now);
        this.#throttledUntil = Math.max(this.#throttledUntil, now + outcome.afterMs);
        return;
      case "NamespaceMissing":
      case "Refused":
        this.answered(ref);
        return;
    }
  }

  clear(): void {
    this.#kinds.clear();
  }
}
