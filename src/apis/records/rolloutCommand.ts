import { z } from "zod";
import { jsonIn } from "./annotationJson.ts";
import { isRecord } from "../values/index.ts";

/**
 * What people asked of the rollout of one revision: a statement and no order, so that saying it once more changes nothing. Stands as JSON in the
 * annotation {@link ROLLOUT_COMMAND_ANNOTATION} of the object, or of its binding where its status stands there.
 */
export const rolloutCommand = z.strictObject({
  /** What is said counts for this revision alone. */
  revision: z.int().min(0),
  /**
   * `startedAt` of the run that is meant: the same revision may be rolled out again later, and what was said of the run before counts no more then.
   * Without it, every run of the revision is meant.
   */
  run: z.string().max(64).exactOptional(),
  paused: z.boolean().exactOptional(),
  abort: z.boolean().exactOptional(),
  /** RFC 3339. */
  resumedAt: z.string().max(64).exactOptional(),
});

export type RolloutCommand = z.infer<typeof rolloutCommand>;

/**
 * Undefined where the annotation is missing or says nothing that can be understood. Approvals that an earlier release kept here are left out: nobody
 * vouches for them, and the pause beside them still counts.
 */
export function rolloutCommandIn(annotation: string | undefined): RolloutCommand | undefined {
  const said = jsonIn(annotation);
  if (!isRecord(said)) return undefined;
  const { approvals: _, ...command } = said;
  const parsed = rolloutCommand.safeParse(command);
  return parsed.success ? parsed.data : undefined;
}

/** The annotation holds approvals, as those of earlier releases did: they count no more. */
export function holdsOldApprovals(annotation: string | undefined): boolean {
  const said = jsonIn(annotation);
  return isRecord(said) && said["approvals"] !== undefined;
}
