/** Pods and nodes of a member: why pods do not run, which pods belong to an object, and how much free room the nodes have. */
export { PodTroubles } from "./podTroubles.ts";
export { type OwnedPods, type PodOwner, readOwnedPods } from "./ownedPods.ts";
export { capacityNow, CapacityReader } from "./capacityReader.ts";
