import { type Condition, defined, type KubeObject, timestamp } from "../../apis/index.ts";
import { type ConditionContext, conditionSums } from "./conditionSums.ts";
import { conditionsIn } from "../health/index.ts";
import type { MemberStatus } from "../types.ts";
import { type Fields, fieldsOf, listOf, numberOf, textOf, timesIn } from "../values.ts";

/** Each with the condition that the API server requires before it. */
const ENDS = { Complete: "SuccessCriteriaMet", Failed: "FailureTarget" } as const;
type End = keyof typeof ENDS;
const END_TYPES: ReadonlySet<string> = new Set(Object.entries(ENDS).flat());

/**
 * Status of a Job on the hub. It begins with the first copy and ends with the last: Complete if every copy is, Failed
 * if all are finished and one has failed. The API server refuses a start that moves, numbers that shrink, an end that
 * is taken back, and running pods of a finished Job, so a finished Job keeps its status.
 */
export function jobSum(object: KubeObject, members: readonly MemberStatus[], now: number): Fields {
  const previous = fieldsOf(object["status"]);
  if (endOf(previous) !== undefined) return previous;
  const statuses = members.flatMap(({ status }) => (status === undefined ? [] : [status]));
  const end = commonEnd(members);
  const startTime = startOf(object, statuses) ?? (end === undefined ? undefined : timestamp(now));
  const completionTime = end === "Complete" ? (timesOf(statuses, "completionTime").at(-1) ?? startTime) : undefined;
  const before = listOf(previous["conditions"]) as unknown as Condition[];
  const conditions = conditionsOf(members, end, { previous: before, generation: undefined, now });
  return {
    ...(end === undefined ? runningPods(statuses) : {}),
    ...finishedPods(statuses, previous),
    ...defined({ startTime, completionTime }),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

function endOf(status: Fields): End | undefined {
  const found = conditionsIn(status).find(
    (condition) => condition.status === "True" && Object.hasOwn(ENDS, condition.type),
  );
  return found?.type as End | undefined;
}

function commonEnd(members: readonly MemberStatus[]): End | undefined {
  const ends = members.map(({ status }) => (status === undefined ? undefined : endOf(status)));
  if (ends.includes(undefined)) return undefined;
  return ends.includes("Failed") ? "Failed" : "Complete";
}

/** A start time on the hub stays, except for a suspended Job, which starts anew. */
function startOf(object: KubeObject, statuses: readonly Fields[]): string | undefined {
  const isSuspended = fieldsOf(object["spec"])["suspend"] === true;
  const before = isSuspended ? undefined : textOf(fieldsOf(object["status"])["startTime"]);
  return before ?? timesOf(statuses, "startTime").at(0);
}

function runningPods(statuses: readonly Fields[]): Record<string, number> {
  return totals(statuses, ["active", "ready", "terminating"]);
}

/** The numbers never shrink, even if a copy is gone. */
function finishedPods(statuses: readonly Fields[], previous: Fields): Record<string, number> {
  const sums = totals(statuses, ["succeeded", "failed"]);
  for (const field of ["succeeded", "failed"]) {
    const before = numberOf(previous[field]);
    if (before !== undefined) sums[field] = Math.max(before, sums[field] ?? 0);
  }
  return sums;
}

function totals(statuses: readonly Fields[], fields: readonly string[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const field of fields) {
    const numbers = statuses.flatMap((status) => numberOf(status[field]) ?? []);
    if (numbers.length > 0) sums[field] = numbers.reduce((sum, one) => sum + one, 0);
  }
  return sums;
}

function timesOf(statuses: readonly Fields[], field: string): string[] {
  return timesIn(statuses.map((status) => status[field]));
}

function conditionsOf(members: readonly MemberStatus[], end: End | undefined, context: ConditionContext): Condition[] {
  const others = conditionSums(
    withConditions(members, (type) => !END_TYPES.has(String(type))),
    context,
  );
  if (end === undefined) return others;
  const ending = conditionSums(
    withConditions(members, (type) => type === end),
    context,
  );
  return [...others, ...ending.flatMap((condition) => [{ ...condition, type: ENDS[end] }, condition])];
}

function withConditions(members: readonly MemberStatus[], isWanted: (type: unknown) => boolean): MemberStatus[] {
  return members.map((member) => ({
    ...member,
    status: { conditions: listOf(member.status?.["conditions"]).filter(({ type }) => isWanted(type)) },
  }));
}
