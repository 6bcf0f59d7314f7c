/** What the runtime tells of one workqueue; durations in milliseconds. */
export interface WorkqueueMetrics {
  /** A key was added that was not waiting already. */
  added(): void;
  /** How many keys wait now. */
  depth(waiting: number): void;
  /** A worker took a key that had waited so long. */
  started(waitedMs: number): void;
  /** The worker is done with it. */
  finished(workedMs: number): void;
  /** A key was put back with backoff. */
  retried(): void;
  /** Asked at each scrape: for how long each key that is being worked on has been so, in milliseconds. */
  observeRunning(running: () => Iterable<number>): Disposable;
}

export type ReconcileResult = "success" | "error" | "requeue" | "requeue_after";

/** What the runtime tells of one controller. */
export interface ControllerMetrics {
  maxConcurrent(workers: number): void;
  started(): void;
  finished(result: ReconcileResult, ms: number): void;
}

/** One finished request to an API server; `code` is the HTTP status, or `<error>` when none came. */
export interface RequestObservation {
  cluster: string;
  method: string;
  code: number | string;
  /** Of Kubernetes: get, list, watch, create, apply, patch, delete… */
  verb: string;
  resource: string;
  ms: number;
}

/** The steps of a reconcile that operator_reconcile_duration_seconds tells apart. */
export type ReconcilePhase = "fetch" | "apply" | "verify";
