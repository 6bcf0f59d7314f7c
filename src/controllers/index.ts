/**
 * The controllers of the leader, and the two tables between planning and the workers of the members.
 *
 * Promises: one object has one status; an in-sync hub costs no writes; no removal row is made before all facts for the
 * decision are known. Decisions are computed by the pure modules, and carried out by the workers.
 */
export { createFederation, type PoolParts, type Ports } from "./federation.ts";
export { type AskGate } from "./facts/index.ts";
export { PolicyTally, withoutEffect } from "./policies/index.ts";
export type { PlannerView } from "./planner.ts";
export { phaseOf } from "./status/index.ts";
export { refOfKey } from "./tables/index.ts";
