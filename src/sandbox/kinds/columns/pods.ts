import type { KubeObject } from "../../types.ts";
import { count, fields, type Fields, fieldsList, isMissing, text } from "../values.ts";
import { type Cells, NONE, orNone, since, spec, status } from "./cells.ts";

/** The columns of `kubectl get pods` that depend on all containers. */
interface Summary {
  ready: number;
  total: number;
  reason: string;
  restarts: number;
  lastRestart: string;
}

const isRestartable = (container: Fields | undefined) => container?.["restartPolicy"] === "Always";

/** Times are RFC 3339 in UTC, which sort as text. */
function later(a: string, b: unknown): string {
  return text(b) > a ? text(b) : a;
}

function lastEnd(container: Fields): unknown {
  return fields(fields(container["lastState"])["terminated"])["finishedAt"];
}

function endReason(terminated: Fields): string {
  if (text(terminated["reason"]) !== "") return text(terminated["reason"]);
  const signal = count(terminated["signal"]);
  return signal !== 0 ? `Signal:${signal}` : `ExitCode:${count(terminated["exitCode"])}`;
}

function summarize(object: KubeObject): Summary {
  const state = status(object);
  const initContainers = fieldsList(spec(object)["initContainers"]);
  const conditions = fieldsList(state["conditions"]);
  const isTrue = (type: string) => conditions.some((one) => one["type"] === type && one["status"] === "True");
  let reason = text(state["reason"]) || text(state["phase"]);
  if (conditions.some((one) => one["type"] === "PodScheduled" && one["reason"] === "SchedulingGated")) {
    reason = "SchedulingGated";
  }
  const total = fieldsList(spec(object)["containers"]).length + initContainers.filter(isRestartable).length;
  const init = summarizeInit(fieldsList(state["initContainerStatuses"]), initContainers);
  let summary: Summary = { ...init, total, reason: init.reason ?? reason };
  if (init.reason === undefined || isTrue("Initialized")) {
    const running = summarizeRunning(fieldsList(state["containerStatuses"]), summary.reason, isTrue("Ready"));
    summary = {
      ...running,
      total,
      ready: init.ready + running.ready,
      restarts: init.sidecarRestarts + running.restarts,
      lastRestart: later(init.lastSidecarRestart, running.lastRestart),
    };
  }
  if (object.metadata.deletionTimestamp !== undefined) {
    if (state["reason"] === "NodeLost") summary.reason = "Unknown";
    else if (state["phase"] !== "Succeeded" && state["phase"] !== "Failed") summary.reason = "Terminating";
  }
  return summary;
}

function summarizeInit(statuses: readonly Fields[], containers: readonly Fields[]) {
  const found = {
    ready: 0,
    restarts: 0,
    lastRestart: "",
    sidecarRestarts: 0,
    lastSidecarRestart: "",
    reason: undefined as string | undefined,
  };
  const byName = new Map(containers.map((container) => [text(container["name"]), container]));
  for (const [index, container] of statuses.entries()) {
    const isSidecar = isRestartable(byName.get(text(container["name"])));
    found.restarts += count(container["restartCount"]);
    found.lastRestart = later(found.lastRestart, lastEnd(container));
    if (isSidecar) {
      found.sidecarRestarts += count(container["restartCount"]);
      found.lastSidecarRestart = later(found.lastSidecarRestart, lastEnd(container));
    }
    const { terminated, waiting } = fields(container["state"]);
    if (!isMissing(terminated) && count(fields(terminated)["exitCode"]) === 0) continue;
    if (isSidecar && container["started"] === true) {
      if (container["ready"] === true) found.ready++;
      continue;
    }
    const why = text(fields(waiting)["reason"]);
    if (!isMissing(terminated)) found.reason = `Init:${endReason(fields(terminated))}`;
    else if (why !== "" && why !== "PodInitializing") found.reason = `Init:${why}`;
    else found.reason = `Init:${index}/${containers.length}`;
    break;
  }
  return found;
}

function summarizeRunning(statuses: readonly Fields[], before: string, isPodReady: boolean) {
  const found = { ready: 0, restarts: 0, lastRestart: "", reason: before };
  let hasRunning = false;
  let failure = "";
  for (const container of statuses.toReversed()) {
    found.restarts += count(container["restartCount"]);
    found.lastRestart = later(found.lastRestart, lastEnd(container));
    const { waiting, terminated, running } = fields(container["state"]);
    const why = text(fields(waiting)["reason"]);
    if (why !== "") found.reason = why;
    else if (!isMissing(terminated)) {
      found.reason = endReason(fields(terminated));
      if (count(fields(terminated)["exitCode"]) !== 0) failure = found.reason;
    } else if (container["ready"] === true && !isMissing(running)) {
      hasRunning = true;
      found.ready++;
    }
  }
  if (found.reason === "Completed") {
    if (hasRunning && isPodReady) found.reason = "Running";
    else if (failure !== "") found.reason = failure;
    else if (hasRunning) found.reason = "NotReady";
  }
  return found;
}

/** Three cells in a row ask for the same Pod. Objects never change, so the last summary can be reused. */
let last: { object: KubeObject; summary: Summary } | undefined;

function summaryOf(object: KubeObject): Summary {
  if (last?.object !== object) last = { object, summary: summarize(object) };
  return last.summary;
}

export const podCells: Cells = {
  Ready: (object) => `${summaryOf(object).ready}/${summaryOf(object).total}`,
  Status: (object) => summaryOf(object).reason,
  Restarts(object, now) {
    const { restarts, lastRestart } = summaryOf(object);
    return restarts === 0 || lastRestart === "" ? `${restarts}` : `${restarts} (${since(lastRestart, now)} ago)`;
  },
  IP: (object) => orNone(fieldsList(status(object)["podIPs"])[0]?.["ip"] ?? status(object)["podIP"]),
  Node: (object) => orNone(spec(object)["nodeName"]),
  "Nominated Node": (object) => orNone(status(object)["nominatedNodeName"]),
  "Readiness Gates"(object) {
    const gates = fieldsList(spec(object)["readinessGates"]);
    const conditions = fieldsList(status(object)["conditions"]);
    const passed = gates.filter(
      (gate) => conditions.find((one) => one["type"] === gate["conditionType"])?.["status"] === "True",
    );
    return gates.length === 0 ? NONE : `${passed.length}/${gates.length}`;
  },
};
