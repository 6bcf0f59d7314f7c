import type { Fault, FaultAnswer } from "../../envtest/index.ts";

/** What a hub is like, and how much it gets to do. */
export interface Situation {
  name: string;
  objects: number;
  /** From the manager to the hub. Absent: no way. */
  oneWayMs?: number;
  throttles?: true;
}

/** Fewer objects where one worker needs long. */
export const SITUATIONS: readonly Situation[] = [
  { name: "fast hub", objects: 200 },
  { name: "hub 50 ms away", objects: 150, oneWayMs: 25 },
  { name: "hub that throttles", objects: 150, oneWayMs: 10, throttles: true },
  { name: "burst of 1,000", objects: 1_000 },
];

/** A request holds a seat for this time, about what it takes on the way to and from the throttling hub. */
const SEAT_MS = 20;
const SEATS = 8;
const RETRY_AFTER_S = 1;

/**
 * A priority level of API Priority and Fairness that rejects (`limitResponse: Reject`): so many seats, and 429 with Retry-After for a request
 * that finds none. Leases have a level of their own there; a watch gives its seat back once it has begun, so neither counts.
 */
export class PriorityLevel {
  rejected = 0;
  #heldSince: number[] = [];

  readonly fault: Fault = ({ path, query }): FaultAnswer | undefined => {
    if (/\/leases\b/.test(path) || query.get("watch") === "true" || query.get("watch") === "1") return undefined;
    const now = performance.now();
    this.#heldSince = this.#heldSince.filter((since) => now - since < SEAT_MS);
    if (this.#heldSince.length < SEATS) {
      this.#heldSince.push(now);
      return undefined;
    }
    this.rejected++;
    return { status: 429, headers: { "retry-after": String(RETRY_AFTER_S) }, body: TOO_MANY };
  };
}

const TOO_MANY = {
  kind: "Status",
  apiVersion: "v1",
  status: "Failure",
  reason: "TooManyRequests",
  code: 429,
  message: "Too many requests, please try again later.",
};
