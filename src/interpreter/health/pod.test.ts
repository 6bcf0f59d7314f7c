import { available, cases, condition, degraded, failed, progressing, unknown } from "../testing/workloadHealth.ts";

const containers = (state: object, more = {}): object => ({ containerStatuses: [{ name: "web", state, ...more }] });
const ready = (status: string): object => ({ conditions: [condition("Ready", status)] });
const unscheduled = condition("PodScheduled", "False", "Unschedulable", "no node is left");

cases("v1 Pod", [
  ["nobody has seen it", {}, progressing("NoReport")],
  [
    "no node takes it",
    { status: { phase: "Pending", conditions: [unscheduled] } },
    progressing("Unschedulable", "pods: no node is left"),
  ],
  [
    "its image cannot be pulled",
    { status: { phase: "Pending", ...containers({ waiting: { reason: "ErrImagePull", message: "not found" } }) } },
    progressing("ImagePullBackOff", "container web: not found"),
  ],
  ["runs and is ready", { status: { phase: "Running", ...ready("True") } }, available],
  [
    "runs and is not ready",
    { status: { phase: "Running", ...ready("False") } },
    progressing("PodsNotReady", "not all of its containers are ready"),
  ],
  [
    "ends again and again",
    {
      status: {
        phase: "Running",
        ...ready("False"),
        ...containers({ waiting: { reason: "CrashLoopBackOff" } }, { lastState: { terminated: { exitCode: 1 } } }),
      },
    },
    degraded("CrashLoopBackOff", "container web: exit code 1, again and again"),
  ],
  [
    "has to succeed, and runs",
    { spec: { restartPolicy: "Never" }, status: { phase: "Running", ...ready("True") } },
    progressing("PodRunning", "the pod has not come to its end yet", "Now"),
  ],
  ["has succeeded", { spec: { restartPolicy: "OnFailure" }, status: { phase: "Succeeded" } }, available],
  [
    "has to run, by default too, and has ended",
    { status: { phase: "Succeeded" } },
    failed("PodFailed", "the pod has ended, and was to run on"),
  ],
  [
    "was evicted from its node",
    { status: { phase: "Failed", reason: "Evicted", message: "the node was low on memory" } },
    failed("Evicted", "the node was low on memory"),
  ],
  [
    "has failed, and nobody says why",
    { spec: { restartPolicy: "Never" }, status: { phase: "Failed" } },
    failed("PodFailed", "a container of the pod failed"),
  ],
  ["its node is lost", { status: { phase: "Unknown" } }, unknown("NodeLost", "the node of the pod does not answer")],
]);
