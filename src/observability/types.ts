/** Durations are in milliseconds. */
export interface WorkqueueMetrics {
  /** For a key that did not wait yet. */
  added(): void;
  depth(waiting: number): void;
  started(waitedMs: number): void;
  finished(workedMs: number): void;
  /** For a key that was put back with backoff. */
  retried(): void;
  /** `running`, called at each scrape: for each key with a worker, the time since the worker took the key. */
  observeRunning(running: () => Iterable<number>): Disposable;
}

export type ReconcileResult = "success" | "error" | "requeue" | "requeue_after";

export interface ControllerMetrics {
  maxConcurrent(workers: number): void;
  started(): void;
  finished(result: ReconcileResult, ms: number): void;
}

/** `code` is the HTTP status, or `<error>` when none came. */
export interface RequestObservation {
  cluster: string;
  method: string;
  code: number | string;
  /** Kubernetes verb: get, list, watch, create, apply, patch, delete… */
  verb: string;
  resource: string;
  ms: number;
}

/** Label of operator_reconcile_duration_seconds. */
export type ReconcilePhase = "fetch" | "apply" | "verify";

/** Member objects that are as wanted, and that are not. */
export interface SyncCount {
  kind: string;
  upToDate: number;
  outOfSync: number;
}

/** Reason why an object has left a cluster by failover. `Returned`: the object has come back. */
export type FailoverReason = "ClusterLost" | "ObjectUnhealthy" | "Returned";

/** How a member keeps up with its writes. */
export interface MemberLoad {
  /** Writes are stopped, or tried one at a time. */
  isBreakerOpen: boolean;
  /** Kinds whose writes are not answered. */
  silentKinds: number;
  /** Objects that wait for a write. */
  queued: number;
  /** Time that the first of them has waited; 0 if none waits. */
  oldestMs: number;
}

/** Objects that wait for one reason. */
export interface WaitTally {
  objects: number;
  /** Start of the first wait, in epoch milliseconds. */
  since: number;
}

/** Service level objectives, in milliseconds. */
export interface Objectives {
  /** A change of an object without stages is on every member. */
  propagatedMs: number;
  /** Age of what is known of a member. */
  freshMs: number;
}
