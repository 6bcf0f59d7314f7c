import type { KubeObject } from "./meta.ts";
import { rolloutCommandIn } from "./rolloutCommand.ts";
import { ROLLOUT_COMMAND_ANNOTATION } from "./wellknown.ts";

/** An approval of a rollout that somebody wrote in a name which is not theirs. */
export interface ForgedApproval {
  stage: string;
  by: string;
}

/**
 * Approvals that `object` has and `before` had not, in another name than that of who wrote them: an approval says who gave it, so nobody may
 * write one for somebody else.
 */
export function forgedApprovals(
  object: Pick<KubeObject, "metadata">,
  before: Pick<KubeObject, "metadata"> | null | undefined,
  username: string,
): ForgedApproval[] {
  const said = commandOf(object);
  if (said?.approvals === undefined) return [];
  const earlier = commandOf(before ?? undefined);
  const isOfSameRun = earlier?.revision === said.revision && (earlier.run === undefined || earlier.run === said.run);
  const known = isOfSameRun ? (earlier.approvals ?? {}) : {};
  return Object.entries(said.approvals).flatMap(([stage, by]) =>
    by === username || known[stage] === by ? [] : [{ stage, by }],
  );
}

function commandOf(object: Pick<KubeObject, "metadata"> | undefined): ReturnType<typeof rolloutCommandIn> {
  return rolloutCommandIn(object?.metadata.annotations?.[ROLLOUT_COMMAND_ANNOTATION]);
}
