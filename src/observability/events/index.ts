/**
 * Events on the hub. A recovery is the end of a trouble of an object or of a cluster.
 *
 * Promises: an Event that could not be written is counted and logged. Nothing waits for Events.
 */
export * from "./droppedEvents.ts";
export * from "./eventRecorder.ts";
export * from "./recoveryRecorder.ts";
