import type { FailureStatus } from "../types.ts";

/** What is wrong at the moment; absent means fine. */
export interface FaultSettings {
  /**
   * `silent`: connections stay open and nothing is answered or sent, as behind a broken route. `reset`: whoever asks finds the
   * connection cut. `refuse`: as reset, and no new connection is accepted.
   */
  partition?: "silent" | "reset" | "refuse";
  /** Added before each answer, milliseconds; evenly spread between both when two are given. */
  latencyMs?: number | readonly [number, number];
  /** Share of requests, 0 to 1, that fail with `errorCode` (500 by default). */
  errorRate?: number;
  errorCode?: 500 | 502 | 503 | 504;
  /** Share of requests, 0 to 1, that get 429 with Retry-After of `retryAfterSeconds` (1 by default). */
  throttleRate?: number;
  retryAfterSeconds?: number;
  /** Only requests that match suffer latency, errors and 429; all of them when undefined. */
  only?: (request: FaultRequest) => boolean;
  /** A watch is cut after that many milliseconds. */
  watchLifetimeMs?: number;
  /** Added to the time that each pod needs to become ready, milliseconds. */
  podDelayMs?: number;
  /** Pods never become ready. */
  podsStuck?: boolean;
  /** Added to the clock of the cluster, milliseconds; may be negative. */
  clockSkewMs?: number;
}

/** A request as far as faults are choosy. */
export interface FaultRequest {
  /** As in metrics and RBAC: get, list, watch, create, update, patch, apply, delete, deletecollection; the method in lower case for other paths. */
  verb: string;
  path: string;
  group?: string;
  resource?: string;
  namespace?: string;
  name?: string;
  /** Ends the waiting when the caller goes away. */
  signal?: AbortSignal;
}

export type FaultAction =
  | { kind: "Proceed"; watchLifetimeMs?: number }
  /** Answer with that; a `Retry-After` header when its details say so. */
  | { kind: "Fail"; status: FailureStatus }
  /** Never answer; the caller gives up. */
  | { kind: "Silence" }
  /** Destroy the connection. */
  | { kind: "Reset" };

/** What happens once, at once. */
export type FaultEvent =
  | { kind: "CutWatches" }
  | { kind: "Compact" }
  | { kind: "Crash" }
  | { kind: "Recover" }
  | { kind: "Changed"; settings: Readonly<FaultSettings>; before: Readonly<FaultSettings> };

/** Why settings make no sense; undefined when they do. */
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
