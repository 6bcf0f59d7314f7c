import { randomUUID } from "node:crypto";
import {
  type Following,
  logContext,
  type Origin,
  plainSpanContext,
  recordError,
  startSpan,
  type ControllerMetrics,
  type Logger,
  type ReconcileResult,
  type Span,
  type Tracer,
} from "../../observability/index.ts";
import { type Clock, NotLeaderError, ReconcileTimeoutError, TimeSlice } from "../core/index.ts";
import { KeyFeed } from "./keyFeed.ts";
import type { KeyClass } from "./keyOrder.ts";
import type { Source } from "./sources.ts";
import { fixedWorkers, type WorkerLimit } from "./workers.ts";
import type { Workqueue } from "./workqueue.ts";

/** Result of a successful reconcile. */
export interface Result {
  /** Reconcile again after this many milliseconds, even if events cause other runs before. */
  requeueAfter?: number;
}

/** Nothing more to do until something changes. */
export const done: Result = Object.freeze({});

/** Reconcile again after `ms`. */
export function requeueAfter(ms: number): Result {
  return { requeueAfter: ms };
}

/** Error that a retry cannot fix. The controller logs the error, and retries the key only after a change. */
export class TerminalError extends Error {
  override readonly name: string = "TerminalError";
}

/** Context of one run of a reconciler. */
export interface ReconcileContext {
  /** The span `Reconcile`; parent of the spans of its steps. Absent without a tracer. */
  readonly span: Span | undefined;
  readonly reconcileId: string;
  /** Logger that adds trace_id and reconcile_id to each line. */
  readonly logger: Logger;
  /** Origin to store with work that this run requests. Undefined without a tracer. */
  readonly origin: Origin | undefined;
  /** What the run is for: a change now, or what was there when the process began. */
  readonly class: KeyClass;
}

/** Reconciles one object. A run is repeated after an error, so every step must be idempotent. */
export interface Reconciler<K extends string = string> {
  /** Sources of keys, subscribed while the controller runs. */
  sources?(): readonly Source<K>[];
  /** Cause of the next run for the key, if known. The span of the run refers to this cause. */
  follows?(key: K): Following | undefined;
  /** Log fields that describe the object of a key: `object` and the like. */
  logFields?(key: K): Record<string, string | undefined>;
  /** Milliseconds until a run is useful. A key that is not due returns to the queue, without a span or a deadline. */
  dueIn?(key: K): number;
  /** The signal is aborted at the deadline of the run, and when the process ends. */
  reconcile(key: K, signal: AbortSignal, context: ReconcileContext): Promise<Result>;
}

export interface ControllerOptions<K extends string = string> {
  /** Name in logs, metrics and spans (`reconcile.controller`). */
  name: string;
  queue: Workqueue<K>;
  reconciler: Reconciler<K>;
  /** How many keys may be in work at once. */
  workers: number | WorkerLimit;
  clock: Clock;
  logger: Logger;
  metrics?: ControllerMetrics;
  tracer?: Tracer;
  /** Time after which a run is aborted and counts as failed. Default 30 s. */
  timeoutMs?: number;
}

const RECONCILE_TIMEOUT_MS = 30_000;
/** Time for running reconciles to finish by themselves when the controller ends. */
const DRAIN_MS = 1_500;
/** Time for them to finish after their own signal was aborted. */
const GIVE_UP_MS = 500;

/** Reconciles the keys of a queue with several workers. Many keys leave the event loop free. */
export class Controller<K extends string = string> {
  readonly #options: ControllerOptions<K>;
  /** Abort controllers of the running reconciles. */
  readonly #runs = new Set<AbortController>();
  readonly #limit: WorkerLimit;
  /** Number of workers. A worker ends when the limit has fallen below their number. */
  #workers = 0;
  readonly #timeoutMs: number;
  readonly #slice: TimeSlice;

  constructor(options: ControllerOptions<K>) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? RECONCILE_TIMEOUT_MS;
    this.#slice = TimeSlice.of(options.clock);
    this.#limit = typeof options.workers === "number" ? fixedWorkers(options.workers) : options.workers;
  }

  /** Works until the signal is aborted, and lets running reconciles finish then. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger, name } = this.#options;
    using subscriptions = signal.aborted ? undefined : this.#subscribe();
    const work = new AbortController();
    const abortRuns = (): void => this.#runs.forEach((run) => run.abort(work.signal.reason));
    work.signal.addEventListener("abort", abortRuns, { once: true });
    const running = this.#runWorkers(signal, work.signal);
    const leftBehind = Promise.withResolvers<"left behind">();
    const timers = new DisposableStack();
    const drain = (): void => {
      subscriptions?.dispose();
      timers.use(
        clock.after(DRAIN_MS, () => {
          work.abort(signal.reason);
          timers.use(clock.after(GIVE_UP_MS, () => leftBehind.resolve("left behind")));
        }),
      );
    };
    if (signal.aborted) drain();
    else signal.addEventListener("abort", drain, { once: true });
    const outcome = await Promise.race([running, leftBehind.promise]);
    signal.removeEventListener("abort", drain);
    timers.dispose();
    if (outcome === "left behind")
      logger.warn(
        { controller: name, reconciles: this.#options.queue.processing },
        "reconciles ignored the end of the process and were left behind",
      );
  }

  #subscribe(): DisposableStack {
    const { reconciler, queue, logger, name } = this.#options;
    const subscriptions = new DisposableStack();
    const feed = subscriptions.use(
      new KeyFeed<K>({
        add: (key, afterMs, of) => queue.addAfter(key, afterMs, of),
        slice: this.#slice,
        failed: (error) => logger.error({ controller: name, err: error }, "keys of an event could not be read"),
      }),
    );
    for (const source of reconciler.sources?.() ?? [])
      subscriptions.use(source.subscribe((keys, afterMs, of) => feed.take(keys, afterMs, of)));
    return subscriptions;
  }

  /** Resolves after the signal, when every worker has ended. */
  async #runWorkers(signal: AbortSignal, workSignal: AbortSignal): Promise<void> {
    const working = new Set<Promise<void>>();
    const fill = (): void => {
      this.#options.metrics?.maxConcurrent(this.#limit.limit);
      while (!signal.aborted && this.#workers < this.#limit.limit) {
        this.#workers += 1;
        const worker = this.#work(signal, workSignal).finally(() => working.delete(worker));
        working.add(worker);
      }
    };
    using _changes = this.#limit.changes.subscribe(fill);
    fill();
    while (working.size > 0) await Promise.all(working);
  }

  async #work(signal: AbortSignal, workSignal: AbortSignal): Promise<void> {
    const { queue } = this.#options;
    while (this.#workers <= this.#limit.limit) {
      while (this.#slice.spent) await this.#slice.next();
      const key = await queue.get(signal);
      if (key === undefined) break;
      if (!this.#isPutOff(key)) await this.#reconcileOne(key, workSignal);
    }
    this.#workers -= 1;
  }

  /** True if the key is not due yet. The key is then in the queue again. */
  #isPutOff(key: K): boolean {
    const { reconciler, queue, metrics, logger, name } = this.#options;
    let after = 0;
    try {
      after = reconciler.dueIn?.(key) ?? 0;
    } catch (error) {
      // The run itself will report more.
      logger.debug({ controller: name, key, err: error }, "nobody can say when the key is due");
    }
    if (after <= 0) return false;
    metrics?.started();
    // No `forget`: nothing was tried, so the backoff of earlier failures continues.
    queue.addAfter(key, after, queue.classOf(key));
    queue.done(key);
    metrics?.finished("requeue_after", 0);
    return true;
  }

  async #reconcileOne(key: K, processSignal: AbortSignal): Promise<void> {
    const { reconciler, queue, clock, logger, metrics, name } = this.#options;
    const startedAt = clock.monotonic();
    const following = reconciler.follows?.(key);
    const span = this.#startSpan(key, following);
    const context = new RunContext(span, queue.classOf(key), following?.change, logger, clock);
    const run = new AbortController();
    this.#runs.add(run);
    if (processSignal.aborted) run.abort(processSignal.reason);
    const deadline = clock.after(this.#timeoutMs, () => run.abort(new ReconcileTimeoutError(this.#timeoutMs)));
    metrics?.started();
    let result: ReconcileResult = "success";
    try {
      const { requeueAfter: after } = await reconciler.reconcile(key, run.signal, context);
      queue.forget(key);
      if (after !== undefined) {
        result = "requeue_after";
        queue.addAfter(key, after, queue.classOf(key));
      }
    } catch (error) {
      const isLate = run.signal.aborted && !processSignal.aborted;
      // The reason of the abort is a ReconcileTimeoutError already.
      const failure = isLate && error !== run.signal.reason ? new ReconcileTimeoutError(this.#timeoutMs, error) : error;
      result = this.#failed(key, failure, processSignal, context);
    } finally {
      deadline[Symbol.dispose]();
      this.#runs.delete(run);
      span?.end();
      queue.done(key);
      const ms = clock.monotonic() - startedAt;
      metrics?.finished(result, ms);
      if (logger.isLevelEnabled("debug"))
        context.logger.debug({ controller: name, key, result, ms: Math.round(ms) }, "reconciled");
    }
  }

  #startSpan(key: K, following: Following | undefined): Span | undefined {
    const { tracer, name } = this.#options;
    if (tracer === undefined) return undefined;
    const attributes = { "reconcile.controller": name, "reconcile.request": key, "reconcile.kind": name };
    return startSpan(tracer, "Reconcile", { ...following, attributes });
  }

  #failed(key: K, error: unknown, signal: AbortSignal, { span, logger }: ReconcileContext): ReconcileResult {
    const { reconciler, queue, name } = this.#options;
    if (signal.aborted) {
      logger.debug(
        { controller: name, key, err: error },
        "reconcile given up: the process ends or is not the leader any more",
      );
      return "requeue";
    }
    if (error instanceof NotLeaderError) {
      queue.addRateLimited(key);
      logger.debug({ controller: name, key, err: error }, "reconcile put off: the Lease is not held");
      return "requeue";
    }
    if (span !== undefined) recordError(span, error);
    const fields = { controller: name, key, ...reconciler.logFields?.(key), err: error };
    if (error instanceof TerminalError) {
      queue.forget(key);
      logger.error(fields, "reconcile failed and is not retried");
      return "error";
    }
    const retryInMs = Math.round(queue.addRateLimited(key));
    logger.error({ ...fields, failures: queue.failures(key), retryInMs }, "reconcile failed");
    return "error";
  }
}

/** Creates the reconcile id and the child logger on first use, because most reconciles need neither. */
class RunContext implements ReconcileContext {
  readonly span: Span | undefined;
  readonly class: KeyClass;
  /** Undefined if the change began in the trace of the span. */
  readonly #change: Following["change"];
  readonly #parent: Logger;
  readonly #clock: Clock;
  #reconcileId: string | undefined;
  #logger: Logger | undefined;

  constructor(span: Span | undefined, of: KeyClass, change: Following["change"], parent: Logger, clock: Clock) {
    this.span = span;
    this.class = of;
    this.#change = change?.traceId === span?.spanContext().traceId ? undefined : change;
    this.#parent = parent;
    this.#clock = clock;
  }

  get reconcileId(): string {
    this.#reconcileId ??= randomUUID();
    return this.#reconcileId;
  }

  get logger(): Logger {
    const { reconcileId } = this;
    this.#logger ??= this.#parent.child(logContext(this.span?.spanContext(), { reconcileId, change: this.#change }));
    return this.#logger;
  }

  get origin(): Origin | undefined {
    if (this.span === undefined) return undefined;
    return {
      spanContext: plainSpanContext(this.span.spanContext()),
      reconcileId: this.reconcileId,
      at: this.#clock.now(),
      ...(this.#change === undefined ? {} : { change: plainSpanContext(this.#change) }),
    };
  }
}
