import type { FieldProblem, KubeObject, PlacementSpec } from "../../apis/index.ts";
import { healthProblems } from "../../interpreter/index.ts";

/** What nobody could evaluate of a placement's `health`. */
export function judgeHealth(policy: KubeObject): FieldProblem[] {
  const { health = [] } = policy["spec"] as Partial<PlacementSpec>;
  return healthProblems(health);
}
