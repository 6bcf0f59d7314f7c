import { z } from "zod";
import { clusterSelector, FIELD_PATH, withRules } from "../schema/index.ts";
import { duration, share } from "./policyScalars.ts";

const clusterWeights = withRules(
  z.array(z.object({ targetClusters: clusterSelector, weight: z.int().min(0).max(1000) })).max(64),
  {
    rule: "self.exists(w, w.weight > 0)",
    message: "weights: at least one weight must be above 0",
    holds: (weights) => weights.some(({ weight }) => weight > 0),
  },
);

const rescheduling = z
  .object({
    after: duration
      .optional()
      .describe("How long pods may stay unschedulable before their replicas move. Default: 5m."),
    maxReplicas: share
      .optional()
      .describe(
        "Replicas that move at once, as a number or a share of the object's; the next ones after the same delay. Default: 25%.",
      ),
  })
  .describe(
    "For Available and Aggregated: replicas whose pods find no node on their cluster move to clusters that have room. Absent: they stay.",
  );

export const replicaScheduling = withRules(
  z.object({
    mode: z
      .enum(["Duplicated", "Divided"])
      .default("Duplicated")
      .describe("Duplicated: every cluster runs all replicas. Divided: they are shared out."),
    strategy: z
      .enum(["Weighted", "Available", "Aggregated"])
      .optional()
      .describe(
        "How to divide. Weighted, the default: by `weights`. Available: in proportion to the room that nodes have for the pods. Aggregated: on as few clusters as have room. By room nothing moves that runs.",
      ),
    weights: clusterWeights.optional().describe("For Weighted. Absent: every cluster weighs the same."),
    minReplicasPerCluster: z.int().min(0).max(1000).optional(),
    maxReplicasPerCluster: z.int().min(1).max(1000).optional(),
    replicaStep: z
      .int()
      .min(1)
      .max(1000)
      .optional()
      .describe("Each cluster gets a multiple of it, as far as the sum allows. Default: 1."),
    rescheduling: rescheduling.optional(),
    path: withRules(z.string().min(1).max(512).regex(FIELD_PATH, "must be a path such as spec.replicas"), {
      rule: "self.startsWith('spec.')",
      message: "path: name a field inside the spec, such as spec.replicas",
      holds: (path) => path.startsWith("spec."),
    })
      .optional()
      .describe(
        "The field for the replicas of objects whose kind has no scale subresource, or another than that names. Kinds that Meridian knows need none.",
      ),
  }),
  {
    rule: "self.mode == 'Divided' || !has(self.strategy)",
    message: "strategy: remove it, or set mode to Divided",
    field: "strategy",
    holds: ({ mode, strategy }) => mode === "Divided" || strategy === undefined,
  },
  {
    rule: "!has(self.weights) || (self.mode == 'Divided' && (!has(self.strategy) || self.strategy == 'Weighted'))",
    message:
      "weights: they count only where replicas are divided by weight; remove them, or set mode to Divided and strategy to Weighted",
    field: "weights",
    holds: ({ mode, strategy = "Weighted", weights }) =>
      weights === undefined || (mode === "Divided" && strategy === "Weighted"),
  },
  {
    rule: "self.mode == 'Divided' || !(has(self.minReplicasPerCluster) || has(self.maxReplicasPerCluster))",
    message: "mode: minReplicasPerCluster and maxReplicasPerCluster need mode Divided",
    field: "mode",
    holds: (s) => s.mode === "Divided" || (s.minReplicasPerCluster ?? s.maxReplicasPerCluster) === undefined,
  },
  {
    rule: "!has(self.minReplicasPerCluster) || !has(self.maxReplicasPerCluster) || self.minReplicasPerCluster <= self.maxReplicasPerCluster",
    message: "minReplicasPerCluster: must not be above maxReplicasPerCluster; lower it, or raise maxReplicasPerCluster",
    field: "minReplicasPerCluster",
    holds: (s) =>
      s.minReplicasPerCluster === undefined ||
      s.maxReplicasPerCluster === undefined ||
      s.minReplicasPerCluster <= s.maxReplicasPerCluster,
  },
);
