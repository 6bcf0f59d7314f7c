/**
 * Operations events: one record for each decision of Meridian, for people who run the fleet and for their systems. An
 * Event of Kubernetes and a transition of the query API are composed to the same record.
 *
 * Promises: recording never fails, never waits and holds a bounded amount of memory. Equal decisions are one event with
 * a count. No contents of objects and no credentials are in an event.
 */
export * from "./decision.ts";
export * from "./operationsEvent.ts";
export * from "./operationsLog.ts";
export * from "./operationsRecorder.ts";
export * from "./tags.ts";
