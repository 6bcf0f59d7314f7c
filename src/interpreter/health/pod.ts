import type { KubeObject } from "../../apis/index.ts";
import type { Health } from "../types.ts";
import { fieldsOf, textOf } from "../values.ts";
import { isLooping, troubleOfPod } from "./pods.ts";
import { available, conditionOf, health, noReport, reportedHealth, serving, statusOf } from "./report.ts";

/** A pod with restartPolicy Always has to run; any other has to succeed. */
export function podHealth(object: KubeObject): Health {
  const status = statusOf(object);
  const runsOn = (textOf(fieldsOf(object["spec"])["restartPolicy"]) ?? "Always") === "Always";
  switch (status["phase"]) {
    case "Succeeded":
      return runsOn ? health("Failed", "PodFailed", "the pod has ended, and was to run on") : available;
    case "Failed":
      return reportedHealth("Failed", textOf(status["reason"]) ?? "PodFailed", failureOf(object));
    case "Unknown":
      return health("Unknown", "NodeLost", "the node of the pod does not answer");
    case "Pending":
      return troubleOf(object) ?? health("Progressing", "PodsNotReady", "the pod has not started yet");
    case "Running":
      return runningHealth(object, runsOn);
    default:
      return noReport();
  }
}

function runningHealth(object: KubeObject, runsOn: boolean): Health {
  const isReady = conditionOf(object, "Ready")?.status === "True";
  if (!runsOn) {
    const running = troubleOf(object) ?? health("Progressing", "PodRunning", "the pod has not come to its end yet");
    return isReady ? serving(running) : running;
  }
  if (isReady) return available;
  return troubleOf(object) ?? health("Progressing", "PodsNotReady", "not all of its containers are ready");
}

function troubleOf(object: KubeObject): Health | undefined {
  const trouble = troubleOfPod(object);
  if (trouble === undefined) return undefined;
  return { state: isLooping(trouble) ? "Degraded" : "Progressing", ...trouble };
}

function failureOf(object: KubeObject): string {
  return textOf(statusOf(object)["message"]) ?? troubleOfPod(object)?.message ?? "a container of the pod failed";
}
