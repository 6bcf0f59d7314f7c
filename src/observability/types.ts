/** Metrics of one workqueue, which the runtime reports; durations in milliseconds. */
export interface WorkqueueMetrics {
  /** A key was added that did not wait yet. */
  added(): void;
  /** Number of waiting keys. */
  depth(waiting: number): void;
  /** A worker took a key that had waited `waitedMs`. */
  started(waitedMs: number): void;
  /** The worker is done with the key. */
  finished(workedMs: number): void;
  /** A key was put back with backoff. */
  retried(): void;
  /**
   * `running` is called at each scrape. It returns, for each key with a worker, the milliseconds since the worker took
   * the key.
   */
  observeRunning(running: () => Iterable<number>): Disposable;
}

export type ReconcileResult = "success" | "error" | "requeue" | "requeue_after";

/** Metrics of one controller, which the runtime reports. */
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
  /** Kubernetes verb: get, list, watch, create, apply, patch, delete… */
  verb: string;
  resource: string;
  ms: number;
}

/** The steps of a reconcile: label of operator_reconcile_duration_seconds. */
export type ReconcilePhase = "fetch" | "apply" | "verify";

/** Numbers of member objects of a kind that are as wanted, and that are not. */
export interface SyncCount {
  kind: string;
  upToDate: number;
  outOfSync: number;
}

/** Reason why an object has left a cluster by failover. `Returned`: the object has come back. */
export type FailoverReason = "ClusterLost" | "ObjectUnhealthy" | "Returned";
