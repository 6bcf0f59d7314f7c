/**
 * The controllers: planners for hub objects, the keeper of their status, the policies' status, clusters, dependencies and
 * the gate before every delete, wired into one pipeline.
 *
 * Promises: one object, one status; an in-sync hub costs no writes; nothing is deleted before everything that was there has been
 * planned. Never decides anything itself: decisions are computed by the pure modules and carried out by the lanes.
 */
export { createFederation } from "./federation.ts";
