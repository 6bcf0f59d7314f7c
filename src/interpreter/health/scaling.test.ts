import { available, cases, condition, degraded, pending, progressing, unknown } from "../testing/workloadHealth.ts";

const counted = (status: string, reason: string): object => ({
  observedGeneration: 2,
  conditions: [condition("DisruptionAllowed", status, reason, "no scale")],
});
cases("policy/v1 PodDisruptionBudget", [
  { name: "nobody has seen it", want: pending },
  { name: "an older generation is observed", status: { observedGeneration: 1 }, want: pending },
  { name: "fewer pods than it protects", status: counted("False", "InsufficientPods"), want: available },
  {
    name: "its pods cannot be counted",
    status: counted("False", "SyncFailed"),
    want: degraded("SyncFailed", "no scale"),
  },
]);

const able = condition("AbleToScale", "True", "ReadyForNewScale");
const active = (status: string, reason?: string): object => condition("ScalingActive", status, reason, "why");
cases("autoscaling/v2 HorizontalPodAutoscaler", [
  { name: "nobody has seen it", status: {}, want: progressing("NoReport") },
  {
    name: "scales, at its limit",
    status: { observedGeneration: 2, conditions: [able, active("True"), condition("ScalingLimited", "True")] },
    want: available,
  },
  {
    name: "there is nothing to scale",
    status: { conditions: [able, active("False", "ScalingDisabled")] },
    want: available,
  },
  {
    name: "has no metrics",
    status: { conditions: [able, active("False", "FailedGetResourceMetric")] },
    want: degraded("FailedGetResourceMetric", "why"),
  },
  {
    name: "finds no workload",
    status: { conditions: [condition("AbleToScale", "False", "FailedGetScale", "not found")] },
    want: degraded("FailedGetScale", "not found"),
  },
  {
    name: "does not know yet if it finds its workload",
    status: { conditions: [condition("AbleToScale", "Unknown", "", "asking"), active("True")] },
    want: progressing("NotAbleToScale", "asking"),
  },
]);

cases("autoscaling/v1 HorizontalPodAutoscaler", [
  {
    name: "shows no conditions",
    status: { currentReplicas: 2, desiredReplicas: 2 },
    want: unknown(
      "NoReport",
      "autoscaling/v1 does not show whether it can scale; name autoscaling/v2 in the placement",
    ),
  },
  { name: "an older generation is observed", status: { observedGeneration: 1 }, want: pending },
]);
