import type { KubeObject } from "../../apis/index.ts";
import type { Health } from "../types.ts";
import { fieldsOf, textOf } from "../values.ts";
import { available, conditionOf, count, health, pending, reportedHealth, serving, statusOf } from "./report.ts";

/** Health of kinds whose pods run to completion. */

export function jobHealth(object: KubeObject): Health {
  const complete = conditionOf(object, "Complete");
  if (complete?.status === "True") return available;
  for (const type of ["Failed", "FailureTarget"]) {
    const failed = conditionOf(object, type);
    if (failed?.status === "True") return reportedHealth("Failed", failed.reason ?? "JobFailed", failed.message);
  }
  if (fieldsOf(object["spec"])["suspend"] === true)
    return health("Progressing", "JobSuspended", "the job is suspended");
  const status = statusOf(object);
  if (status["startTime"] === undefined) return pending("its controller has not started it yet");
  return health(
    "Progressing",
    "JobRunning",
    `${count(status, "active")} active, ${count(status, "succeeded")} succeeded`,
  );
}

/**
 * A CronJob is healthy as soon as it exists, also while suspended. A run has failed if it is over and started after
 * every success.
 */
export function cronJobHealth(object: KubeObject): Health {
  const status = statusOf(object);
  const { active } = status;
  const began = timeOf(status["lastScheduleTime"]);
  if (began === undefined || (Array.isArray(active) && active.length > 0)) return available;
  const succeeded = timeOf(status["lastSuccessfulTime"]);
  if (succeeded !== undefined && succeeded >= began) return available;
  const since = succeeded === undefined ? "none has succeeded yet" : "the last success was before it";
  return serving(
    health("Degraded", "LastRunFailed", `the run of ${textOf(status["lastScheduleTime"])} failed; ${since}`),
  );
}

function timeOf(value: unknown): number | undefined {
  const time = Date.parse(textOf(value) ?? "");
  return Number.isNaN(time) ? undefined : time;
}
