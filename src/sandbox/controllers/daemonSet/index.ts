/**
 * DaemonSets: one pod on every node that wants it. It promises that a rolling update keeps within maxUnavailable and maxSurge. It
 * never schedules: the pods ask for their node, and the scheduler binds them.
 */
export { DaemonSetController } from "./controller.ts";
