import { z } from "zod";
import { reasonDescription } from "./reasons.ts";
import { listMap } from "./rules.ts";

/**
 * Parts of the statuses that Meridian writes. Bounds are wide here and there are no rules: when the server refuses a status, the
 * object keeps the old one, which is no longer true.
 */

export const timestamp = z.iso.datetime({ offset: true }).meta({ format: "date-time" });
export const count = z.int().min(0).max(2_147_483_647);
export const observedGeneration = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

export const condition = z.object({
  type: z.string().min(1).max(316),
  status: z.enum(["True", "False", "Unknown"]),
  reason: z
    .string()
    .min(1)
    .max(1024)
    .describe(reasonDescription("ClusterUnreachable", "NoClusterFits", "Deleting")),
  message: z.string().max(32768).describe("A sentence for people."),
  observedGeneration: observedGeneration.exactOptional(),
  lastTransitionTime: timestamp.describe("When status last changed."),
});

/** Atomic: one field manager writes a condition as a whole, so that `managedFields` does not list the single fields of a condition. */
export const conditions = listMap(z.array(condition.meta({ "x-kubernetes-map-type": "atomic" })), "type");
