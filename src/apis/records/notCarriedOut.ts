import { type PlacementSpec } from "../kinds/index.ts";

/**
 * The fields of a placement that the API takes and that this version does not carry out, by their names: for the status of the policy, and for
 * a word to whoever writes one. A field leaves this list together with the code that carries it out.
 */
export function notCarriedOut({ replicaScheduling }: Partial<PlacementSpec>): string[] {
  const { strategy, rescheduling } = replicaScheduling ?? {};
  return [
    // Weights say how many replicas a cluster has, whether or not they find a node there.
    ...(rescheduling === undefined || strategy === "Available" || strategy === "Aggregated"
      ? []
      : ["spec.replicaScheduling.rescheduling without strategy Available or Aggregated"]),
  ];
}
