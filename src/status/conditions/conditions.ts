import { type Condition, type ConditionStatus, shortMessage, timestamp } from "../../apis/index.ts";

/** A condition without the time since which its status holds. */
export interface Statement {
  type: string;
  status: ConditionStatus;
  reason: string;
  message: string;
  /** The generation that it is said of, where that is not the present one: nobody can say yet whether it holds for that. */
  observedGeneration?: number;
}

/** The conditions for the statements; `lastTransitionTime` moves only where `status` differs from that of the previous condition. */
export function conditionsOf(
  statements: readonly Statement[],
  previous: readonly Condition[] | undefined,
  generation: number,
  now: number,
): Condition[] {
  return statements.map(({ type, status, reason, message, observedGeneration = generation }) => {
    const before = previous?.find((condition) => condition.type === type);
    return {
      type,
      status,
      reason,
      message: shortMessage(message),
      observedGeneration,
      lastTransitionTime: before?.status === status ? before.lastTransitionTime : timestamp(now),
    };
  });
}
