import { isSameMessage, shortMessage } from "../../apis/index.ts";
import type { Failure } from "../../desiredstate/index.ts";
import type { MemberObject } from "./memberObject.ts";

const IMMUTABLE_FIELD = "ImmutableField";
/** Refused hashes kept for one object. The rows of different owners of a shared dependency have different hashes. */
const MOST_REFUSED = 16;

/** True when the failure differs from the last one. */
export function setFailure(object: MemberObject, failure: Failure | undefined): boolean {
  const before = object.failure;
  if (before === failure) return false;
  const isSame = before?.reason === failure?.reason && before?.final === failure?.final;
  if (isSame && isSameMessage(before?.message, failure?.message)) return false;
  object.failure = failure;
  return true;
}

/** Keeps the refused hash for the life of the object, since the hub decides on a replacement by it. True for a new one. */
export function noteRefusal(object: MemberObject, failure: Failure | undefined): boolean {
  const { row, observed, refused } = object;
  if (failure?.reason !== IMMUTABLE_FIELD) return false;
  if (row?.verb !== "Apply" || row.role !== "dependency" || observed === undefined) return false;
  const before = refused?.uid === observed.uid ? refused.hashes : [];
  if (before.includes(row.hash)) return false;
  object.refused = { uid: observed.uid, hashes: [...before, row.hash].slice(-MOST_REFUSED) };
  return true;
}

/** Failure of an apply whose values admission changed. Passes when admission stops that. */
export function withoutEffect(altered: readonly string[]): Failure {
  const [first = "", ...more] = altered;
  const others = more.length === 0 ? "" : ` and ${more.length} more`;
  const message = shortMessage(`the member's admission changes or removes what is applied: ${first}${others}`);
  return { reason: "AppliedWithoutEffect", message, final: false };
}
