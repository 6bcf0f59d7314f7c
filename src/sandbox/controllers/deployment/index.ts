/**
 * The rollout of Deployments. Pure functions of the Deployment and its ReplicaSets compute the next step; the
 * controller executes it. Promises to respect maxSurge and maxUnavailable, and to write the conditions, annotations and
 * Events of kube-controller-manager. Never touches a pod.
 */
export { DeploymentController } from "./controller.ts";
