/**
 * Faults on demand for a cluster. Promises the same faults for the same seed and requests, and no fault unless one is
 * set. Never touches a socket or an object: this folder decides, the server acts.
 */
export * from "./clock.ts";
export * from "./faults.ts";
export * from "./random.ts";
export type { FaultEvent, FaultRequest, FaultSettings } from "./settings.ts";
