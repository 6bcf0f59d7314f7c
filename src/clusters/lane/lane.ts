import type { Why } from "../../desiredstate/index.ts";
import type { Logger, MemberLoad, Metrics, Tracer } from "../../observability/index.ts";
import { type Clock, type KeyClass, TimeSlice } from "../../runtime/index.ts";
import {
  type Act,
  isInSync,
  type MemberObject,
  type MemberObjects,
  type NamespaceLabels,
  type Phases,
} from "../model/index.ts";
import { Backoffs, type Pace } from "../pacing/index.ts";
import { type Attempt, isApply, isHealing } from "./attempt.ts";
import { AttemptAnswers } from "./attemptAnswers.ts";
import { AttemptFailures } from "./attemptFailures.ts";
import { AttemptTelemetry } from "./attemptTelemetry.ts";
import { DriftCorrections } from "./driftCorrections.ts";
import { Inspections } from "./inspections.ts";
import type { LaneMember } from "./laneMember.ts";
import { LaneQueue } from "./laneQueue.ts";
import {
  memberWait,
  type MemberState,
  type Next,
  nextAction,
  uidToDelete,
  type Wait,
  type WaitReason,
} from "./nextAction.ts";
import { RequestPacing } from "./requestPacing.ts";
import { send } from "./requests.ts";
import type { WriteAudit } from "../write/index.ts";

export interface LaneOptions {
  cluster: string;
  objects: MemberObjects;
  clock: Clock;
  random: () => number;
  logger: Logger;
  metrics: Metrics;
  tracer: Tracer;
  /** Absent: writes are not recorded. */
  audit?: Pick<WriteAudit, "begin"> | undefined;
  /** Called to probe now, when the connection seems broken. */
  suspect: () => void;
  share: () => number;
  /** Called when the lane gets work that can be done now, or has none left. */
  working: (working: boolean) => void;
  /** Order of the objects. The caller enqueues an object that no longer has to wait. */
  phases: Pick<Phases, "mustWait" | "awaitTurn">;
  /** Labels that rows want on namespaces. The caller enqueues a namespace whose labels have changed. */
  namespaceLabels: Pick<NamespaceLabels, "of">;
}

/** What {@link nextAction} reads. The lane changes the end and the session. */
interface LaneState extends Omit<MemberState, "isClosed" | "session"> {
  isClosed: boolean;
  session: LaneMember | undefined;
}

/** Waits for the whole member. The objects keep their order in the queue, which is paused meanwhile. */
const STOPS_THE_QUEUE: ReadonlySet<WaitReason> = new Set(["NoSession", "NoContact", "Unreached", "Throttled"]);

/**
 * Carries out the rows of one member with its own queue, backoff and circuit breaker. An error becomes a failure of one
 * member object. One that changes during its write is considered once more afterwards.
 */
export class Lane implements AsyncDisposable {
  readonly #options: LaneOptions;
  readonly #queue: LaneQueue;
  readonly #pacing: RequestPacing;
  readonly #backoffs: Backoffs;
  readonly #corrections: DriftCorrections;
  readonly #inspections: Inspections;
  readonly #telemetry: AttemptTelemetry;
  readonly #answers: AttemptAnswers;
  readonly #failures: AttemptFailures;
  readonly #state: LaneState;

  constructor(options: LaneOptions) {
    this.#options = options;
    const { cluster, objects, clock, random, logger, metrics, tracer, audit, share, working, suspect } = options;
    const enqueue = (key: string): void => void this.#enqueueKey(key);
    const retry = (key: string, attempt: string, pace: Pace): void => this.#retry(key, attempt, pace);
    const pacing = new RequestPacing({ clock, share, enqueue, tripped: () => metrics.breakerTripped(cluster) });
    const telemetry = new AttemptTelemetry({ cluster, logger, metrics, tracer, audit });
    const corrections = new DriftCorrections(clock, objects, enqueue);
    const backoffs = new Backoffs(clock, random);
    this.#pacing = pacing;
    this.#telemetry = telemetry;
    this.#corrections = corrections;
    this.#backoffs = backoffs;
    this.#queue = new LaneQueue({
      ...{ clock, enqueue, working, limit: pacing.limit },
      work: async (key) => {
        await this.#work(key);
        this.#inspections.wakeNext();
      },
      regulate: () => this.#regulate(),
    });
    this.#inspections = new Inspections({
      ...{ clock, objects, retry },
      enqueue: (key) => this.#enqueueKey(key) && this.#queue.stageOf(key) !== undefined,
      uidToDelete: (namespace) => uidToDelete(namespace, this.#state),
    });
    this.#answers = new AttemptAnswers({
      ...{ objects, clock, metrics, pacing, telemetry, corrections, backoffs, retry },
    });
    this.#failures = new AttemptFailures({ cluster, objects, metrics, pacing, telemetry, retry, suspect });
    const { phases, namespaceLabels } = options;
    const drift = corrections.backoff;
    const queue = this.#queue;
    const inspections = this.#inspections;
    this.#state = {
      ...{ isClosed: false, session: undefined, objects, queue, phases, backoffs, drift, pacing, inspections },
      namespaceLabels,
    };
  }

  /** Starts sending in a new session. */
  attach(member: LaneMember): void {
    this.#inspections.clear();
    this.#state.session = member;
    this.#telemetry.clusterUid = member.clusterUid;
    this.enqueueAll();
    this.#regulate();
  }

  /** Stops sending until the next session. */
  detach(): void {
    this.#inspections.clear();
    this.#state.session = undefined;
    this.#regulate();
  }

  /** Called by the pool: says if the member answers. */
  setContact(ok: boolean): void {
    if (ok) this.#telemetry.answered();
    if (ok) this.#backoffs.clear();
    this.#pacing.setContact(ok);
    this.#regulate();
    if (ok) this.enqueueAll();
  }

  /** Reason, without changing numbers, why writes to a member in contact are slowed down or stopped now. */
  get pace(): Why | undefined {
    return this.#state.session === undefined ? undefined : this.#pacing.why;
  }

  get load(): MemberLoad {
    return { ...this.#pacing.load, ...this.#queue.load };
  }

  /** A session began, or more of the member became known. */
  enqueueAll(): void {
    void this.#enqueueEach([...this.#options.objects.all()]);
  }

  /** In time slices; the first slice is within the call. */
  async #enqueueEach(all: readonly MemberObject[]): Promise<void> {
    const slice = TimeSlice.of(this.#options.clock);
    for (const object of all) {
      while (slice.spent) await slice.next();
      this.enqueue(object);
    }
  }

  /** The object, or something that it waits for, has changed. Cheap when there is nothing to do. */
  enqueue(object: MemberObject): void {
    const next = this.#next(object);
    if (next.kind === "Act") this.#queue.add(object.key, classOf(object));
    else this.#wait(object, next);
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

  /** Waits for the running writes. No new write begins. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#state.isClosed = true;
    await this.#queue.close();
    this.#backoffs.clear();
    this.#corrections.backoff.clear();
    this.#inspections.clear();
    this.#pacing.clear();
  }

  /** `foundEmpty`: UID of a namespace that was just found empty. Its row is read again before the deletion. */
  async #work(key: string, foundEmpty?: string): Promise<void> {
    const object = this.#options.objects.get(key);
    const member = this.#state.session;
    if (object === undefined) return;
    const next = this.#next(object, foundEmpty);
    if (next.kind === "Wait") return this.#wait(object, next);
    if (member === undefined) return;
    let isEmpty: string | undefined;
    {
      using _running = this.#queue.begin(key);
      using _place = next.action.kind === "Inspect" ? this.#inspections.begin() : undefined;
      isEmpty = await this.#carryOut(this.#attempt(object, next.action, next.attempt), member);
    }
    // No await in between, so that no event finds the namespace outside the queue.
    if (isEmpty !== undefined) await this.#work(key, isEmpty);
  }

  #attempt(object: MemberObject, action: Act, name: string): Attempt {
    const isHeal = isHealing(object, action);
    return {
      object,
      action,
      name,
      mightBeThere: object.mayBeThere,
      asked: { row: object.row, origin: object.origin },
      before: object.failure?.reason,
      isHeal,
      span: this.#telemetry.startSpan({ object, action, isHeal }, this.#options.clock.now()),
    };
  }

  /** Returns the UID of a namespace that the second inspection found empty. */
  async #carryOut(attempt: Attempt, member: LaneMember): Promise<string | undefined> {
    const { objects, clock } = this.#options;
    const { object, action } = attempt;
    const { key, ref } = object;
    const startedAt = clock.monotonic();
    // The report of a write makes a deletion of the hub object wait for its end.
    const isReported = action.kind !== "Inspect" && action.kind !== "Label";
    this.#pacing.begin(ref);
    using _audited = this.#telemetry.begin(attempt);
    if (isReported) objects.beginWrite(object, isApply(action));
    try {
      const answer = await send(attempt, member, this.#telemetry.ofNamespaces(attempt));
      // No await from here on, so that one report covers all of these changes.
      if (isReported) objects.endWrite(object);
      this.#telemetry.answered();
      if (answer.kind === "Inspected") {
        this.#pacing.reached(ref);
        this.#telemetry.succeeded(attempt);
        return this.#inspections.inspected(attempt, answer.emptiness);
      }
      this.#inspections.forget(key);
      this.#answers.take(attempt, answer, member, clock.monotonic() - startedAt);
    } catch (error) {
      if (isReported) objects.endWrite(object);
      this.#failures.failed(attempt, error, member, clock.monotonic() - startedAt);
    } finally {
      attempt.span.end();
    }
    return undefined;
  }

  #next(object: MemberObject, foundEmpty?: string): Next {
    const next = nextAction(object, this.#state, this.#options.clock.monotonic(), foundEmpty);
    if (next.attempt !== undefined) this.#backoffs.keepOnly(object.key, next.attempt);
    this.#inspections.note(object);
    return next;
  }

  /** Records the outcome of the wait, and asks its source for a wake where the source wakes only who has asked. */
  #wait(object: MemberObject, { why, failure, isAbsent }: Wait): void {
    const { objects, phases } = this.#options;
    const { key, ref } = object;
    if (STOPS_THE_QUEUE.has(why)) {
      this.#regulate();
      this.#queue.add(key, classOf(object));
    }
    // The row may have changed since: the object moves up.
    if (why === "InQueue") this.#queue.moveUp(key, classOf(object));
    if (why === "InWrite") this.#queue.again(key);
    if (why === "OthersFirst") phases.awaitTurn(object);
    if (why === "SilentKind") this.#pacing.awaitTrial(ref, key);
    if (why === "NoInspectionPlace") this.#inspections.awaitPlace(key);
    if (why === "NamespaceInUse") this.#backoffs.forget(key);
    if (why === "NotGranted" && failure !== undefined && object.failure?.reason !== failure.reason)
      this.#telemetry.denied(object, failure);
    if (failure !== undefined) objects.fail(object, failure);
    if (isAbsent === true) objects.found(object, undefined);
    if (why !== "NothingToDo" || !(isInSync(object) || object.row === undefined)) return;
    this.#backoffs.forget(key);
    this.#telemetry.settled(object);
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

  #regulate(): void {
    if (this.#state.isClosed) return;
    this.#queue.regulate(this.#pacing.limit, memberWait(this.#state, this.#options.clock.monotonic()));
  }
}

function classOf({ isBacklog }: MemberObject): KeyClass {
  return isBacklog ? "Backlog" : "Change";
}
