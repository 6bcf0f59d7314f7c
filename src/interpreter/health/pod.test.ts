import { available, cases, condition, degraded, failed, progressing, unknown } from "../testing/workloadHealth.ts";

const containers = (state: object, more = {}): object => ({ containerStatuses: [{ name: "web", state, ...more }] });
const ready = (status: string): object => ({ conditions: [condition("Ready", status)] });
const unscheduled = condition("PodScheduled", "False", "Unschedulable", "no node is left");

cases("v1 Pod", [
  { name: "nobody has seen it", want: progressing("NoReport") },
  {
    name: "no node takes it",
    status: { phase: "Pending", conditions: [unscheduled] },
    want: progressing("Unschedulable", "pods: no node is left"),
  },
  {
    name: "its image cannot be pulled",
    status: { phase: "Pending", ...containers({ waiting: { reason: "ErrImagePull", message: "not found" } }) },
    want: progressing("ImagePullBackOff", "container web: not found"),
  },
  { name: "runs and is ready", status: { phase: "Running", ...ready("True") }, want: available },
  {
    name: "runs and is not ready",
    status: { phase: "Running", ...ready("False") },
    want: progressing("PodsNotReady", "not all of its containers are ready"),
  },
  {
    name: "ends again and again",
    status: {
      phase: "Running",
      ...ready("False"),
      ...containers({ waiting: { reason: "CrashLoopBackOff" } }, { lastState: { terminated: { exitCode: 1 } } }),
    },
    want: degraded("CrashLoopBackOff", "container web: exit code 1, again and again"),
  },
  {
    name: "has to succeed, and runs",
    spec: { restartPolicy: "Never" },
    status: { phase: "Running", ...ready("True") },
    want: progressing("PodRunning", "the pod has not come to its end yet", "Now"),
  },
  { name: "has succeeded", spec: { restartPolicy: "OnFailure" }, status: { phase: "Succeeded" }, want: available },
  {
    name: "has to run, by default too, and has ended",
    status: { phase: "Succeeded" },
    want: failed("PodFailed", "the pod has ended, and was to run on"),
  },
  {
    name: "was evicted from its node",
    status: { phase: "Failed", reason: "Evicted", message: "the node was low on memory" },
    want: failed("Evicted", "the node was low on memory"),
  },
  {
    name: "has failed, and nobody says why",
    spec: { restartPolicy: "Never" },
    status: { phase: "Failed" },
    want: failed("PodFailed", "a container of the pod failed"),
  },
  {
    name: "its node is lost",
    status: { phase: "Unknown" },
    want: unknown("NodeLost", "the node of the pod does not answer"),
  },
]);
