import { type Condition, type ConditionStatus, shortMessage, timestamp } from "../apis/index.ts";

/** What a condition says now, before it is known since when. */
export interface Statement {
  type: string;
  status: ConditionStatus;
  reason: string;
  message: string;
}

/** The conditions for the statements; `lastTransitionTime` moves only where the status differs from that of before. */
export function conditionsOf(
  statements: readonly Statement[],
  previous: readonly Condition[] | undefined,
  generation: number,
  now: number,
): Condition[] {
  return statements.map(({ type, status, reason, message }) => {
    const before = previous?.find((condition) => condition.type === type);
    return {
      type,
      status,
      reason,
      message: shortMessage(message),
      observedGeneration: generation,
      lastTransitionTime: before?.status === status ? before.lastTransitionTime : timestamp(now),
    };
  });
}
