import { shortMessage } from "../../apis/index.ts";
import { type Failure, REPLACED } from "../../desiredstate/index.ts";
import type { Span } from "../../observability/index.ts";
import { type Act, type Action, type MemberObject, textOf } from "../model/index.ts";

/** One attempt to act on a member object. */
export interface Attempt {
  object: MemberObject;
  action: Act;
  /** {@link attemptOf} at the start of the attempt. */
  name: string;
  /** Row and origin at the start of the attempt. The object may have a different row, or none, by now. */
  asked: Pick<MemberObject, "row" | "origin">;
  /** Reason of the previous failure, so that each reason is logged once. */
  before: string | undefined;
  /** `mayBeThere` of the object before the attempt. */
  mightBeThere: boolean;
  isHeal: boolean;
  /** Span of the attempt's requests. */
  span: Span;
}

/**
 * Identifies an attempt. The same attempt gets the same answer and has to wait; a different one is made at once. An
 * inspection is the first part of a deletion.
 */
export function attemptOf({ row, observed }: MemberObject, action: Action): string {
  if (action.kind === "Label") return `Label ${observed?.uid} ${textOf(action.labels)}`;
  const kind = action.kind === "Inspect" ? "Delete" : action.kind;
  const apply = row?.verb === "Apply" ? row : undefined;
  const removal = row?.verb === "Delete" ? row : undefined;
  const { agreed, keepsClaims } = removal ?? {};
  return [kind, row?.verb, observed?.uid, apply?.hash, apply?.conflictResolution, agreed, keepsClaims].join(" ");
}

/** True for an action that applies the row's object. */
export function isApply(action: Action): action is Extract<Action, { kind: "Create" | "Update" }> {
  return action.kind === "Create" || action.kind === "Update";
}

/** True when the row still asks for the object that the action wrote. */
export function isStillAskedFor({ row }: MemberObject, action: Action): boolean {
  return isApply(action) && row?.verb === "Apply" && row.hash === action.row.hash;
}

/**
 * True when the write corrects drift, and does not carry out a new row. A removal by this worker may finish after the
 * object is wanted again; creating it then is no drift correction.
 */
export function isHealing({ carriedOut, row, judged, removed, gone }: MemberObject, action: Action): boolean {
  // Another writer may create the replaced object again each time.
  if (action.kind === "Delete") return row?.verb === "Delete" && row.why.reason === REPLACED;
  // A stale judgement means that a kept field has changed on the hub, which is no drift.
  if (action.kind === "Update") return action.drift.length > 0 || (carriedOut && judged?.isStale !== true);
  return action.kind === "Create" && carriedOut && (gone === undefined || gone !== removed);
}

/** Failure for a member object whose drift is corrected less and less often. */
export function contested(action: Action): Failure {
  const [first] = action.kind === "Update" ? action.drift : [];
  const changed = `changes ${first?.path ?? "Meridian's marks"}`;
  const what = action.kind === "Create" ? "deletes it" : action.kind === "Delete" ? "makes the old one" : changed;
  const message = `${first?.takenBy ?? "somebody"} ${what} again and again; it is put right less and less often`;
  return { reason: "Contested", message: shortMessage(message), final: false };
}
