import type { FailureStatus } from "../types.ts";

/** The current faults; an absent member means no fault. */
export interface FaultSettings {
  /**
   * `silent`: connections stay open, and nothing is answered or sent, as behind a broken route. `reset`: each request
   * finds its connection cut. `refuse`: like `reset`, and new connections are refused.
   */
  partition?: "silent" | "reset" | "refuse";
  /** Milliseconds before each answer; two numbers mean a uniform random value between them. */
  latencyMs?: number | readonly [number, number];
  /** Share of requests, 0 to 1, that fail with `errorCode` (default: 500). */
  errorRate?: number;
  errorCode?: 500 | 502 | 503 | 504;
  /** Share of requests, 0 to 1, that get 429 with Retry-After of `retryAfterSeconds` (default: 1). */
  throttleRate?: number;
  retryAfterSeconds?: number;
  /** Limits latency, errors and 429 to matching requests; undefined: all requests. */
  only?: (request: FaultRequest) => boolean;
  /** Milliseconds after which a watch is cut. */
  watchLifetimeMs?: number;
  /** Additional milliseconds until each pod is ready. */
  podDelayMs?: number;
  /** Pods never become ready. */
  podsStuck?: boolean;
  /** Offset of the cluster's clock in milliseconds; may be negative. */
  clockSkewMs?: number;
}

/** The properties of a request that faults depend on. */
export interface FaultRequest {
  /**
   * Verb as in metrics and RBAC: get, list, watch, create, update, patch, apply, delete, deletecollection; for other
   * paths the method in lower case.
   */
  verb: string;
  path: string;
  group?: string;
  resource?: string;
  namespace?: string;
  name?: string;
  /** Ends the wait when the client goes away. */
  signal?: AbortSignal;
}

export type FaultAction =
  | { kind: "Proceed"; watchLifetimeMs?: number }
  /** Answer with this status, and with a `Retry-After` header if its details say so. */
  | { kind: "Fail"; status: FailureStatus }
  /** Never answer; the client gives up. */
  | { kind: "Silence" }
  /** Destroy the connection. */
  | { kind: "Reset" };

/** Faults that happen once, immediately. */
export type FaultEvent =
  | { kind: "CutWatches" }
  | { kind: "Compact" }
  | { kind: "Crash" }
  | { kind: "Recover" }
  | { kind: "Changed"; settings: Readonly<FaultSettings>; before: Readonly<FaultSettings> };

/** The error of invalid settings; undefined for valid ones. */
export function misuse(settings: FaultSettings): string | undefined {
  for (const field of ["errorRate", "throttleRate"] as const) {
    const rate = settings[field] ?? 0;
    if (!(rate >= 0 && rate <= 1)) return `${field} is a share of the requests, from 0 to 1, not ${rate}`;
  }
  const latency = settings.latencyMs ?? 0;
  const [least, most] = typeof latency === "number" ? [latency, latency] : latency;
  if (!(least >= 0 && most >= least)) return `latencyMs is a number of milliseconds, or the least and the most of them`;
  for (const field of ["retryAfterSeconds", "watchLifetimeMs", "podDelayMs"] as const) {
    const value = settings[field] ?? 0;
    if (!(value >= 0 && Number.isFinite(value))) return `${field} is a time, not ${value}`;
  }
  if (!Number.isFinite(settings.clockSkewMs ?? 0)) return `clockSkewMs is a number of milliseconds`;
  return undefined;
}
