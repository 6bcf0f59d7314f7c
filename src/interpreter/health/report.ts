import { defined, type KubeObject, pointOf, type Reason, shortMessage } from "../../apis/index.ts";
import type { Health } from "../types.ts";
import { type Fields, fieldsOf, listOf, numberOf, textOf } from "../values.ts";

/** Reads what a cluster's controllers report, and builds results for the health rules. */

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

/** The status describes an older generation, or none. */
export function isBehind(object: KubeObject): boolean {
  const observed = numberOf(statusOf(object)["observedGeneration"]);
  return observed === undefined || observed < (object.metadata.generation ?? 0);
}

export const available: Health = Object.freeze({ state: "Available" });

export function health(state: Exclude<Health["state"], "Available">, reason: Reason, message: string): Health {
  return { state, reason, message: shortMessage(message) };
}

/** With the reason of the member's controller, as a code. */
export function reportedHealth(state: Exclude<Health["state"], "Available">, reason: string, message: string): Health {
  return { state, reason: codeOf(reason), message: shortMessage(pointOf(message)) };
}

/** Kubernetes has reasons of up to 40 letters. */
const LONGEST_CODE = 128;

/** Converts any reason from a member to a CamelCase code. */
export function codeOf(reason: string): string {
  const code = reason.slice(0, LONGEST_CODE).replaceAll(/[^A-Za-z0-9]/g, "");
  if (!/^[A-Za-z]/.test(code)) return "Unhealthy" satisfies Reason;
  return code.charAt(0).toUpperCase() + code.slice(1);
}

export const pending = (message = "its controller has not seen the present generation yet"): Health =>
  health("Progressing", "RolloutPending", message);

/** Before the first report of a controller that always reports. */
export const noReport = (): Health => health("Progressing", "NoReport", "the cluster has not reported on it yet");

export function serving(judged: Health): Health {
  return servingIf(true, "Now", judged);
}

export function servingIf(serves: boolean, when: NonNullable<Health["serves"]>, judged: Health): Health {
  return !serves || judged.state === "Available" ? judged : { ...judged, serves: when };
}

/** In the condition's own words. */
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
