/**
 * Nodes, the scheduler and the kubelets. Promises that no node is overcommitted, that the status of a pod says why it
 * does not run, and that a settled pod costs neither memory nor a timer. Never starts a process: the image of a
 * container decides its fate (see fates.ts).
 */
export type { Fate } from "./fates.ts";
export { Kubelet } from "./kubelet.ts";
export { nodeObject, type NodeOptions, nodeStatus } from "./nodeObjects.ts";
export { isTolerated, matchesNode, type Node } from "./placement.ts";
export { Scheduler } from "./scheduler.ts";
