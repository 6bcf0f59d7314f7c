/** Pace of the writes to a member: one that refuses requests gets fewer; the failure of one kind stops no other kind. */
export { Backoffs, type Pace, type Retry } from "./backoff.ts";
export { Breaker } from "./breaker.ts";
export { ConcurrencyBudget } from "./concurrencyBudget.ts";
export { DriftBackoff } from "./driftBackoff.ts";
export { KindBreakers } from "./kindBreakers.ts";
