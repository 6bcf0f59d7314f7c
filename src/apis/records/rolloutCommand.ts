import { z } from "zod";
import { jsonIn } from "./annotationJson.ts";
import { isRecord } from "../values/index.ts";

/**
 * A person's command for the rollout of one revision. The command states what is wanted, so that repeating it changes
 * nothing. Stored as JSON in the annotation {@link ROLLOUT_COMMAND_ANNOTATION} of the object, or of its binding if the
 * binding holds the status.
 */
export const rolloutCommand = z.strictObject({
  /** The command counts for this revision alone. */
  revision: z.int().min(0),
  /**
   * `startedAt` of the run that is meant. The same revision may be rolled out again later, and a command for an earlier
   * run does not count then. Absent: every run of the revision.
   */
  run: z.string().max(64).exactOptional(),
  paused: z.boolean().exactOptional(),
  abort: z.boolean().exactOptional(),
  /** RFC 3339. */
  resumedAt: z.string().max(64).exactOptional(),
});

export type RolloutCommand = z.infer<typeof rolloutCommand>;

/**
 * Undefined where the annotation is missing or unreadable. Approvals that an earlier release kept in this annotation
 * are left out, since nobody verified them. A pause beside them still counts.
 */
export function rolloutCommandIn(annotation: string | undefined): RolloutCommand | undefined {
  const said = jsonIn(annotation);
  if (!isRecord(said)) return undefined;
  const { approvals: _, ...command } = said;
  const parsed = rolloutCommand.safeParse(command);
  return parsed.success ? parsed.data : undefined;
}

/** Returns whether the annotation holds approvals, as in earlier releases. Such approvals do not count. */
export function holdsOldApprovals(annotation: string | undefined): boolean {
  const said = jsonIn(annotation);
  return isRecord(said) && said["approvals"] !== undefined;
}
