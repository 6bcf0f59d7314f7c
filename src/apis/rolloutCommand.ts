import { z } from "zod";

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
  /** The stages that are approved; who wrote it is not taken from here. */
  approvals: z.record(z.string().min(1).max(63), z.string().max(1024)).exactOptional(),
});

export type RolloutCommand = z.infer<typeof rolloutCommand>;

/** Undefined where the annotation is missing or says nothing that can be understood. */
export function rolloutCommandIn(annotation: string | undefined): RolloutCommand | undefined {
  if (annotation === undefined || annotation.length > MAX_LENGTH) return undefined;
  try {
    const parsed = rolloutCommand.safeParse(JSON.parse(annotation));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

const MAX_LENGTH = 64 * 1024;
