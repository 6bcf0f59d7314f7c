import {
  type Condition,
  type ConditionStatus,
  conditionMessage,
  counted,
  pointOf,
  shortMessage,
  timestamp,
} from "../../apis/index.ts";
import { conditionsIn, polarityOf, type ReportedCondition } from "../health/index.ts";
import type { MemberStatus } from "../types.ts";

const MOST_TYPES = 16;

export interface ConditionContext {
  /** In the hub object's own status. */
  previous: readonly Condition[];
  /** Undefined while the status of some copy does not describe the present one. */
  generation: number | undefined;
  /** Epoch milliseconds. */
  now: number;
  /** Types that are True as soon as one copy has them True, good or bad. */
  trueIfAny?: readonly string[];
}

interface Said {
  cluster: string;
  condition: ReportedCondition | undefined;
}

/**
 * A condition that sums up health is True if it is on every copy, one of trouble if it is on any. Any other has the
 * status that all copies have, or else Unknown.
 */
export function conditionSums(members: readonly MemberStatus[], context: ConditionContext): Condition[] {
  const byCluster = members.map(({ cluster, status }) => ({ cluster, conditions: conditionsIn(status ?? {}) }));
  const types = new Set(byCluster.flatMap(({ conditions }) => conditions.map(({ type }) => type)));
  return [...types]
    .filter((type) => type !== "")
    .toSorted()
    .slice(0, MOST_TYPES)
    .map((type) => {
      const said = byCluster.map(({ cluster, conditions }) => ({
        cluster,
        condition: conditions.find((one) => one.type === type),
      }));
      return conditionOf(type, said, context);
    });
}

function conditionOf(type: string, said: readonly Said[], context: ConditionContext): Condition {
  const { previous, generation, now, trueIfAny = [] } = context;
  const status = statusOf(trueIfAny.includes(type) ? "Bad" : polarityOf(type), said);
  const before = previous.find((condition) => condition.type === type);
  const observed = generation ?? before?.observedGeneration;
  const isDated = said.some(({ condition }) => condition?.observedGeneration !== undefined);
  return {
    type,
    status,
    ...wordsOf(status, said),
    ...(isDated && observed !== undefined ? { observedGeneration: observed } : {}),
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : timestamp(now),
  };
}

function statusOf(polarity: ReturnType<typeof polarityOf>, said: readonly Said[]): ConditionStatus {
  const all = said.map(({ condition }) => statusIn(condition));
  const isAll = (status: ConditionStatus): boolean => all.every((one) => one === status);
  switch (polarity) {
    case "Good":
      return isAll("True") ? "True" : all.includes("False") ? "False" : "Unknown";
    case "Bad":
      return all.includes("True") ? "True" : isAll("False") ? "False" : "Unknown";
    case undefined:
      return isAll("True") ? "True" : isAll("False") ? "False" : "Unknown";
  }
}

function statusIn(condition: ReportedCondition | undefined): ConditionStatus {
  return condition?.status === "True" || condition?.status === "False" ? condition.status : "Unknown";
}

/** Reason and message of the first cluster, by name, that has the status. */
function wordsOf(status: ConditionStatus, said: readonly Said[]): Pick<Condition, "reason" | "message"> {
  const deciding = said
    .filter(({ condition }) => statusIn(condition) === status)
    .toSorted((a, b) => (a.cluster < b.cluster ? -1 : 1));
  const [first] = deciding;
  const count = `${status} on ${deciding.length} of ${counted(said.length, "cluster")}`;
  if (first === undefined)
    return { reason: "ClustersDiffer", message: `not the same on ${counted(said.length, "cluster")}` };
  const { reason, message = "" } = first.condition ?? {};
  return {
    reason: shortMessage(reason ?? "ReportedByClusters", 63),
    message: message === "" ? count : conditionMessage({ what: `${count}; ${first.cluster}`, why: pointOf(message) }),
  };
}
