/**
 * The placement controller: an object's life from its plan to its end.
 *
 * Promises: an object's finalizer goes only when its copies are seen gone.
 */
export { HandoverReconciler } from "./handover.ts";
export { PlacementReconciler } from "./placement.ts";
