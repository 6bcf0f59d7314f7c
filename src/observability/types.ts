/** What the runtime reports about one workqueue; durations in milliseconds. */
export interface WorkqueueMetrics {
  /** A key was added that was not waiting already. */
  added(): void;
  /** How many keys wait now. */
  depth(waiting: number): void;
  /** A worker took a key that had waited `waitedMs`. */
  started(waitedMs: number): void;
  /** The worker is done with the key. */
  finished(workedMs: number): void;
  /** A key was put back with backoff. */
  retried(): void;
  /** `running` is called at each scrape: for each key that a worker has, the milliseconds since the worker took the key. */
  observeRunning(running: () => Iterable<number>): Disposable;
}

export type ReconcileResult = "success" | "error" | "requeue" | "requeue_after";

/** What the runtime reports about one controller. */
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

/** The steps of a reconcile: label of operator_reconcile_duration_seconds. */
export type ReconcilePhase = "fetch" | "apply" | "verify";

/** How many member objects of a kind are as they are to be. */
export interface SyncCount {
  kind: string;
  upToDate: number;
  outOfSync: number;
}

/** Why an object has left a cluster by failover, or that it has come back. */
export type FailoverReason = "ClusterLost" | "ObjectUnhealthy" | "Returned";
