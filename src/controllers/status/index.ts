/** The status controller. Promises: one write for each change, and no write if nothing changed. */
export { BindingReconciler } from "./bindings.ts";
export { patienceLeft, recordDeletionEnd } from "./progressEvents.ts";
export { StatusReconciler } from "./status.ts";
export { phaseOf } from "./statusWrites.ts";
