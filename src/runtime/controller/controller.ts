import { randomUUID } from "node:crypto";
import {
  type Following,
  logContext,
  type Origin,
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
import type { Source } from "./sources.ts";
import type { Workqueue } from "./workqueue.ts";

/** How a reconcile that did not fail ended. */
export interface Result {
  /** Reconcile again after so many milliseconds, whatever happens until then. */
  requeueAfter?: number;
}

/** Nothing more to do until something changes. */
export const done: Result = Object.freeze({});

/** Reconcile again after `ms`. */
export function requeueAfter(ms: number): Result {
  return { requeueAfter: ms };
}

/** An error that trying again will not heal: it is logged, and its key is not retried until something changes. */
export class TerminalError extends Error {
  override readonly name: string = "TerminalError";
}

/** What belongs to one run of a reconciler. */
export interface ReconcileContext {
  /** The span `Reconcile`; parent of the spans of its steps. Absent without a tracer. */
  readonly span: Span | undefined;
  readonly reconcileId: string;
  /** Its lines have trace_id and reconcile_id. */
  readonly logger: Logger;
  /** What is kept beside work that this run asks for. Undefined without a tracer. */
  readonly origin: Origin | undefined;
}

/** Makes the world agree with one object. Called again after an error, so every step must bear repetition. */
export interface Reconciler<K extends string = string> {
  /** What wakes it. Subscribed when its controller runs, present objects first, and let go of when that ends. */
  sources?(): readonly Source<K>[];
  /** What the next run for the key follows from, where that is known: its span has its place there. */
  follows?(key: K): Following | undefined;
  /** What the log calls what a key names, beside the key: `object` and the like. */
  logFields?(key: K): Record<string, string | undefined>;
  /**
   * Milliseconds for which a run for the key would only put itself off. Asked before each run: while that is more than 0 the key goes back into
   * the queue, at the cost of neither a span nor a deadline.
   */
  dueIn?(key: K): number;
  /** The signal is aborted at the deadline of the run, and when the process ends. */
  reconcile(key: K, signal: AbortSignal, context: ReconcileContext): Promise<Result>;
}

export interface ControllerOptions<K extends string = string> {
  /** Of logs, metrics and spans (`reconcile.controller`). */
  name: string;
  queue: Workqueue<K>;
  reconciler: Reconciler<K>;
  workers: number;
  clock: Clock;
  logger: Logger;
  metrics?: ControllerMetrics;
  /** Opens a span `Reconcile` around each reconcile. */
  tracer?: Tracer;
  /** How long one reconcile may take: then its signal is aborted, which counts as an error, and it is tried again. Default 30 s. */
  timeoutMs?: number;
  /** After the abort: how long reconciles under way may go on before their own signal is aborted. Default 1500 ms. */
  drainMs?: number;
}

const RECONCILE_TIMEOUT_MS = 30_000;
/** From the abort of the reconciles' signal until they are left behind. */
const GIVE_UP_MS = 500;

/** Takes keys from a queue and reconciles them, so many at a time; however many there are, the event loop stays free. */
export class Controller<K extends string = string> {
  readonly #options: ControllerOptions<K>;
  /** Of the reconciles under way. */
  readonly #runs = new Set<AbortController>();
  readonly #timeoutMs: number;
  readonly #slice: TimeSlice;

  constructor(options: ControllerOptions<K>) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? RECONCILE_TIMEOUT_MS;
    this.#slice = TimeSlice.of(options.clock);
    options.metrics?.maxConcurrent(options.workers);
  }

  /**
   * Subscribes the sources and works until the signal is aborted; takes nothing new then, lets the reconciles under way finish, aborts them when they take too
   * long, and resolves. Never rejects.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { workers, clock, logger, name, drainMs = 1_500 } = this.#options;
    using subscriptions = signal.aborted ? undefined : this.#subscribe();
    const work = new AbortController();
    const abortRuns = (): void => this.#runs.forEach((run) => run.abort(work.signal.reason));
    work.signal.addEventListener("abort", abortRuns, { once: true });
    const running = Promise.all(Array.from({ length: workers }, () => this.#work(signal, work.signal)));
    const leftBehind = Promise.withResolvers<"left behind">();
    const timers = new DisposableStack();
    const drain = (): void => {
      subscriptions?.dispose();
      timers.use(
        clock.after(drainMs, () => {
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
        add: (key, afterMs) => queue.addAfter(key, afterMs),
        slice: this.#slice,
        failed: (error) => logger.error({ controller: name, err: error }, "keys of an event could not be read"),
      }),
    );
    for (const source of reconciler.sources?.() ?? [])
      subscriptions.use(source.subscribe((keys, afterMs) => feed.take(keys, afterMs)));
    return subscriptions;
  }

  async #work(signal: AbortSignal, workSignal: AbortSignal): Promise<void> {
    const { queue } = this.#options;
    for (;;) {
      while (this.#slice.spent) await this.#slice.next();
      const key = await queue.get(signal);
      if (key === undefined) return;
      if (!this.#isPutOff(key)) await this.#reconcileOne(key, workSignal);
    }
  }

  /** Not yet due: the key waits again. */
  #isPutOff(key: K): boolean {
    const { reconciler, queue, metrics, logger, name } = this.#options;
    let after = 0;
    try {
      after = reconciler.dueIn?.(key) ?? 0;
    } catch (error) {
      // The run itself will say more.
      logger.debug({ controller: name, key, err: error }, "nobody can say when the key is due");
    }
    if (after <= 0) return false;
    metrics?.started();
    // Nothing was tried: what failed before goes on to fail with growing delays.
    queue.addAfter(key, after);
    queue.done(key);
    metrics?.finished("requeue_after", 0);
    return true;
  }

  async #reconcileOne(key: K, processSignal: AbortSignal): Promise<void> {
    const { reconciler, queue, clock, logger, metrics, name } = this.#options;
    const startedAt = clock.monotonic();
    const following = reconciler.follows?.(key);
    const span = this.#startSpan(key, following);
    const context = new RunContext(span, following?.change, logger, clock);
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
        queue.addAfter(key, after);
      }
    } catch (error) {
      const isLate = run.signal.aborted && !processSignal.aborted;
      // What it was doing may have ended with the very reason that it was given.
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

/** Ids and child loggers cost something, and most reconciles never ask for them. */
class RunContext implements ReconcileContext {
  readonly span: Span | undefined;
  /** Undefined where the change began in the trace of the span. */
  readonly #change: Following["change"];
  readonly #parent: Logger;
  readonly #clock: Clock;
  #reconcileId: string | undefined;
  #logger: Logger | undefined;

  constructor(span: Span | undefined, change: Following["change"], parent: Logger, clock: Clock) {
    this.span = span;
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
    const spanContext = this.span?.spanContext();
    const { reconcileId } = this;
    return spanContext && { spanContext, reconcileId, at: this.#clock.monotonic(), change: this.#change };
  }
}
