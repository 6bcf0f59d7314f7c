import { z } from "zod";
import { reasonDescription } from "./reasons.ts";
import { listMap } from "./rules.ts";

/**
 * What Meridian writes about itself. Bounds are wide here and there are no rules: a status that the server refuses would
 * leave the object saying what is no longer true.
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

/** One condition is written by one manager, as a whole: then nobody's field ownership needs to list its single fields. */
export const conditions = listMap(z.array(condition.meta({ "x-kubernetes-map-type": "atomic" })), "type");
