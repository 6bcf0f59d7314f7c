/**
 * How fast a member is written to: concurrency, backoff, circuit breakers.
 *
 * Promises: a member that says no is asked less; one kind's failure does not stop the others.
 */
export { Backoffs, type Pace } from "./backoff.ts";
export { Breaker } from "./breaker.ts";
export { AdaptiveConcurrency } from "./concurrency.ts";
export { ConcurrencyBudget } from "./concurrencyBudget.ts";
export { DriftBackoff } from "./driftBackoff.ts";
export { KindBreakers } from "./kindBreakers.ts";
