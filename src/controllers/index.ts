/**
 * The controllers of the leader: placement, handover, status, clusters, statuses of policies, and garbage. Also the two
 * tables between planning and the workers of the members.
 *
 * Promises: one object has one status; an in-sync hub costs no writes. A removal needs a row with a reason, and no
 * removal row is made before all facts for the decision are known. Never decides anything by itself: the pure modules
 * compute decisions, and the workers carry them out.
 */
export { createFederation } from "./federation.ts";
export { type AskGate } from "./facts/index.ts";
