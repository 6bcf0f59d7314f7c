/** Pods and nodes of a member: why pods do not run, and how much free room the nodes have. */
export { PodTroubles } from "./podTroubles.ts";
export { capacityNow, CapacityReader } from "./capacityReader.ts";
