/**
 * Nodes, the scheduler and the kubelets: where pods run and what becomes of them. It promises that a node never takes more than it
 * has, that a pod says why it does not run, and that a pod which has arrived costs neither memory nor a timer. It never starts a
 * process: whether a container runs is decided by its image (see fates.ts).
 */
export type { Fate } from "./fates.ts";
export { Kubelet } from "./kubelet.ts";
export { nodeObject, type NodeOptions, nodeStatus } from "./nodeObjects.ts";
export { isTolerated, matchesNode, type Node } from "./placement.ts";
export { Scheduler } from "./scheduler.ts";
