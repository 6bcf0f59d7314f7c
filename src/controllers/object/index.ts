/** The placement controller. Promises: an object's finalizer goes only when its copies are seen gone. */
export { Decisions } from "./decisions.ts";
export { HandoverReconciler } from "./handover.ts";
export { PlacementReconciler } from "./placement.ts";
