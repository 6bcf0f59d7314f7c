/**
 * The status controller: observations become the status of the hub object.
 *
 * Promises: one write for each change, none when nothing changed.
 */
export { BindingReconciler } from "./bindings.ts";
export { patienceLeft, recordDeletionEnd } from "./progressEvents.ts";
export { StatusReconciler, type StatusWrites } from "./status.ts";
