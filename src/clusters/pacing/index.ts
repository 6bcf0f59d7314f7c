/**
 * Pace of the writes to a member: concurrency, backoff, circuit breakers.
 *
 * Promises: a member that refuses requests gets fewer of them; the failure of one kind does not stop the other kinds.
 */
export { Backoffs, type Pace } from "./backoff.ts";
export { Breaker } from "./breaker.ts";
export { AdaptiveConcurrency } from "./concurrency.ts";
export { ConcurrencyBudget } from "./concurrencyBudget.ts";
export { DriftBackoff } from "./driftBackoff.ts";
export { KindBreakers } from "./kindBreakers.ts";
