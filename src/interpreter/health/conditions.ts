import { type KubeObject, type MemberCondition, MOST_REPORTED, shortMessage } from "../../apis/index.ts";
import type { Health } from "../types.ts";
import { isTelling } from "./generic.ts";
import { conditionsOf, type ReportedCondition } from "./report.ts";

const LONGEST_TYPE = 63;

/**
 * At most eight for the hub, chosen with those about health first, and sorted by type. A healthy object has no
 * messages: some controllers rewrite them each time.
 */
export function shownConditions(object: KubeObject, { state }: Health): MemberCondition[] {
  const all = conditionsOf(object).filter(({ type }) => type !== "" && type.length <= LONGEST_TYPE);
  const telling = all.filter(({ type }) => isTelling(type));
  const others = all.filter(({ type }) => !isTelling(type));
  const chosen = [...telling, ...others].slice(0, MOST_REPORTED);
  return chosen
    .toSorted((a, b) => (a.type < b.type ? -1 : a.type > b.type ? 1 : 0))
    .map((condition) => shown(condition, state !== "Available"));
}

function shown({ type, status, reason, message }: ReportedCondition, isWithMessage: boolean): MemberCondition {
  const text = isWithMessage ? shortMessage(message) : "";
  return {
    type,
    status: status === "True" || status === "False" ? status : "Unknown",
    ...(reason === undefined ? {} : { reason: shortMessage(reason, LONGEST_TYPE) }),
    ...(text === "" ? {} : { message: text }),
  };
}
