/**
 * The health of one object: rules by kind, by conditions, or by CEL from a policy.
 *
 * Promises: an object that has not reported is never healthy; every verdict has a reason.
 */
export { ingressAddresses, serviceAddresses } from "./addresses.ts";
export { compileCondition } from "./cel.ts";
export { shownConditions } from "./conditions.ts";
export { declaredHealth, healthProblems } from "./declared.ts";
export { definitionHealth } from "./definitions.ts";
export { genericHealth, hasNoStatus, polarityOf } from "./generic.ts";
export { cronJobHealth, jobHealth } from "./jobs.ts";
export { podHealth } from "./pod.ts";
export { isSameTrouble, mayBeForPods, podSelectorOf, type PodTrouble, podTrouble } from "./pods.ts";
export {
  available,
  conditionOf,
  conditionsIn,
  conditionsOf,
  health,
  isBehind,
  type ReportedCondition,
  statusOf,
} from "./report.ts";
export { autoscalerHealth, disruptionBudgetHealth } from "./scaling.ts";
export { ingressHealth, namespaceHealth, serviceHealth } from "./services.ts";
export { claimHealth, volumeHealth } from "./storage.ts";
export { askedReplicas, daemonSetHealth, deploymentHealth, replicaSetHealth, statefulSetHealth } from "./workloads.ts";
