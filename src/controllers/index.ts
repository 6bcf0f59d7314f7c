/**
 * The controllers of a process that leads: placement, handover, status, clusters, policies' statuses and garbage, and the two tables between
 * planning and the workers of the members.
 *
 * Promises: one object, one status; an in-sync hub costs no writes; nothing is removed but by a row that says why, and no such row is made
 * before everything that it rests on is known. Never decides anything by itself: decisions are computed by the pure modules and carried out by
 * the workers.
 */
export { createFederation } from "./federation.ts";
export { type AskGate } from "./facts/index.ts";
