import type { FieldProblem, KubeObject, PlacementSpec } from "../../apis/index.ts";
import { conditionProblem } from "../../interpreter/index.ts";

/** Expressions of a placement's `health` that nobody could evaluate, each with the place of the mistake. */
export function judgeHealth(policy: KubeObject): FieldProblem[] {
  const { health = [] } = policy["spec"] as Partial<PlacementSpec>;
  return health.flatMap((rule, index) =>
    (["available", "failed"] as const).flatMap((name) => {
      const expression = rule[name];
      const message = expression === undefined ? undefined : conditionProblem(expression);
      return message === undefined ? [] : [{ field: `spec.health[${index}].${name}`, message }];
    }),
  );
}
