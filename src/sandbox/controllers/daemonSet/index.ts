/**
 * DaemonSets: one pod on every eligible node. Promises that a rolling update respects maxUnavailable and maxSurge.
 * Never schedules: each pod names its node, and the scheduler binds it.
 */
export { DaemonSetController } from "./controller.ts";
