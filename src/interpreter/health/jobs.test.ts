import { available, cases, condition, degraded, failed, progressing } from "../testing/workloadHealth.ts";

cases("batch/v1 CronJob", [
  { name: "just applied", want: available },
  {
    name: "a run is under way after one that failed",
    status: {
      lastScheduleTime: "2026-11-22T10:10:00Z",
      lastSuccessfulTime: "2026-11-22T09:50:00Z",
      active: [{ name: "x-2" }],
    },
    want: available,
  },
  {
    name: "the last run succeeded within the second in which it began",
    status: { lastScheduleTime: "2026-11-22T10:00:00Z", lastSuccessfulTime: "2026-11-22T10:00:00Z", active: [] },
    want: available,
  },
  {
    name: "the last run failed, one before it succeeded",
    status: { lastScheduleTime: "2026-11-22T10:10:00Z", lastSuccessfulTime: "2026-11-22T10:00:07Z" },
    want: degraded("LastRunFailed", "the run of 2026-11-22T10:10:00Z failed; the last success was before it", "Now"),
  },
  {
    name: "no run has ever succeeded",
    status: { lastScheduleTime: "2026-11-22T10:10:00Z", lastSuccessfulTime: "soon", active: "none" },
    want: degraded("LastRunFailed", "the run of 2026-11-22T10:10:00Z failed; none has succeeded yet", "Now"),
  },
  { name: "being deleted", metadata: { deletionTimestamp: "2026-11-22T10:00:00Z" }, want: progressing("Terminating") },
]);

cases("batch/v1 Job", [
  {
    name: "nobody has seen it",
    status: {},
    want: progressing("RolloutPending", "its controller has not started it yet"),
  },
  {
    name: "runs",
    status: {
      ...{ startTime: "x", active: 2, succeeded: 1 },
      conditions: ["Complete", "Failed"].map((type) => condition(type, "False")),
    },
    want: progressing("JobRunning", "2 active, 1 succeeded"),
  },
  {
    name: "complete, also where it is suspended afterwards",
    spec: { suspend: true },
    status: { startTime: "x", conditions: [condition("Complete", "True")] },
    want: available,
  },
  {
    name: "failed for the reason that its controller gives",
    status: { conditions: [condition("Failed", "True", "DeadlineExceeded", "it was active for too long")] },
    want: failed("DeadlineExceeded", "it was active for too long"),
  },
  { name: "will fail", status: { conditions: [condition("FailureTarget", "True")] }, want: failed("JobFailed", "") },
  { name: "suspended", spec: { suspend: true }, status: {}, want: progressing("JobSuspended", "the job is suspended") },
]);
