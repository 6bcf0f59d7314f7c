import PQueue from "p-queue";
import type { LostField } from "../interpreter/index.ts";
import {
  logContext,
  type LogContext,
  type Logger,
  type Metrics,
  recordError,
  startSpan,
  type Span,
  type Tracer,
} from "../observability/index.ts";
import type { Clock } from "../runtime/index.ts";
import { Backoffs, type Pace } from "./backoff.ts";
import { Breaker } from "./breaker.ts";
import { AdaptiveConcurrency } from "./concurrency.ts";
import { type Action, decide } from "./decide.ts";
import { HealPace } from "./healPace.ts";
import type { MemberWriter } from "./memberWriter.ts";
import { classify, type Outcome } from "./outcome.ts";
import { type DesiredStateTable, type Entry, type Failure, isInSync } from "./table.ts";

export interface LaneOptions {
  cluster: string;
  table: DesiredStateTable;
  clock: Clock;
  /** Between 0 and 1, for jitter. */
  random: () => number;
  logger: Logger;
  metrics: Metrics;
  tracer: Tracer;
  /** Whether this object, which nobody asks for, may go: every cache that this rests on has synced, and it is nobody else's. */
  mayRemove: (entry: Entry) => boolean;
  /** The connection looks broken: probe it now. */
  suspect: () => void;
  /** How many requests at a time are this lane's share of what the process can have under way. */
  share: () => number;
  /** It has work that can be done now, or has none any more. */
  working: (working: boolean) => void;
  /** Fields that others had taken were taken back. */
  healed: (entry: Entry, drift: readonly LostField[]) => void;
}

interface Attempt {
  entry: Entry;
  action: Action;
  /** {@link attemptOf} when it began. */
  name: string;
}

/**
 * Carries out the desired state on one member. Whatever happens in here stays here: a cluster that fails or is slow has its own queue, its own
 * backoff and its own breaker, and an error becomes a failure of one entry, never an exception for a sibling.
 *
 * Work is keyed by member object: while one is being written, further changes of it are gathered into one more look.
 */
export class Lane implements AsyncDisposable {
  readonly #options: LaneOptions;
  readonly #queue: PQueue;
  readonly #concurrency = new AdaptiveConcurrency();
  readonly #breaker = new Breaker();
  readonly #backoffs: Backoffs;
  readonly #heals: HealPace;
  readonly #waiting = new Set<string>();
  readonly #running = new Set<string>();
  readonly #again = new Set<string>();
  #writer: MemberWriter | undefined;
  #throttledUntil = 0;
  #pause: Disposable | undefined;
  #closed = false;
  #working = false;

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#queue = new PQueue({ concurrency: this.#limit, autoStart: false });
    this.#backoffs = new Backoffs(options.clock, options.random);
    this.#heals = new HealPace(options.clock);
  }

  /** Takes up work with the client of a new session. */
  attach(writer: MemberWriter): void {
    this.#writer = writer;
    this.lookAtAll();
    this.#regulate();
  }

  /** Stops sending until the next session. */
  detach(): void {
    this.#writer = undefined;
    this.#regulate();
  }

  /** The pool's word on whether the member answers. */
  setContact(ok: boolean): void {
    this.#breaker.setContact(ok);
    if (ok) this.#backoffs.clear();
    this.#regulate();
    if (ok) this.lookAtAll();
  }

  /** Looks at every object of the cluster again, or of one namespace there: a session began, or a gate opened. */
  lookAtAll(namespace?: string): void {
    for (const entry of this.#options.table.entriesIn(this.#options.cluster)) {
      if (namespace === undefined || entry.ref.namespace === namespace) this.look(entry);
    }
  }

  /** Something about this entry changed. Cheap when there is nothing to do. */
  look(entry: Entry): void {
    if (this.#closed) return;
    if (this.#running.has(entry.key)) {
      this.#again.add(entry.key);
      return;
    }
    if (this.#waiting.has(entry.key)) return;
    const action = this.#decide(entry);
    if (action.kind === "Nothing" || action.kind === "Held") {
      if (isInSync(entry) || isGone(entry)) this.#backoffs.forget(entry.key);
      return;
    }
    if (this.#backoffs.isWaiting(entry.key, attemptOf(entry, action))) return;
    if (isHealing(action) && this.#heals.isPaused(entry.key)) return;
    this.#enqueue(entry.key);
  }

  /** Waits for what is under way; nothing new is begun. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#queue.clear();
    this.#backoffs.clear();
    this.#heals.clear();
    this.#pause?.[Symbol.dispose]();
    this.#waiting.clear();
    await this.#queue.onPendingZero();
    this.#tellWork();
  }

  #enqueue(key: string): void {
    this.#waiting.add(key);
    this.#tellWork();
    void this.#queue.add(() => this.#process(key));
  }

  #tellWork(): void {
    const working = this.#running.size > 0 || (this.#waiting.size > 0 && !this.#queue.isPaused);
    if (working === this.#working) return;
    this.#working = working;
    this.#options.working(working);
  }

  async #process(key: string): Promise<void> {
    this.#waiting.delete(key);
    await this.#carryOut(key);
    if (this.#again.delete(key)) this.#lookAt(key);
    this.#tellWork();
    this.#regulate();
  }

  async #carryOut(key: string): Promise<void> {
    const { table, cluster, clock } = this.#options;
    const entry = table.get(cluster, key);
    const writer = this.#writer;
    if (entry === undefined || writer === undefined) return;
    if (!writer.isSynced(entry.ref)) return;
    const action = this.#decide(entry);
    if (action.kind === "Nothing" || action.kind === "Held") return;

    this.#running.add(key);
    table.beginWrite(entry);
    const attempt = attemptOf(entry, action);
    const startedAt = clock.monotonic();
    try {
      await this.#act(entry, action, writer);
      this.#succeeded(entry, action, clock.monotonic() - startedAt);
    } catch (error) {
      if (!writer.isOver) this.#failed({ entry, action, name: attempt }, error);
    } finally {
      this.#running.delete(key);
      table.endWrite(entry);
    }
  }

  #decide(entry: Entry): Action {
    const isUnwanted = entry.desired === undefined && entry.observed !== undefined;
    return decide(entry, isUnwanted && this.#options.mayRemove(entry));
  }

  async #act(entry: Entry, action: Action, writer: MemberWriter): Promise<void> {
    const span = this.#startSpan(entry, action);
    try {
      switch (action.kind) {
        case "Create":
          return await writer.create(entry);
        case "Update":
          return await writer.update(entry, action.drift);
        case "Delete":
          return await writer.delete(entry, action.uid);
        case "Release":
          return await writer.release(entry, action.uid);
        case "Nothing":
        case "Held":
          return;
      }
    } catch (error) {
      recordError(span, error);
      throw error;
    } finally {
      span.end();
    }
  }

  #startSpan(entry: Entry, action: Action): Span {
    const verb = action.kind === "Delete" || action.kind === "Release" ? action.kind : "Sync";
    return startSpan(this.#options.tracer, `${verb}${entry.ref.kind}`, {
      parent: entry.trace,
      attributes: {
        cluster: this.#options.cluster,
        "k8s.resource.kind": entry.ref.kind,
        "k8s.resource.name": entry.ref.name,
        "k8s.namespace.name": entry.ref.namespace ?? "",
        "meridian.action": action.kind,
      },
    });
  }

  #succeeded(entry: Entry, action: Action, ms: number): void {
    const { clock, metrics, table } = this.#options;
    this.#breaker.succeeded();
    this.#concurrency.succeeded(ms, clock.monotonic());
    if (action.kind === "Create" || action.kind === "Update") metrics.observePhase("apply", ms);
    this.#backoffs.forget(entry.key);
    table.fail(entry, undefined);
    if (!isHealing(action)) return;
    this.#options.healed(entry, action.drift);
    this.#heals.healed(entry.key, () => this.#lookAt(entry.key));
  }

  #failed(attempt: Attempt, error: unknown): void {
    const { entry } = attempt;
    const outcome = classify(error, entry.ref.kind === "Secret");
    if (outcome === undefined) {
      const context = logContext(entry.trace, resourceUidOf(entry));
      this.#options.logger.error(
        { ...context, err: error, object: entry.key, event_reason: "InternalError" },
        "a member object could not be written",
      );
      this.#refuse(attempt, { reason: "InternalError", message: "internal error; see the manager's log", final: true });
      return;
    }
    if (outcome.kind === "Refused" && entry.failure?.reason !== outcome.reason) this.#logRefusal(entry, outcome, error);
    this.#handleOutcome(attempt, outcome);
  }

  /** Once for each new reason: a refusal is retried, and says the same each time. */
  #logRefusal(entry: Entry, { reason, message }: Outcome & { kind: "Refused" }, error: unknown): void {
    // The server's own words on a Secret may quote it.
    const cause = entry.ref.kind === "Secret" ? {} : { err: error };
    const context = logContext(entry.trace, resourceUidOf(entry));
    this.#options.logger.warn(
      { ...context, ...cause, object: entry.key, event_reason: reason },
      `the member refused an object: ${message}`,
    );
  }

  #handleOutcome(attempt: Attempt, outcome: Outcome): void {
    const { clock } = this.#options;
    // An answer is an answer, also when it is no.
    if (outcome.kind !== "NotLeader" && outcome.kind !== "Unreached") this.#breaker.succeeded();
    switch (outcome.kind) {
      case "NotLeader":
        // The Lease may yet be renewed in time; if it is not, this lane is closed.
        return this.#retry(attempt, "soon");
      case "Throttled":
        this.#concurrency.throttled(clock.monotonic());
        this.#throttledUntil = Math.max(this.#throttledUntil, clock.monotonic() + outcome.afterMs);
        return this.#retry(attempt, "soon");
      case "Unreached":
        this.#breaker.unreached(clock.monotonic());
        this.#options.suspect();
        return this.#refuse(attempt, { reason: outcome.reason, message: outcome.message, final: false });
      case "NamespaceMissing":
        // It was there, or was made, a moment ago: somebody deletes it while we write.
        return this.#refuse(attempt, { reason: "NamespaceMissing", message: "the namespace went away", final: false });
      case "Refused":
        if (outcome.staleDiscovery) this.#writer?.invalidateDiscovery();
        return this.#refuse(attempt, outcome);
    }
  }

  #refuse(attempt: Attempt, { reason, message, final }: Failure): void {
    const { entry, action, name } = attempt;
    // What failed may not be what is wanted any more; the next look, which is due then, tells about that.
    if (attemptOf(entry, action) === name) this.#options.table.fail(entry, { reason, message, final });
    this.#retry(attempt, final ? "slowly" : "soon");
  }

  #retry({ entry: { key }, name }: Attempt, pace: Pace): void {
    this.#backoffs.schedule(key, name, pace, () => {
      if (!this.#lookAt(key)) this.#backoffs.forget(key);
    });
  }

  /** False when there is no such entry any more. */
  #lookAt(key: string): boolean {
    const entry = this.#options.table.get(this.#options.cluster, key);
    if (entry !== undefined) this.look(entry);
    return entry !== undefined;
  }

  get #limit(): number {
    return Math.min(this.#concurrency.limit, this.#options.share());
  }

  /** Opens, closes or narrows the queue as breaker, throttling and concurrency say. */
  #regulate(): void {
    if (this.#closed) return;
    const now = this.#options.clock.monotonic();
    const state = this.#breaker.state(now);
    const limit = state.kind === "HalfOpen" ? 1 : this.#limit;
    if (this.#queue.concurrency !== limit) this.#queue.concurrency = limit;

    const resumeAt = Math.max(
      this.#throttledUntil,
      state.kind === "Open" ? (state.retryAt ?? Number.POSITIVE_INFINITY) : 0,
    );
    if (this.#writer !== undefined && resumeAt <= now) {
      this.#pause?.[Symbol.dispose]();
      this.#pause = undefined;
      if (this.#queue.isPaused) this.#queue.start();
      this.#tellWork();
      return;
    }
    if (!this.#queue.isPaused) this.#queue.pause();
    this.#tellWork();
    if (this.#pause !== undefined || !Number.isFinite(resumeAt)) return;
    this.#pause = this.#options.clock.after(Math.max(1, resumeAt - now), () => {
      this.#pause = undefined;
      this.#regulate();
    });
  }
}

/** What is tried with an entry. As long as that is the same, so will be the answer; anything else is worth a try at once. */
function attemptOf({ desired, observed }: Entry, { kind }: Action): string {
  return [kind, observed?.uid, desired?.hash, desired?.conflictResolution].join(" ");
}

function isHealing(action: Action): action is Action & { kind: "Update" } {
  return action.kind === "Update" && action.drift.length > 0;
}

function isGone({ desired, observed }: Entry): boolean {
  return desired === undefined && observed === undefined;
}

function resourceUidOf({ desired }: Entry): LogContext {
  return desired === undefined ? {} : { resourceUid: desired.owner.uid };
}
