import type { KubeObject, Reason } from "../../apis/index.ts";
import type { Health } from "../types.ts";
import { available, because, conditionOf, noReport } from "./report.ts";

/**
 * A CRD is healthy once its names are accepted and its kind is served. A state that passes gets a reason of Meridian,
 * since a foreign one counts as trouble.
 */
export function definitionHealth(object: KubeObject): Health {
  const accepted = conditionOf(object, "NamesAccepted");
  if (accepted?.status === "False") return because("Failed", accepted);
  const terminating = conditionOf(object, "Terminating");
  if (terminating?.status === "True") return because("Progressing", terminating);
  const established = conditionOf(object, "Established");
  if (established === undefined || accepted === undefined) return noReport();
  for (const condition of [accepted, established])
    if (condition.status !== "True")
      return { ...because("Progressing", condition), reason: "RollingOut" satisfies Reason };
  const unsound = conditionOf(object, "NonStructuralSchema");
  return unsound?.status === "True" ? because("Degraded", unsound) : available;
}
