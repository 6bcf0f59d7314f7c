import { shortMessage } from "../apis/index.ts";
import { REPLACED } from "../desiredstate/index.ts";
import { logContext, type Logger } from "../observability/index.ts";
import type { Action } from "./decide.ts";
import type { MemberObject } from "./memberObjects.ts";
import type { Failure } from "./types.ts";

/** What is tried with a member object. As long as that is the same, so will be the answer; anything else is worth a try at once. */
export function attemptOf({ row, observed }: MemberObject, { kind }: Action): string {
  const apply = row?.verb === "Apply" ? row : undefined;
  return [kind, row?.verb, observed?.uid, apply?.hash, apply?.conflictResolution].join(" ");
}

/** What was written is what is asked for now as well. */
export function isStillAskedFor({ row }: MemberObject, action: Action): boolean {
  const isApply = action.kind === "Create" || action.kind === "Update";
  return isApply && row?.verb === "Apply" && row.hash === action.row.hash;
}

/** Whether the write puts right what somebody did, and does not bring what is wanted anew. */
export function isHealing({ carriedOut, row }: MemberObject, action: Action): boolean {
  // Somebody may make the old one again each time.
  if (action.kind === "Delete") return row?.verb === "Delete" && row.why.reason === REPLACED;
  if (action.kind === "Update") return carriedOut || action.drift.length > 0;
  return action.kind === "Create" && carriedOut;
}

/** Why a member object that is not as it should be is left so for a while. */
export function contested(action: Action): Failure {
  const [first] = action.kind === "Update" ? action.drift : [];
  const changed = `changes ${first?.path ?? "Meridian's marks"}`;
  const what = action.kind === "Create" ? "deletes it" : action.kind === "Delete" ? "makes the old one" : changed;
  const message = `${first?.takenBy ?? "somebody"} ${what} again and again; it is put right less and less often`;
  return { reason: "Contested", message: shortMessage(message), final: false };
}

export function logContextOf({ trace, row }: MemberObject): object {
  return logContext(trace, row === undefined ? {} : { resourceUid: row.owner.uid });
}

/** Once for each new reason: a refusal is retried, and says the same each time. */
export function logRefusal(
  logger: Logger,
  object: MemberObject,
  { reason, message }: Pick<Failure, "reason" | "message">,
  error: unknown,
): void {
  // The server's own words on a Secret may quote it.
  const cause = object.ref.kind === "Secret" ? {} : { err: error };
  logger.warn(
    { ...logContextOf(object), ...cause, object: object.key, event_reason: reason },
    `the member refused an object: ${message}`,
  );
}
