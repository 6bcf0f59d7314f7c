/** Explains why an object runs where it runs, by the planner's own verdicts and nothing else. */
export { type ClusterDifference, copyDifferences, type ObservedCopy } from "./differences.ts";
export { explain, type ExplainedCluster, type Explanation } from "./explain.ts";
export { type NearMiss, nearMisses } from "./nearMisses.ts";
export { type StageAssignment, stageAssignment, stageProblems } from "./rolloutStages.ts";
