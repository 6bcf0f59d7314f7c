import { z } from "zod";
import { clusterSelector, listMap, POSITIVE_PERCENT } from "../schema/index.ts";
import { duration, entryName, percent, share } from "./policyScalars.ts";

const rolloutStage = z.object({
  name: entryName,
  targetClusters: clusterSelector.optional().describe("Absent: all clusters that no earlier stage took."),
  soak: duration.optional().describe("How long the stage must stay healthy before the next stage begins."),
  approval: z.enum(["Automatic", "Manual"]).optional(),
  maxConcurrency: z
    .union([z.int().min(1).max(1000), z.string().max(4).regex(POSITIVE_PERCENT)], {
      error: "must be a number of clusters from 1 to 1000, or a percentage from 1% to 100%",
    })
    .optional()
    .describe("Clusters that change at once, as a number or a share of the stage. Absent: all of the stage."),
  deadline: duration
    .optional()
    .describe("How long the stage may take in all; then it counts as failed. Absent: for ever."),
  maxFailures: z
    .int()
    .min(0)
    .max(1000)
    .optional()
    .describe("Clusters of the stage that may fail before the rollout does. Default: 0."),
});

const gate = z.object({
  available: percent.optional().describe("Share of a cluster's replicas that has to be available. Default: 100%."),
  timeout: duration
    .optional()
    .describe("How long a cluster may take to pass before it counts as failed. Default: 10m."),
  prometheus: z
    .object({
      query: z
        .string()
        .min(1)
        .max(4096)
        .describe(
          "In PromQL, an instant vector or a scalar. Passes where every sample is above 0, fails where one is not; no sample, one that is not a number, and an error say nothing: the rollout waits, and asks every 30s.",
        ),
    })
    .optional()
    .describe(
      "Asked of the Prometheus of the manager's --prometheus-url when a stage has soaked, before it counts as done.",
    ),
});

export const rollout = z.object({
  stages: listMap(z.array(rolloutStage).max(32), "name").optional(),
  gate: gate.optional(),
  maxObjects: share
    .optional()
    .describe(
      "Of the objects that the policy places, how many may be rolled out at once, as a number or a share; at least one. The others wait, in the order in which they came. A run that is paused before it begins takes no place. One that stops later keeps its place, and so does one that was taken back where the policy was at fault and not the object; against objects of other namespaces no longer than `yieldAfter`. Absent: all.",
    ),
  yieldAfter: duration
    .optional()
    .describe(
      "With `maxObjects`: for how long a run that has stopped (paused, failed, waiting for an approval or a gate, taken back) keeps its place from objects of other namespaces. All its stops count together. A run that has yielded keeps its state, and waits for a place before it goes on. Default: the deadline of the stage where it has stopped, else 1h.",
    ),
  onFailure: z.enum(["Pause", "Rollback"]).optional(),
  revisionHistoryLimit: z.int().min(0).max(100).optional(),
});
