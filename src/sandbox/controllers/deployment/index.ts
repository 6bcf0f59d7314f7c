/**
 * The rollout of Deployments. What to do next is computed by pure functions of the Deployment and its ReplicaSets; the controller
 * carries it out. It promises never to go beyond maxSurge, nor below what maxUnavailable leaves, and the conditions, annotations
 * and Events of kube-controller-manager. It never touches a pod.
 */
export { DeploymentController } from "./controller.ts";
