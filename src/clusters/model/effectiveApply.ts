import { FIELD_MANAGER, type KubeObject, shortMessage } from "../../apis/index.ts";
import type { ApplyRow, Failure } from "../../desiredstate/index.ts";
import { appliedAtOf } from "../../interpreter/index.ts";

/**
 * An apply of ours that has had its effect: every value was found on the member. Values of fields that stay ours are changed by an apply of
 * ours alone (whoever else writes them takes them over), so that what others do to the object afterwards, its status for instance, needs no
 * second comparison of values.
 */
export interface EffectiveApply {
  uid: string;
  hash: string;
  /** As `managedFields` say, in seconds. */
  appliedAt: string;
}

/** The apply that the member object shows; undefined when the object does not say when that was. */
export function applyOf({ hash }: ApplyRow, { metadata }: KubeObject): EffectiveApply | undefined {
  const appliedAt = appliedAtOf(metadata.managedFields, FIELD_MANAGER);
  return appliedAt === undefined || metadata.uid === undefined ? undefined : { uid: metadata.uid, hash, appliedAt };
}

export function isSameApplyOf(a: EffectiveApply | undefined, b: EffectiveApply | undefined): boolean {
  return a !== undefined && b !== undefined && a.uid === b.uid && a.hash === b.hash && a.appliedAt === b.appliedAt;
}

/** The last apply succeeded, and something admitted other values: told as a failure, which passes when whatever does so goes. */
export function withoutEffect(altered: readonly string[]): Failure {
  const [first = "", ...more] = altered;
  const others = more.length === 0 ? "" : ` and ${more.length} more`;
  const message = shortMessage(`the member's admission changes or removes what is applied: ${first}${others}`);
  return { reason: "AppliedWithoutEffect", message, final: false };
}
