import { FIELD_MANAGER, type KubeObject, shortMessage } from "../../apis/index.ts";
import type { ApplyRow, Failure } from "../../desiredstate/index.ts";
import { appliedAtOf } from "../../interpreter/index.ts";

/**
 * An apply of ours whose every value was found on the member. Any other writer of a value becomes its owner, so later
 * writes of others need no second comparison of values.
 */
export interface EffectiveApply {
  uid: string;
  hash: string;
  /** Time of the apply in `managedFields`, with a resolution of one second. */
  appliedAt: string;
}

/** Last apply of ours that the object shows; undefined when `managedFields` give no time for it. */
export function applyOf({ hash }: ApplyRow, { metadata }: KubeObject): EffectiveApply | undefined {
  const appliedAt = appliedAtOf(metadata.managedFields, FIELD_MANAGER);
  return appliedAt === undefined || metadata.uid === undefined ? undefined : { uid: metadata.uid, hash, appliedAt };
}

export function isSameApplyOf(a: EffectiveApply | undefined, b: EffectiveApply | undefined): boolean {
  return a !== undefined && b !== undefined && a.uid === b.uid && a.hash === b.hash && a.appliedAt === b.appliedAt;
}

/** Failure of an apply whose values admission changed. Passes when admission stops that. */
export function withoutEffect(altered: readonly string[]): Failure {
  const [first = "", ...more] = altered;
  const others = more.length === 0 ? "" : ` and ${more.length} more`;
  const message = shortMessage(`the member's admission changes or removes what is applied: ${first}${others}`);
  return { reason: "AppliedWithoutEffect", message, final: false };
}
