import { matchesLabelSelector } from "../../../apis/index.ts";
import { badRequest, conflict, failure, notFound } from "../../statusError.ts";
import type { Json, KubeObject } from "../../types.ts";
import { type Api, storedObject, subjectOf, type Target } from "../api.ts";
import { admittedForm } from "./create.ts";
import { timestamp } from "../../timestamp.ts";
import { deleteObject, deleteOptionsOf } from "./delete.ts";
import { type Body, ofKindNamed, readBody } from "./input.ts";
import { changeObject } from "./update.ts";

/** Subresources of pods that are actions: binding, eviction, log. */

interface PodSpec {
  nodeName?: string;
  containers?: { name: string; image?: string; command?: string[]; args?: string[] }[];
  initContainers?: { name: string; image?: string }[];
}

interface PodStatus {
  phase?: string;
  startTime?: string;
  conditions?: { type: string; status: string; lastTransitionTime?: string }[];
  containerStatuses?: ContainerStatus[];
}

interface ContainerStatus {
  name: string;
  ready?: boolean;
  restartCount?: number;
  image?: string;
  state?: {
    waiting?: { reason?: string; message?: string };
    running?: { startedAt?: string };
    terminated?: { reason?: string; exitCode?: number; finishedAt?: string };
  };
}

export const SUCCESS = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success" } as const;

/** Binds a pod to a node. Throws a StatusError, 409 for a pod that is bound already. */
export async function bindPod(api: Api, target: Target, body: Body): Promise<unknown> {
  const value = readBody(body, { apiVersion: "v1", kind: "Binding" }, target.context);
  return bindTo(api, target, ofKindNamed(api.catalog, value, "v1", "Binding"));
}

/** Like {@link bindPod}, with a decoded Binding. */
export async function bindTo(api: Api, target: Target, submitted: KubeObject): Promise<unknown> {
  const binding = await admittedForm(api, target, submitted);
  const { name: node = "", kind = "Node" } = (binding["target"] ?? {}) as { name?: string; kind?: string };
  const { name = "" } = target;
  if ((binding.metadata.name ?? name) !== name) throw badRequest("name in URL does not match name in Binding object");
  if (node === "" || kind !== "Node")
    throw badRequest(`a pod is bound to a Node by its name, not to ${kind} "${node}"`);
  const main: Target = { ...target, direct: true };
  delete main.subresource;
  await changeObject(api, main, (live) => {
    const spec = (live["spec"] ?? {}) as PodSpec;
    if ((spec.nodeName ?? "") !== "") {
      const why = `pod ${name} is already assigned to node "${spec.nodeName}"`;
      throw conflict({ group: "", kind: "pods/binding", name }, why);
    }
    if (live.metadata.deletionTimestamp !== undefined) {
      throw conflict(
        { group: "", kind: "pods/binding", name },
        `pod ${name} is being deleted, cannot be assigned to a host`,
      );
    }
    return Promise.resolve(bound(api, live, spec, node));
  });
  return { ...SUCCESS, code: 201 };
}

function bound(api: Api, pod: KubeObject, spec: PodSpec, node: string): KubeObject {
  const status = (pod["status"] ?? {}) as PodStatus;
  const others = (status.conditions ?? []).filter(({ type }) => type !== "PodScheduled");
  const scheduled = {
    type: "PodScheduled",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: timestamp(api.clock.now()),
  };
  return { ...pod, spec: { ...spec, nodeName: node }, status: { ...status, conditions: [...others, scheduled] } };
}

/**
 * Deletes a pod unless a PodDisruptionBudget forbids it; then throws a StatusError 429. Throws other StatusErrors too.
 */
export async function evictPod(api: Api, target: Target, body: Body): Promise<unknown> {
  const value = readBody(body, { apiVersion: "policy/v1", kind: "Eviction" }, target.context);
  const submitted = ofKindNamed(api.catalog, value, "policy/v1", "Eviction");
  const eviction = await admittedForm(api, target, submitted);
  const { name = "" } = target;
  const pod = storedObject(api, target, name);
  if (pod === undefined) throw notFound(subjectOf(target, name));
  const phase = ((pod["status"] ?? {}) as PodStatus).phase;
  if (phase === "Running" && pod.metadata.deletionTimestamp === undefined) checkBudgets(api, pod);
  const main: Target = { ...target };
  delete main.subresource;
  const { dryRun } = (eviction["deleteOptions"] ?? {}) as { dryRun?: unknown };
  if (Array.isArray(dryRun) && dryRun.includes("All")) main.context = { ...target.context, dryRun: true };
  await deleteObject(
    api,
    main,
    deleteOptionsOf((eviction["deleteOptions"] ?? {}) as Record<string, Json>, new URLSearchParams()),
  );
  return { ...SUCCESS, code: 201 };
}

function checkBudgets(api: Api, pod: KubeObject): void {
  const budgets = api.store
    .collection({ group: "policy", plural: "poddisruptionbudgets" })
    .list(pod.metadata.namespace);
  for (const budget of budgets) {
    const { selector } = (budget["spec"] ?? {}) as { selector?: Parameters<typeof matchesLabelSelector>[0] };
    if (selector === undefined || !matchesLabelSelector(selector, pod.metadata.labels ?? {})) continue;
    const { disruptionsAllowed = 0 } = (budget["status"] ?? {}) as { disruptionsAllowed?: number };
    if (disruptionsAllowed > 0) continue;
    throw failure(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", {
      causes: [
        {
          reason: "DisruptionBudget",
          message: `The disruption budget ${budget.metadata.name} needs its healthy pods and allows no disruption right now`,
        },
      ],
    });
  }
}

/**
 * The log of a container. Sandbox containers do not run, so the lines tell the kubelet's view: start, restarts, reason
 * for waiting. Throws a StatusError.
 */
export function podLog(api: Api, target: Target, query: URLSearchParams): string {
  const { name = "" } = target;
  const pod = storedObject(api, target, name);
  if (pod === undefined) throw notFound(subjectOf(target, name));
  const spec = (pod["spec"] ?? {}) as PodSpec;
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const wanted = query.get("container") ?? (spec.containers?.length === 1 ? (spec.containers[0]?.name ?? "") : "");
  if (wanted === "") {
    const names = (spec.containers ?? []).map((container) => container.name).join(" ");
    throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${names}]`);
  }
  const container = containers.find((one) => one.name === wanted);
  if (container === undefined) throw badRequest(`container ${wanted} is not valid for pod ${name}`);
  // A pod without a node has no log yet.
  if ((spec.nodeName ?? "") === "") return "";
  const status = (pod["status"] ?? {}) as PodStatus;
  const state = status.containerStatuses?.find((one) => one.name === wanted);
  const waiting = state?.state?.waiting;
  if (waiting !== undefined && (state?.restartCount ?? 0) === 0) {
    const why =
      waiting.reason === undefined
        ? "is waiting to start"
        : `is waiting to start: ${waiting.message ?? waiting.reason}`;
    throw badRequest(`container "${wanted}" in pod "${name}" ${why}`);
  }
  const lines = logLines(name, container.image ?? "", status, state);
  const tail = Number(query.get("tailLines") ?? Infinity);
  const shown = Number.isNaN(tail) ? lines : lines.slice(Math.max(0, lines.length - tail));
  const withTimes = query.get("timestamps") === "true";
  return shown.map(({ time, text }) => `${withTimes ? `${time} ` : ""}${text}\n`).join("");
}

function logLines(
  pod: string,
  image: string,
  { startTime = "" }: PodStatus,
  state: ContainerStatus | undefined,
): { time: string; text: string }[] {
  const lines = [{ time: startTime, text: `sandbox: ${pod} would run ${image} here` }];
  const { running, terminated, waiting } = state?.state ?? {};
  if ((state?.restartCount ?? 0) > 0)
    lines.push({ time: startTime, text: `sandbox: restarted ${state?.restartCount} times` });
  if (running?.startedAt !== undefined)
    lines.push({ time: running.startedAt, text: "sandbox: the container is running" });
  if (state?.ready === true)
    lines.push({ time: running?.startedAt ?? startTime, text: "sandbox: the container is ready" });
  if (terminated !== undefined) {
    const text = `sandbox: ended with exit code ${terminated.exitCode ?? 0} (${terminated.reason ?? "Completed"})`;
    lines.push({ time: terminated.finishedAt ?? startTime, text });
  }
  if (waiting !== undefined) lines.push({ time: startTime, text: `sandbox: waiting (${waiting.reason ?? ""})` });
  return lines;
}
