import type { ExplainedCluster, Explanation } from "../../desiredstate/index.ts";

/**
 * The explanation for a reader who may not list memberclusters. Clusters where the object is not, and the properties of
 * clusters, are left out; so are policies that do not select the object.
 */
export function narrowed(explanation: Explanation, places: ReadonlySet<string>): Explanation {
  // The row has the waits, too.
  const { nearly: _, waits: __, ...rest } = explanation;
  return {
    ...rest,
    notes: [],
    clusters: explanation.clusters.filter(({ name }) => places.has(name)).map(withoutSteps),
  };
}

function withoutSteps({ scores: _, ...cluster }: ExplainedCluster): ExplainedCluster {
  return { ...cluster, steps: [], remedies: [] };
}
