import { type PlacementSpec } from "../kinds/index.ts";

/**
 * Placement fields that the API accepts and this version does not carry out. A field leaves the list in the change that
 * carries it out.
 */
export function notCarriedOut({ replicaScheduling }: Partial<PlacementSpec>): string[] {
  const { strategy, rescheduling } = replicaScheduling ?? {};
  return [
    // With weights the number of replicas on a cluster is fixed, whether or not their pods find a node.
    ...(rescheduling === undefined || strategy === "Available" || strategy === "Aggregated"
      ? []
      : ["spec.replicaScheduling.rescheduling without strategy Available or Aggregated"]),
  ];
}
