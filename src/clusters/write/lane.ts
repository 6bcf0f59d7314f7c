import PQueue from "p-queue";
import { defined, type Message, type ObjectRef, type Reason } from "../../apis/index.ts";
import type { Failure, Why } from "../../desiredstate/index.ts";
import { fieldOfPlace } from "../../interpreter/index.ts";
import type { Logger, Metrics, Tracer } from "../../observability/index.ts";
import { AdaptiveConcurrency, type Clock, type KeyClass, KeyOrder } from "../../runtime/index.ts";
import { type Attempt, attemptOf, contested, isHealing, isStillAskedFor } from "./attempt.ts";
import { AttemptTelemetry } from "./attemptTelemetry.ts";
import { Backoffs, Breaker, DriftBackoff, KindBreakers, type Pace } from "../pacing/index.ts";
import {
  type Act,
  decide,
  isInSync,
  type MemberObject,
  type MemberObjects,
  type Phases,
  withHubVersion,
  withoutEffect,
} from "../model/index.ts";
import type { MemberWriter, Written } from "./memberWriter.ts";
import {
  type KnownKinds,
  memberWait,
  type MemberState,
  type Next,
  nextAction,
  type Wait,
  type WaitReason,
} from "./nextAction.ts";
import { isWriteForbidden, withGrant } from "./notGranted.ts";
import { classify, kindNotServed, type Outcome } from "./outcome.ts";

export interface LaneOptions {
  cluster: string;
  objects: MemberObjects;
  clock: Clock;
  random: () => number;
  logger: Logger;
  metrics: Metrics;
  tracer: Tracer;
  /** Called to probe now, when the connection seems broken. */
  suspect: () => void;
  share: () => number;
  /** Called when the lane gets work that can be done now, or has none left. */
  working: (working: boolean) => void;
  /** Order of the objects. The caller enqueues an object that no longer has to wait. */
  phases: Pick<Phases, "mustWait" | "awaitTurn">;
}

/** The member in one session: its writer, and what the watches know of it. */
export interface LaneMember extends KnownKinds {
  writer: MemberWriter;
  /** Aborted when the session ends. Requests that it aborts say nothing about the member. */
  signal: AbortSignal;
  /** True when `meridian join` made the account, so that it can grant more permissions. */
  isJoined: boolean;
  /** Takes the answer to a write as an observation. */
  observe(written: Written): void;
  /** The member does not serve the kind, by its own answer. */
  doubtKind(ref: ObjectRef): void;
}

/** What {@link nextAction} reads. The lane changes the values. */
type LaneState = { -readonly [Fact in keyof MemberState]: MemberState[Fact] } & { session: LaneMember | undefined };

/** Waits for the whole member. The objects keep their order in the queue, which is paused meanwhile. */
const STOPS_THE_QUEUE: ReadonlySet<WaitReason> = new Set(["NoSession", "NoContact", "Unreached", "Throttled"]);

/** A member counts as throttling for this time after its Retry-After, since the next request may get 429 again. */
const THROTTLED_FOR_MS = 6_000;

/**
 * Carries out the rows of one member, except for namespaces, with its own queue, backoff and circuit breaker. An error
 * becomes a failure of one member object. One that changes during its write is considered once more afterwards.
 */
export class Lane implements AsyncDisposable {
  readonly #options: LaneOptions;
  readonly #queue: PQueue;
  readonly #order = new KeyOrder();
  readonly #concurrency = new AdaptiveConcurrency({ least: 1, start: 16, most: 32, runOfSuccesses: 64 });
  readonly #breaker = new Breaker();
  readonly #kinds: KindBreakers;
  readonly #backoffs: Backoffs;
  readonly #driftBackoff: DriftBackoff;
  readonly #telemetry: AttemptTelemetry;
  readonly #state: LaneState;
  readonly #waiting = new Set<string>();
  readonly #running = new Set<string>();
  /** Keys of the objects that changed during their write. */
  readonly #again = new Set<string>();
  #pause: Disposable | undefined;
  #working = false;

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#queue = new PQueue({ concurrency: this.#limit, autoStart: false });
    this.#backoffs = new Backoffs(options.clock, options.random);
    this.#kinds = new KindBreakers(options.clock, (key) => this.#enqueueKey(key));
    this.#driftBackoff = new DriftBackoff(options.clock);
    const { cluster, logger, metrics, tracer } = options;
    this.#telemetry = new AttemptTelemetry({ cluster, logger, metrics, tracer });
    this.#state = {
      isClosed: false,
      session: undefined,
      throttledUntil: Number.NEGATIVE_INFINITY,
      breaker: this.#breaker,
      stageOf: (key) => (this.#running.has(key) ? "InWrite" : this.#waiting.has(key) ? "InQueue" : undefined),
      mustWait: (object) => options.phases.mustWait(object),
      retryOf: (key) => this.#backoffs.retryOf(key),
      drift: this.#driftBackoff,
      admits: (ref) => this.#kinds.admits(ref),
    };
  }

  /** Starts sending in a new session. */
  attach(member: LaneMember): void {
    this.#state.session = member;
    this.enqueueAll();
    this.#regulate();
  }

  /** Stops sending until the next session. */
  detach(): void {
    this.#state.session = undefined;
    this.#regulate();
  }

  /** Called by the pool: says if the member answers. */
  setContact(ok: boolean): void {
    this.#breaker.setContact(ok);
    if (ok) this.#telemetry.answered();
    if (ok) this.#backoffs.clear();
    this.#kinds.clear();
    this.#regulate();
    if (ok) this.enqueueAll();
  }

  /** Reason, without changing numbers, why writes to a member in contact are slowed down or stopped now. */
  get pace(): Why | undefined {
    const now = this.#options.clock.monotonic();
    const say = (message: Message): Why => ({ reason: "WritesThrottled" satisfies Reason, message });
    if (this.#state.session === undefined) return undefined;
    if (this.#state.throttledUntil + THROTTLED_FOR_MS > now)
      return say("the server asks for fewer requests (HTTP 429)");
    const silent = this.#kinds.silentKinds;
    if (silent.length > 0) return say({ what: "no answer to writes of", where: silent });
    const isTrying = this.#breaker.state(now).kind !== "Closed";
    return isTrying ? say("requests do not reach the server; one at a time is tried") : undefined;
  }

  /** A session began, or more of the member became known. */
  enqueueAll(): void {
    for (const object of this.#options.objects.all()) this.enqueue(object);
  }

  /** The object has changed. Cheap when there is nothing to do. */
  enqueue(object: MemberObject): void {
    const next = this.#next(object);
    if (next.kind === "Act") this.#queueUp(object);
    else this.#wait(object, next);
  }

  /** Waits for the running writes. No new write begins. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#state.isClosed = true;
    this.#queue.clear();
    this.#waiting.clear();
    this.#order.clear();
    await this.#queue.onPendingZero();
    this.#backoffs.clear();
    this.#driftBackoff.clear();
    this.#kinds.clear();
    this.#pause?.[Symbol.dispose]();
    this.#reportWorking();
  }

  #reportWorking(): void {
    const working = this.#running.size > 0 || (this.#waiting.size > 0 && !this.#queue.isPaused);
    if (working === this.#working) return;
    this.#working = working;
    this.#options.working(working);
  }

  #queueUp(object: MemberObject): void {
    this.#waiting.add(object.key);
    this.#order.add(object.key, classOf(object));
    this.#reportWorking();
    void this.#queue.add(() => this.#process());
  }

  /** Works on the object whose turn it is: changes go before the backlog. */
  async #process(): Promise<void> {
    const key = this.#order.take()?.key;
    if (key === undefined) return;
    this.#waiting.delete(key);
    await this.#write(key);
    if (this.#again.delete(key)) this.#enqueueKey(key);
    this.#reportWorking();
    this.#regulate();
  }

  async #write(key: string): Promise<void> {
    const { objects, clock } = this.#options;
    const object = objects.get(key);
    const member = this.#state.session;
    if (object === undefined) return;
    const next = this.#next(object);
    if (next.kind === "Wait") return this.#wait(object, next);
    if (member === undefined) return;
    const { writer } = member;
    const { action } = next;
    this.#kinds.begin(object.ref);

    this.#running.add(key);
    const startedAt = clock.monotonic();
    const isHeal = isHealing(object, action);
    const attempt: Attempt = {
      object,
      action,
      mightBeThere: object.mayBeThere,
      name: next.attempt,
      asked: { row: object.row, origin: object.origin },
      before: object.failure?.reason,
      isHeal,
      span: this.#telemetry.startSpan({ object, action, isHeal }, clock.now()),
    };
    objects.beginWrite(object, action.kind === "Create" || action.kind === "Update");
    try {
      const found = action.kind === "Confirm" ? await writer.find(object.ref, action.owner) : undefined;
      const read = action.kind === "Read" ? await writer.read(object.ref) : undefined;
      const written = await this.#act(attempt, writer);
      const answeredAt = clock.monotonic();
      // No await from here on, so that one report covers all of these changes.
      objects.endWrite(object);
      if (written !== undefined) {
        member.observe(written);
        this.#options.metrics.observePhase("verify", clock.monotonic() - answeredAt);
      }
      if (action.kind === "Confirm") objects.found(object, found);
      if (read !== undefined) objects.read(object, read);
      if (action.kind === "Delete" || action.kind === "Release") objects.removed(object, action.observed.uid);
      if (found?.deleting === true) this.#lookAgain(object, action);
      else this.#succeeded(attempt, written?.altered ?? [], answeredAt - startedAt);
    } catch (error) {
      objects.endWrite(object);
      if (member.signal.aborted) {
        this.#telemetry.failed(attempt, error, undefined);
        this.#kinds.unsent(object.ref);
      } else this.#failed(attempt, error, clock.monotonic() - startedAt);
    } finally {
      this.#running.delete(key);
      attempt.span.end();
    }
  }

  #next(object: MemberObject): Next {
    const next = nextAction(object, this.#state, this.#options.clock.monotonic());
    if (next.attempt !== undefined) this.#backoffs.keepOnly(object.key, next.attempt);
    return next;
  }

  /** Records the outcome of the wait, and asks its source for a wake where the source wakes only who has asked. */
  #wait(object: MemberObject, { why, failure, isAbsent }: Wait): void {
    const { objects, phases } = this.#options;
    const { key, ref } = object;
    if (STOPS_THE_QUEUE.has(why)) {
      this.#regulate();
      this.#queueUp(object);
    }
    // The row may have changed since: the object moves up.
    if (why === "InQueue") this.#order.add(key, classOf(object));
    if (why === "InWrite") this.#again.add(key);
    if (why === "OthersFirst") phases.awaitTurn(object);
    if (why === "SilentKind") this.#kinds.awaitTrial(ref, key);
    if (why === "NotGranted" && failure !== undefined && object.failure?.reason !== failure.reason)
      this.#telemetry.denied(object, failure);
    if (failure !== undefined) objects.fail(object, failure);
    if (isAbsent === true) objects.found(object, undefined);
    if (why !== "NothingToDo" || !(isInSync(object) || object.row === undefined)) return;
    this.#backoffs.forget(key);
    this.#telemetry.settled(object);
  }

  /** Retries at once, since the cause of the last refusal may be gone. */
  retryNow(object: MemberObject): void {
    this.#backoffs.forget(object.key);
    this.enqueue(object);
  }

  /** The kinds that the member serves, or their versions, have changed. */
  kindsChanged(): void {
    for (const object of this.#options.objects.all())
      if (object.failure?.reason === "KindNotServed") this.retryNow(object);
  }

  async #act(attempt: Attempt, writer: MemberWriter): Promise<Written | undefined> {
    const { object, action } = attempt;
    switch (action.kind) {
      case "Create":
        return await writer.create(withHubVersion(action.row), this.#telemetry.ofNamespaces(attempt));
      case "Update":
        return await writer.update(withHubVersion(action.row), action.observed, action.drift, action);
      case "Delete":
        await writer.delete(object.ref, action.observed, object.row?.verb === "Delete" ? object.row : {});
        return undefined;
      case "Release":
        await writer.release(object.ref, action.observed);
        return undefined;
      case "Confirm":
      case "Read":
        return undefined;
    }
  }

  #succeeded(attempt: Attempt, altered: readonly string[], ms: number): void {
    const { object, action, isHeal } = attempt;
    const { clock, metrics, objects } = this.#options;
    const { key } = object;
    this.#answered(object.ref);
    this.#concurrency.succeeded(ms, clock.monotonic());
    if (action.kind === "Create" || action.kind === "Update") metrics.observePhase("apply", ms);
    if (altered.length > 0 && isStillAskedFor(object, action)) return this.#hadNoEffect(attempt, altered);
    this.#telemetry.succeeded(attempt);
    this.#backoffs.forget(key);
    objects.fail(object, undefined);
    if (action.kind === "Create" || action.kind === "Update") objects.carryOut(object, action.row.hash);
    if (action.kind === "Update") objects.putBack(object, action.row, action.drift);
    if (!isHeal) return;
    this.#driftBackoff.healed(key, () => this.#pauseIsOver(key));
    if (action.kind === "Delete") return;
    const lost = action.kind === "Update" ? action.drift : [];
    const isContested = this.#driftBackoff.isContested(key);
    objects.heal(object, {
      at: clock.now(),
      lost: lost.map(fieldOfPlace),
      gone: action.kind === "Create",
      contested: isContested,
    });
    if (isContested) objects.contest(object, contested(action));
  }

  /** The correction has lasted, or the next one is allowed. */
  #pauseIsOver(key: string): void {
    const object = this.#options.objects.get(key);
    if (object !== undefined) this.#options.objects.contest(object, undefined);
    this.#enqueueKey(key);
  }

  /** Reads an object that is being deleted again soon, since no watch reports its end. */
  #lookAgain(object: MemberObject, action: Act): void {
    this.#answered(object.ref);
    this.#retry(object.key, attemptOf(object, action), "soon");
  }

  /** Retries slowly, since admission will change the values again. */
  #hadNoEffect(attempt: Attempt, altered: readonly string[]): void {
    const { object, before } = attempt;
    const failure = withoutEffect(altered);
    attempt.span.setAttribute("sync.result", "failed");
    if (before !== failure.reason) this.#telemetry.hadNoEffect(attempt, failure);
    this.#options.objects.fail(object, failure);
    this.#retry(
      object.key,
      attemptOf(object, decide(object, this.#state.session?.mayRemove(object.ref) ?? false)),
      "slowly",
    );
  }

  #failed(attempt: Attempt, error: unknown, ms: number): void {
    const { object, action } = attempt;
    const { cluster, metrics } = this.#options;
    const joined = this.#state.session?.isJoined === true ? cluster : undefined;
    const outcome = withGrant(classify(error, object.ref.kind === "Secret"), error, joined);
    this.#telemetry.failed(attempt, error, outcome);
    this.#telemetry.count(outcome);
    if (outcome?.kind === "Refused" && (action.kind === "Create" || action.kind === "Update"))
      metrics.observePhase("apply", ms);
    if (outcome === undefined) {
      this.#kinds.unsent(object.ref);
      this.#telemetry.broke(attempt, error);
      this.#refuse(attempt, { reason: "InternalError", message: "internal error; see the manager's log", final: true });
      return;
    }
    if (isWriteForbidden(error)) this.#options.objects.untouched(object, attempt.mightBeThere);
    this.#telemetry.retried(attempt, error, outcome);
    this.#handleOutcome(attempt, outcome);
  }

  #handleOutcome(attempt: Attempt, outcome: Outcome): void {
    const { clock } = this.#options;
    // A refusal is an answer too.
    if (outcome.kind === "NotLeader" || outcome.kind === "Unreached") this.#kinds.unsent(attempt.object.ref);
    else if (outcome.kind !== "Silent") this.#answered(attempt.object.ref);
    switch (outcome.kind) {
      case "NotLeader":
        // The Lease may still be renewed in time. Otherwise this lane is closed.
        return this.#retry(attempt.object.key, attempt.name, "soon");
      case "Throttled":
        this.#concurrency.throttled(clock.monotonic());
        this.#state.throttledUntil = Math.max(this.#state.throttledUntil, clock.monotonic() + outcome.afterMs);
        return this.#retry(attempt.object.key, attempt.name, "soon");
      case "Unreached":
        this.#breaker.unreached(clock.monotonic());
        this.#options.suspect();
        return this.#refuse(attempt, { ...outcome, final: false });
      case "Silent":
        // The probe decides whether the whole member is silent.
        this.#kinds.silent(attempt.object.ref);
        this.#options.suspect();
        return this.#refuse(attempt, { reason: outcome.reason, message: outcome.message, final: false });
      case "NamespaceMissing":
        // The namespace existed or was created a moment ago, so somebody deletes it during our write.
        return this.#refuse(attempt, { reason: "NamespaceMissing", message: "the namespace went away", final: false });
      case "Refused":
        if (!outcome.staleDiscovery) return this.#refuse(attempt, outcome);
        // The server's message only names a URL path.
        this.#state.session?.doubtKind(attempt.object.ref);
        return this.#refuse(attempt, { ...kindNotServed(attempt.object.ref), final: outcome.final });
    }
  }

  #answered(ref: ObjectRef): void {
    this.#breaker.succeeded();
    this.#telemetry.answered();
    this.#kinds.answered(ref);
  }

  #refuse(attempt: Attempt, { reason, message, final, fields }: Failure): void {
    const { object, action, name } = attempt;
    const more = defined({ fields });
    // The row may have changed during the attempt. The failure does not apply to the new row, whose own attempt follows.
    if (attemptOf(object, action) === name) this.#options.objects.fail(object, { reason, message, final, ...more });
    this.#retry(object.key, name, final ? "slowly" : "soon");
  }

  #retry(key: string, attempt: string, pace: Pace): void {
    this.#backoffs.schedule(key, attempt, pace, () => {
      if (!this.#enqueueKey(key)) this.#backoffs.forget(key);
    });
  }

  /** False when the member object was forgotten. */
  #enqueueKey(key: string): boolean {
    const object = this.#options.objects.get(key);
    if (object !== undefined) this.enqueue(object);
    return object !== undefined;
  }

  get #limit(): number {
    return Math.min(this.#concurrency.limit, this.#options.share());
  }

  #regulate(): void {
    if (this.#state.isClosed) return;
    const now = this.#options.clock.monotonic();
    const limit = this.#breaker.state(now).kind === "HalfOpen" ? 1 : this.#limit;
    if (this.#queue.concurrency !== limit) this.#queue.concurrency = limit;

    const wait = memberWait(this.#state, now);
    this.#pause?.[Symbol.dispose]();
    this.#pause = undefined;
    if (wait === undefined) this.#queue.start();
    else this.#queue.pause();
    this.#reportWorking();
    if (wait?.until === undefined) return;
    this.#pause = this.#options.clock.after(Math.max(1, wait.until - now), () => this.#regulate());
  }
}

function classOf({ isBacklog }: MemberObject): KeyClass {
  return isBacklog ? "Backlog" : "Change";
}
