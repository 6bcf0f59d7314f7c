import { z } from "zod";
import { jsonIn } from "./annotationJson.ts";
import { isRecord } from "../values/index.ts";

/**
 * What a person wants of one revision's rollout; repeating it changes nothing. Content of {@link
 * ROLLOUT_COMMAND_ANNOTATION}, on the object or on the binding that holds its status.
 */
export const rolloutCommand = z.strictObject({
  revision: z.int().min(0),
  /** `startedAt` of the run that is meant; every run of the revision when absent. */
  run: z.string().max(64).exactOptional(),
  paused: z.boolean().exactOptional(),
  abort: z.boolean().exactOptional(),
  /** RFC 3339. */
  resumedAt: z.string().max(64).exactOptional(),
});

export type RolloutCommand = z.infer<typeof rolloutCommand>;

/** Approvals that an earlier release kept here are left out, since nobody verified them; a pause beside them counts. */
export function rolloutCommandIn(annotation: string | undefined): RolloutCommand | undefined {
  const said = jsonIn(annotation);
  if (!isRecord(said)) return undefined;
  const { approvals: _, ...command } = said;
  const parsed = rolloutCommand.safeParse(command);
  return parsed.success ? parsed.data : undefined;
}

/** As in earlier releases; they do not count. */
export function holdsOldApprovals(annotation: string | undefined): boolean {
  const said = jsonIn(annotation);
  return isRecord(said) && said["approvals"] !== undefined;
}
