import { defined, type KubeObject, pointOf, type Reason, shortMessage } from "../../apis/index.ts";
import type { Health } from "../types.ts";
import { type Fields, fieldsOf, listOf, numberOf, textOf } from "../values.ts";

/** Reads the reports of a cluster's controllers about an object, and builds the results that the health rules share. */

export function statusOf(object: KubeObject): Fields {
  return fieldsOf(object["status"]);
}

export interface ReportedCondition {
  type: string;
  status: string;
  reason?: string;
  message: string;
  observedGeneration?: number;
}

export function conditionsOf(object: KubeObject): ReportedCondition[] {
  return conditionsIn(statusOf(object));
}

export function conditionsIn(status: Fields): ReportedCondition[] {
  return listOf(status["conditions"]).map((condition) => {
    const reason = textOf(condition["reason"]);
    const observedGeneration = numberOf(condition["observedGeneration"]);
    return {
      type: textOf(condition["type"]) ?? "",
      status: textOf(condition["status"]) ?? "Unknown",
      ...defined({ reason }),
      message: textOf(condition["message"]) ?? "",
      ...defined({ observedGeneration }),
    };
  });
}

export function conditionOf(object: KubeObject, type: string): ReportedCondition | undefined {
  return conditionsOf(object).find((condition) => condition.type === type);
}

/** Number in a status; controllers leave out numbers that are 0. */
export function count(status: Fields, field: string): number {
  return numberOf(status[field]) ?? 0;
}

/** The object's controller has not observed the present generation: the status describes an older one, or none. */
export function isBehind(object: KubeObject): boolean {
  const observed = numberOf(statusOf(object)["observedGeneration"]);
  return observed === undefined || observed < (object.metadata.generation ?? 0);
}

export const available: Health = Object.freeze({ state: "Available" });

export function health(state: Exclude<Health["state"], "Available">, reason: Reason, message: string): Health {
  return { state, reason, message: shortMessage(message) };
}

/** Health with the reason of the member's controller. The reason is mostly a CamelCase code, and is converted if not. */
export function reportedHealth(state: Exclude<Health["state"], "Available">, reason: string, message: string): Health {
  return { state, reason: codeOf(reason), message: shortMessage(pointOf(message)) };
}

/** Longest code; Kubernetes has reasons of up to 40 letters. */
const LONGEST_CODE = 128;

/** Converts any reason from a member to a CamelCase code. */
export function codeOf(reason: string): string {
  const code = reason.slice(0, LONGEST_CODE).replaceAll(/[^A-Za-z0-9]/g, "");
  if (!/^[A-Za-z]/.test(code)) return "Unhealthy" satisfies Reason;
  return code.charAt(0).toUpperCase() + code.slice(1);
}

export const pending = (message = "its controller has not seen the present generation yet"): Health =>
  health("Progressing", "RolloutPending", message);

/** Health for kinds whose controller always reports, before the first report. */
export const noReport = (): Health => health("Progressing", "NoReport", "the cluster has not reported on it yet");

/** The object serves as it should, though not all is as requested. */
export function serving(judged: Health): Health {
  return servingIf(true, "Now", judged);
}

export function servingIf(serves: boolean, when: NonNullable<Health["serves"]>, judged: Health): Health {
  return !serves || judged.state === "Available" ? judged : { ...judged, serves: when };
}

/** Health for a condition with an unwanted status, in the condition's own words. */
export function because(state: Exclude<Health["state"], "Available">, condition: ReportedCondition): Health {
  const fallback = condition.status === "True" ? condition.type : `Not${condition.type}`;
  return reportedHealth(
    state,
    condition.reason ?? fallback,
    condition.message || `condition ${condition.type} is ${condition.status}`,
  );
}

/** `1 of 3 replicas ready` */
export function share(some: number, all: number, what: string): string {
  return `${some} of ${all} ${all === 1 ? "replica" : "replicas"} ${what}`;
}
