import { available, cases, condition, degraded, pending, progressing, unknown } from "../testing/workloadHealth.ts";

const counted = (status: string, reason: string): object => ({
  observedGeneration: 2,
  conditions: [condition("DisruptionAllowed", status, reason, "no scale")],
});
cases("policy/v1 PodDisruptionBudget", [
  ["nobody has seen it", {}, pending],
  ["an older generation is observed", { status: { observedGeneration: 1 } }, pending],
  ["fewer pods than it protects", { status: counted("False", "InsufficientPods") }, available],
  ["its pods cannot be counted", { status: counted("False", "SyncFailed") }, degraded("SyncFailed", "no scale")],
]);

const able = condition("AbleToScale", "True", "ReadyForNewScale");
const active = (status: string, reason?: string): object => condition("ScalingActive", status, reason, "why");
cases("autoscaling/v2 HorizontalPodAutoscaler", [
  ["nobody has seen it", { status: {} }, progressing("NoReport")],
  [
    "scales, at its limit",
    { status: { observedGeneration: 2, conditions: [able, active("True"), condition("ScalingLimited", "True")] } },
    available,
  ],
  ["there is nothing to scale", { status: { conditions: [able, active("False", "ScalingDisabled")] } }, available],
  [
    "has no metrics",
    { status: { conditions: [able, active("False", "FailedGetResourceMetric")] } },
    degraded("FailedGetResourceMetric", "why"),
  ],
  [
    "finds no workload",
    { status: { conditions: [condition("AbleToScale", "False", "FailedGetScale", "not found")] } },
    degraded("FailedGetScale", "not found"),
  ],
  [
    "does not know yet if it finds its workload",
    { status: { conditions: [condition("AbleToScale", "Unknown", "", "asking"), active("True")] } },
    progressing("NotAbleToScale", "asking"),
  ],
]);

cases("autoscaling/v1 HorizontalPodAutoscaler", [
  [
    "shows no conditions",
    { status: { currentReplicas: 2, desiredReplicas: 2 } },
    unknown("NoReport", "autoscaling/v1 does not show whether it can scale; name autoscaling/v2 in the placement"),
  ],
  ["an older generation is observed", { status: { observedGeneration: 1 } }, pending],
]);
