import type { KubeObject } from "../../types.ts";
import { count, fields, fieldsList, isMissing, text } from "../values.ts";
import {
  between,
  type Cell,
  type Cells,
  containerCells,
  labelsText,
  NONE,
  selectorText,
  since,
  spec,
  status,
  templateCells,
} from "./cells.ts";

const inSpec = (field: string): Cell => {
  return (object) => count(spec(object)[field]);
};
const inStatus = (field: string): Cell => {
  return (object) => count(status(object)[field]);
};
const readyOfDesired: Cell = (object) => `${count(status(object)["readyReplicas"])}/${count(spec(object)["replicas"])}`;
const selector: Cell = (object) => selectorText(spec(object)["selector"]);

export const deploymentCells: Cells = {
  ...templateCells,
  Ready: readyOfDesired,
  "Up-to-date": inStatus("updatedReplicas"),
  Available: inStatus("availableReplicas"),
  // This column shows an empty selector as empty text; other columns show <none>.
  Selector(object) {
    const shown = selectorText(spec(object)["selector"]);
    return shown === NONE ? "" : shown;
  },
};

export const replicaSetCells: Cells = {
  ...templateCells,
  Desired: inSpec("replicas"),
  Current: inStatus("replicas"),
  Ready: inStatus("readyReplicas"),
  Selector: selector,
};

export const statefulSetCells: Cells = { ...templateCells, Ready: readyOfDesired };

export const daemonSetCells: Cells = {
  ...templateCells,
  Desired: inStatus("desiredNumberScheduled"),
  Current: inStatus("currentNumberScheduled"),
  Ready: inStatus("numberReady"),
  "Up-to-date": inStatus("updatedNumberScheduled"),
  Available: inStatus("numberAvailable"),
  "Node Selector": (object) => labelsText(fields(fields(spec(object)["template"])["spec"])["nodeSelector"]),
  Selector: selector,
};

const JOB_STATES = [
  { condition: "Complete", shown: "Complete" },
  { condition: "Failed", shown: "Failed" },
  { condition: "Terminating", shown: "Terminating" },
  { condition: "Suspended", shown: "Suspended" },
  { condition: "FailureTarget", shown: "FailureTarget" },
  { condition: "SuccessCriteriaMet", shown: "SuccessCriteriaMet" },
];

function jobState(object: KubeObject): string {
  const conditions = new Set(
    fieldsList(status(object)["conditions"])
      .filter((condition) => condition["status"] === "True")
      .map((condition) => text(condition["type"])),
  );
  // Terminating is no condition, but the column shows it with the conditions.
  if (object.metadata.deletionTimestamp !== undefined) conditions.add("Terminating");
  else conditions.delete("Terminating");
  return JOB_STATES.find(({ condition }) => conditions.has(condition))?.shown ?? "Running";
}

export const jobCells: Cells = {
  ...templateCells,
  Status: jobState,
  Completions(object) {
    const { completions, parallelism } = spec(object);
    const succeeded = count(status(object)["succeeded"]);
    if (!isMissing(completions)) return `${succeeded}/${count(completions)}`;
    return count(parallelism) > 1 ? `${succeeded}/1 of ${count(parallelism)}` : `${succeeded}/1`;
  },
  Duration: (object, now) => between(status(object)["startTime"], status(object)["completionTime"], now),
  Selector: selector,
};

const jobTemplate = (object: KubeObject) => fields(fields(spec(object)["jobTemplate"])["spec"]);

export const cronJobCells: Cells = {
  ...containerCells((object) => fields(fields(jobTemplate(object)["template"])["spec"])),
  Schedule: (object) => text(spec(object)["schedule"]),
  Timezone: (object) => text(spec(object)["timeZone"]) || NONE,
  Suspend(object) {
    const { suspend } = spec(object);
    if (isMissing(suspend)) return "<unset>";
    return suspend === true ? "True" : "False";
  },
  Active: (object) => fieldsList(status(object)["active"]).length,
  "Last Schedule"(object, now) {
    const { lastScheduleTime } = status(object);
    return isMissing(lastScheduleTime) ? NONE : since(lastScheduleTime, now);
  },
  Selector: (object) => selectorText(jobTemplate(object)["selector"]),
};

export const controllerRevisionCells: Cells = {
  Controller(object) {
    const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true);
    if (owner === undefined) return NONE;
    const group = owner.apiVersion.includes("/") ? `.${owner.apiVersion.split("/")[0] ?? ""}` : "";
    return `${`${owner.kind}${group}`.toLowerCase()}/${owner.name}`;
  },
  Revision: (object) => count(object["revision"]),
};

export const horizontalPodAutoscalerCells: Cells = {
  Reference(object) {
    const { kind, name } = fields(spec(object)["scaleTargetRef"]);
    return `${text(kind)}/${text(name)}`;
  },
  MinPods(object) {
    const { minReplicas } = spec(object);
    return isMissing(minReplicas) ? "<unset>" : String(count(minReplicas));
  },
  MaxPods: inSpec("maxReplicas"),
  Replicas: inStatus("currentReplicas"),
};

export const podDisruptionBudgetCells: Cells = {
  "Min Available": (object) => shownOr(spec(object)["minAvailable"], "N/A"),
  "Max Unavailable": (object) => shownOr(spec(object)["maxUnavailable"], "N/A"),
  "Allowed Disruptions": inStatus("disruptionsAllowed"),
};

function shownOr(value: unknown, otherwise: string): string {
  return typeof value === "number" || typeof value === "string" ? String(value) : otherwise;
}
