/**
 * Events on the hub. A recovery is the end of a trouble of an object or of a cluster.
 *
 * Promises: an Event that could not be written is counted and logged. Nothing waits for Events.
 */
export { type EventDrop } from "./droppedEvents.ts";
export { type EventRecord, EventRecorder } from "./eventRecorder.ts";
export { type Recoveries, RecoveryRecorder } from "./recoveryRecorder.ts";
