/**
 * Events on the hub.
 *
 * Promises: an Event that could not be written is counted and logged. Nothing waits for Events.
 */
export { type EventDrop } from "./droppedEvents.ts";
export { type EventRecord, EventRecorder } from "./eventRecorder.ts";
export { type Recoveries, RecoveryRecorder } from "./recoveryRecorder.ts";
