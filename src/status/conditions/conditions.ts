import { type Condition, conditionMessage, type ConditionStatus, type Message, timestamp } from "../../apis/index.ts";

/** A condition without its transition time. */
export interface Statement {
  type: string;
  status: ConditionStatus;
  reason: string;
  message: Message;
  /** observedGeneration, if older than the object's: the statement may not hold for the present generation. */
  observedGeneration?: number;
}

/** Conditions for the statements; `lastTransitionTime` changes only with `status`. */
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
      message: conditionMessage(message),
      observedGeneration,
      lastTransitionTime: before?.status === status ? before.lastTransitionTime : timestamp(now),
    };
  });
}
