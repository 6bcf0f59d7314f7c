import { defined } from "../../../apis/index.ts";
import {
  type Container,
  type ContainerState,
  type ContainerStatus,
  type Pod,
  type PodCondition,
  type PodStatus,
} from "../shared/index.ts";
import { timestamp } from "../../timestamp.ts";

/** Stage of a container. */
export type Stage =
  | { kind: "waiting"; reason: string; message?: string }
  | { kind: "running"; ready: boolean }
  | { kind: "exited"; code: number }
  | { kind: "backOff"; message: string };

export interface StatusInput {
  pod: Pod;
  hostIP: string;
  podIP: string | undefined;
  now: number;
  /** Restarts of a container so far. */
  restarts: number;
  /** The containers to which `restarts` applies. */
  isRestarted: (container: Container) => boolean;
  stage: (container: Container) => Stage;
}

/** The status that a kubelet reports for a pod whose containers are in these stages. */
export function podStatus(input: StatusInput): PodStatus {
  const { pod, hostIP, podIP, now } = input;
  const { containers, initContainers = [] } = pod.spec;
  const before = pod.status ?? {};
  const stages = containers.map((container) => input.stage(container));
  const hasStarted = stages.some(({ kind }) => kind !== "waiting");
  const phase = phaseFor(pod, stages);
  const isDone = phase === "Succeeded" || phase === "Failed";
  const unready = containers.filter((_, index) => !isReadyStage(stages[index])).map(({ name }) => name);
  const statuses = containers.map((container, index) => {
    const known = before.containerStatuses?.find(({ name }) => name === container.name);
    return containerStatus(input, container, stages[index] ?? { kind: "waiting", reason: "ContainerCreating" }, known);
  });
  const { generation } = pod.metadata;
  return {
    ...before,
    ...defined({ observedGeneration: generation }),
    phase,
    conditions: conditions(input, { hasStarted, phase, unready: isDone ? [] : unready }),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...(podIP === undefined ? {} : { podIP, podIPs: [{ ip: podIP }] }),
    startTime: before.startTime ?? timestamp(now),
    ...(initContainers.length === 0
      ? {}
      : { initContainerStatuses: initContainers.map((container) => initStatus(input, container, hasStarted)) }),
    containerStatuses: statuses,
  };
}

/** Phase: Pending until each container has started once, Running until all have ended. */
function phaseFor({ spec }: Pod, stages: readonly Stage[]): string {
  if (stages.some(({ kind }) => kind === "waiting")) return "Pending";
  const codes = stages.map((stage) => (stage.kind === "exited" ? stage.code : undefined));
  if (spec.restartPolicy === undefined || spec.restartPolicy === "Always") return "Running";
  if (codes.includes(undefined)) return "Running";
  if (codes.every((code) => code === 0)) return "Succeeded";
  return spec.restartPolicy === "Never" ? "Failed" : "Running";
}

function isReadyStage(stage: Stage | undefined): boolean {
  return stage?.kind === "running" && stage.ready;
}

function conditions(
  { pod, now }: StatusInput,
  { hasStarted, phase, unready }: { hasStarted: boolean; phase: string; unready: readonly string[] },
): PodCondition[] {
  const initNames = (pod.spec.initContainers ?? []).map(({ name }) => name);
  const done = phase === "Succeeded" || phase === "Failed";
  const readiness = done
    ? { status: "False", reason: phase === "Succeeded" ? "PodCompleted" : "PodFailed" }
    : unready.length === 0
      ? { status: "True" }
      : {
          status: "False",
          reason: "ContainersNotReady",
          message: `containers with unready status: [${unready.join(" ")}]`,
        };
  const initialized =
    initNames.length === 0 || hasStarted
      ? { status: "True", ...(phase === "Succeeded" ? { reason: "PodCompleted" } : {}) }
      : {
          status: "False",
          reason: "ContainersNotInitialized",
          message: `containers with incomplete status: [${initNames.join(" ")}]`,
        };
  const wanted: Omit<PodCondition, "lastProbeTime" | "lastTransitionTime">[] = [
    {
      type: "PodReadyToStartContainers",
      status: done || (!hasStarted && pod.status?.["podIP"] === undefined) ? "False" : "True",
    },
    { type: "Initialized", ...initialized },
    { type: "Ready", ...readiness },
    { type: "ContainersReady", ...readiness },
    { type: "PodScheduled", status: "True" },
  ];
  const known = pod.status?.conditions ?? [];
  const { generation } = pod.metadata;
  const mine = new Set(wanted.map(({ type }) => type));
  return [
    ...wanted.map((condition) => {
      const before = known.find(({ type }) => type === condition.type);
      const isSame = before?.status === condition.status;
      return {
        ...condition,
        ...defined({ observedGeneration: generation }),
        lastProbeTime: null,
        lastTransitionTime: isSame ? (before.lastTransitionTime ?? timestamp(now)) : timestamp(now),
      };
    }),
    // Other controllers own the conditions of readiness gates.
    ...known.filter(({ type }) => !mine.has(type)),
  ];
}

function containerStatus(
  input: StatusInput,
  container: Container,
  stage: Stage,
  known: ContainerStatus | undefined,
): ContainerStatus {
  const { pod, now } = input;
  const restartCount = input.isRestarted(container) ? input.restarts : (known?.restartCount ?? 0);
  const time = timestamp(now);
  const containerID = `sandbox://${pod.metadata.uid}/${container.name}/${restartCount}`;
  const { state, lastState } = stateOf(stage, known, containerID, time);
  const isStarted = stage.kind !== "waiting";
  return {
    ...(isStarted ? { containerID } : {}),
    image: container.image,
    imageID: isStarted ? `sandbox://${container.image}` : "",
    lastState,
    name: container.name,
    ready: isReadyStage(stage),
    restartCount,
    started: stage.kind === "running",
    state,
  };
}

function stateOf(
  stage: Stage,
  known: ContainerStatus | undefined,
  containerID: string,
  time: string,
): { state: ContainerState; lastState: ContainerState } {
  const startedAt = known?.state.running?.startedAt ?? time;
  const ended = (exitCode: number): ContainerState => ({
    terminated: {
      containerID,
      exitCode,
      finishedAt: time,
      reason: exitCode === 0 ? "Completed" : "Error",
      startedAt,
    },
  });
  const lastState = known?.lastState ?? {};
  switch (stage.kind) {
    case "waiting": {
      const { reason, message } = stage;
      return { state: { waiting: { ...defined({ message }), reason } }, lastState };
    }
    case "running":
      return { state: { running: { startedAt: known?.state.running?.startedAt ?? time } }, lastState };
    case "exited":
      return { state: ended(stage.code), lastState };
    case "backOff":
      return {
        state: { waiting: { message: stage.message, reason: "CrashLoopBackOff" } },
        lastState: known?.state.running === undefined ? lastState : ended(1),
      };
  }
}

/** Init containers are done when the others have started; sidecars keep running. */
function initStatus({ pod, now }: StatusInput, container: Container, hasStarted: boolean): ContainerStatus {
  const known = pod.status?.initContainerStatuses?.find(({ name }) => name === container.name);
  if (known?.ready === true) return known;
  const time = timestamp(now);
  const isSidecar = container.restartPolicy === "Always";
  const containerID = `sandbox://${pod.metadata.uid}/${container.name}/0`;
  const finished = { containerID, exitCode: 0, finishedAt: time, reason: "Completed", startedAt: time };
  const state: ContainerState = !hasStarted
    ? { waiting: { reason: "PodInitializing" } }
    : isSidecar
      ? { running: { startedAt: time } }
      : { terminated: finished };
  return {
    ...(hasStarted ? { containerID } : {}),
    image: container.image,
    imageID: hasStarted ? `sandbox://${container.image}` : "",
    lastState: {},
    name: container.name,
    ready: hasStarted,
    restartCount: 0,
    started: hasStarted && isSidecar,
    state,
  };
}
