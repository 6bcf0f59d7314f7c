import { type KubeObject, parseApiVersion } from "../../apis/index.ts";
import type { Health } from "../types.ts";
import { numberOf } from "../values.ts";
import { available, because, conditionOf, health, isBehind, noReport, pending, statusOf } from "./report.ts";

/** Health of autoscalers and disruption budgets. */

/** While the workload has 0 replicas: somebody wants this. */
const SWITCHED_OFF = "ScalingDisabled";

export function autoscalerHealth(object: KubeObject): Health {
  if (numberOf(statusOf(object)["observedGeneration"]) !== undefined && isBehind(object)) return pending();
  const [able, active] = ["AbleToScale", "ScalingActive"].map((type) => conditionOf(object, type));
  if (able === undefined && active === undefined) {
    return parseApiVersion(object.apiVersion).version === "v1"
      ? health(
          "Unknown",
          "NoReport",
          "autoscaling/v1 does not show whether it can scale; name autoscaling/v2 in the placement",
        )
      : noReport();
  }
  if (able?.status === "False") return because("Degraded", able);
  if (active?.status === "False" && active.reason !== SWITCHED_OFF) return because("Degraded", active);
  const unsure = [able, active].find((condition) => condition?.status === "Unknown");
  return unsure === undefined ? available : because("Progressing", unsure);
}

/** Healthy once its controller has counted the pods: missing pods are the workload's trouble. */
export function disruptionBudgetHealth(object: KubeObject): Health {
  const allowed = conditionOf(object, "DisruptionAllowed");
  if (allowed?.status === "False" && allowed.reason === "SyncFailed") return because("Degraded", allowed);
  return isBehind(object) ? pending() : available;
}
