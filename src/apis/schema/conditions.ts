import { z } from "zod";
import { reasonDescription } from "../reasons/index.ts";
import { listMap } from "./rules.ts";

/** Statuses have wide bounds and no rules: an object whose status the server refused would keep an outdated one. */

export const timestamp = z.iso.datetime({ offset: true }).meta({ format: "date-time" });
/** Counts in Kubernetes are int32. */
export const MOST_COUNTED = 2_147_483_647;
export const count = z.int().min(0).max(MOST_COUNTED);
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

/** Atomic, so that `managedFields` does not list the single fields of a condition. */
export const conditions = listMap(z.array(condition.meta({ "x-kubernetes-map-type": "atomic" })), "type");

export function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MOST_COUNTED;
}

/** Numbers from manifests and members may be no valid counts. */
export function asCount(value: number): number {
  return Number.isNaN(value) ? 0 : Math.min(MOST_COUNTED, Math.max(0, Math.trunc(value)));
}
