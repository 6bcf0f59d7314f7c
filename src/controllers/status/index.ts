/**
 * The status controller: computes the status of each hub object from the observations.
 *
 * Promises: one write for each change, and no write if nothing changed.
 */
export { BindingReconciler } from "./bindings.ts";
export { patienceLeft, recordDeletionEnd } from "./progressEvents.ts";
export { StatusReconciler, type StatusWrites } from "./status.ts";
