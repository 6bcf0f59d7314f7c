import { available, cases, condition } from "./testing.ts";

cases("batch/v1 CronJob", [
  { name: "just applied", want: available },
  { name: "suspended, as was asked for", spec: { suspend: true }, status: {}, want: available },
  {
    name: "never due until now",
    status: { lastScheduleTime: undefined },
    want: available,
  },
  {
    name: "the first run is under way",
    status: { lastScheduleTime: "2026-11-22T10:00:00Z", active: [{ name: "x-1" }] },
    want: available,
  },
  {
    name: "a later run is under way after one that failed",
    status: {
      lastScheduleTime: "2026-11-22T10:10:00Z",
      lastSuccessfulTime: "2026-11-22T09:50:00Z",
      active: [{ name: "x-2" }],
    },
    want: available,
  },
  {
    name: "the last run succeeded",
    status: { lastScheduleTime: "2026-11-22T10:00:00Z", lastSuccessfulTime: "2026-11-22T10:00:07Z" },
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
    want: {
      state: "Degraded",
      reason: "LastRunFailed",
      message: "the run of 2026-11-22T10:10:00Z failed; the last success was before it",
      serves: "Now",
    },
  },
  {
    name: "no run has ever succeeded",
    status: { lastScheduleTime: "2026-11-22T10:10:00Z", active: [] },
    want: {
      state: "Degraded",
      reason: "LastRunFailed",
      message: "the run of 2026-11-22T10:10:00Z failed; none has succeeded yet",
      serves: "Now",
    },
  },
  { name: "a time that nobody can read", status: { lastScheduleTime: "soon" }, want: available },
  {
    name: "on its way out",
    metadata: { deletionTimestamp: "2026-11-22T10:00:00Z" },
    want: { state: "Progressing", reason: "Terminating" },
  },
]);

cases("batch/v1 Job", [
  {
    name: "complete, also where it is suspended afterwards",
    spec: { suspend: true },
    status: { startTime: "x", conditions: [condition("Complete", "True")] },
    want: available,
  },
  {
    name: "its criteria are met, its pods are still ending",
    status: { startTime: "x", active: 1, succeeded: 2, conditions: [condition("SuccessCriteriaMet", "True")] },
    want: { state: "Progressing", reason: "JobRunning", message: "1 active, 2 succeeded" },
  },
  {
    name: "failed for the reason that its controller gives",
    status: {
      conditions: [condition("Failed", "True", "DeadlineExceeded", "Job was active longer than specified deadline")],
    },
    want: {
      state: "Failed",
      reason: "DeadlineExceeded",
      message: "Job was active longer than specified deadline",
    },
  },
]);
