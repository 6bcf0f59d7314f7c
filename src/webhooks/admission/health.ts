import type { FieldProblem, KubeObject, PlacementSpec } from "../../apis/index.ts";
import { healthProblems } from "../../interpreter/index.ts";

/** Expressions of a placement's `health` that cannot be evaluated. */
export function judgeHealth(policy: KubeObject): FieldProblem[] {
  const { health = [] } = policy["spec"] as Partial<PlacementSpec>;
  return healthProblems(health);
}
