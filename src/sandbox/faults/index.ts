/**
 * Faults on demand: what goes wrong with a cluster when somebody wants to see it. It promises the same faults for the same seed and the
 * same requests, and none at all unless one is set. It never touches a socket or an object: it says what shall happen, the server does it.
 */
export * from "./clock.ts";
export * from "./faults.ts";
export * from "./random.ts";
export type { FaultEvent, FaultRequest, FaultSettings } from "./settings.ts";
