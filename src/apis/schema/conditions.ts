import { z } from "zod";
import { reasonDescription } from "../reasons/index.ts";
import { listMap } from "./rules.ts";

/**
 * Parts of the statuses that Meridian writes. They have wide bounds and no rules: if the server refused a status, the
 * object would keep an outdated one.
 */

export const timestamp = z.iso.datetime({ offset: true }).meta({ format: "date-time" });
/** Maximum of an int32, which Kubernetes uses for counts. */
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

/** Atomic: one field manager writes a condition as a whole, so that `managedFields` does not list the single fields of a condition. */
export const conditions = listMap(z.array(condition.meta({ "x-kubernetes-map-type": "atomic" })), "type");

/** Returns whether the server accepts the value as a count. */
export function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MOST_COUNTED;
}

/** Turns a number into a valid count for a status. Numbers from manifests and members may be no valid counts. */
export function asCount(value: number): number {
  return Number.isNaN(value) ? 0 : Math.min(MOST_COUNTED, Math.max(0, Math.trunc(value)));
}
