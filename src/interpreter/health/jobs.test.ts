import { available, cases, condition, degraded, failed, progressing } from "../testing/workloadHealth.ts";

cases("batch/v1 CronJob", [
  ["just applied", {}, available],
  [
    "a run is under way after one that failed",
    {
      status: {
        lastScheduleTime: "2026-11-22T10:10:00Z",
        lastSuccessfulTime: "2026-11-22T09:50:00Z",
        active: [{ name: "x-2" }],
      },
    },
    available,
  ],
  [
    "the last run succeeded within the second in which it began",
    { status: { lastScheduleTime: "2026-11-22T10:00:00Z", lastSuccessfulTime: "2026-11-22T10:00:00Z", active: [] } },
    available,
  ],
  [
    "the last run failed, one before it succeeded",
    { status: { lastScheduleTime: "2026-11-22T10:10:00Z", lastSuccessfulTime: "2026-11-22T10:00:07Z" } },
    degraded("LastRunFailed", "the run of 2026-11-22T10:10:00Z failed; the last success was before it", "Now"),
  ],
  [
    "no run has ever succeeded",
    { status: { lastScheduleTime: "2026-11-22T10:10:00Z", lastSuccessfulTime: "soon", active: "none" } },
    degraded("LastRunFailed", "the run of 2026-11-22T10:10:00Z failed; none has succeeded yet", "Now"),
  ],
  ["being deleted", { metadata: { deletionTimestamp: "2026-11-22T10:00:00Z" } }, progressing("Terminating")],
]);

cases("batch/v1 Job", [
  ["nobody has seen it", { status: {} }, progressing("RolloutPending", "its controller has not started it yet")],
  [
    "runs",
    {
      status: {
        ...{ startTime: "x", active: 2, succeeded: 1 },
        conditions: ["Complete", "Failed"].map((type) => condition(type, "False")),
      },
    },
    progressing("JobRunning", "2 active, 1 succeeded"),
  ],
  [
    "complete, also where it is suspended afterwards",
    { spec: { suspend: true }, status: { startTime: "x", conditions: [condition("Complete", "True")] } },
    available,
  ],
  [
    "failed for the reason that its controller gives",
    { status: { conditions: [condition("Failed", "True", "DeadlineExceeded", "it was active for too long")] } },
    failed("DeadlineExceeded", "it was active for too long"),
  ],
  ["will fail", { status: { conditions: [condition("FailureTarget", "True")] } }, failed("JobFailed", "")],
  ["suspended", { spec: { suspend: true }, status: {} }, progressing("JobSuspended", "the job is suspended")],
]);
