import { shortMessage } from "../../apis/index.ts";
import { type Failure, REPLACED } from "../../desiredstate/index.ts";
import type { Span } from "../../observability/index.ts";
import { type Action, type MemberObject } from "../model/index.ts";

/** One go at a member object. */
export interface Attempt {
  object: MemberObject;
  action: Action;
  /** {@link attemptOf} when it began. */
  name: string;
  /** What was asked for when it began; the object may be another's since, or nobody's. */
  asked?: Pick<MemberObject, "row" | "origin">;
  /** The reason of the failure before, so that each is logged once. */
  before?: string | undefined;
  /** Whether something might be there before it. */
  mightBeThere?: boolean;
  isHeal: boolean;
  /** Of what is sent for it. */
  span?: Span;
}

/** What is tried with a member object. As long as that is the same, so will be the answer; anything else is worth a try at once. */
export function attemptOf({ row, observed }: MemberObject, { kind }: Action): string {
  const apply = row?.verb === "Apply" ? row : undefined;
  const removal = row?.verb === "Delete" ? row : undefined;
  const { agreed, keepsClaims } = removal ?? {};
  return [kind, row?.verb, observed?.uid, apply?.hash, apply?.conflictResolution, agreed, keepsClaims].join(" ");
}

/** What was written is what is asked for now as well. */
export function isStillAskedFor({ row }: MemberObject, action: Action): boolean {
  const isApply = action.kind === "Create" || action.kind === "Update";
  return isApply && row?.verb === "Apply" && row.hash === action.row.hash;
}

/**
 * Whether the write puts right what somebody did, and does not bring what is wanted anew. A removal of this worker's own may be over only after the
 * object is wanted again: that is nobody else's doing.
 */
export function isHealing({ carriedOut, row, judged, removed, gone }: MemberObject, action: Action): boolean {
  // Somebody may make the old one again each time.
  if (action.kind === "Delete") return row?.verb === "Delete" && row.why.reason === REPLACED;
  // What the copy keeps has changed on the hub.
  if (action.kind === "Update") return action.drift.length > 0 || (carriedOut && judged?.isStale !== true);
  return action.kind === "Create" && carriedOut && (gone === undefined || gone !== removed);
}

/** Why a member object that is not as it should be is left so for a while. */
export function contested(action: Action): Failure {
  const [first] = action.kind === "Update" ? action.drift : [];
  const changed = `changes ${first?.path ?? "Meridian's marks"}`;
  const what = action.kind === "Create" ? "deletes it" : action.kind === "Delete" ? "makes the old one" : changed;
  const message = `${first?.takenBy ?? "somebody"} ${what} again and again; it is put right less and less often`;
  return { reason: "Contested", message: shortMessage(message), final: false };
}
