import type { KubeObject } from "../../src/apis/index.ts";
import { condition, conditions, type ReportedCase, type Status, T, template } from "./reportedStatuses.ts";

/** Reports of Jobs, in the orders in which their copies may finish. */

const job = (name: string, more: object = {}): KubeObject => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name, namespace: "default" },
  spec: { template: template("Never"), ...more },
});
const running = (start: number, more: object = {}): Status => ({
  active: 1,
  ready: 1,
  startTime: T(start),
  terminating: 0,
  ...more,
});
const complete = (start: number, end: number): Status => ({
  startTime: T(start),
  completionTime: T(end),
  succeeded: 1,
  ready: 0,
  terminating: 0,
  uncountedTerminatedPods: {},
  conditions: [condition("SuccessCriteriaMet"), condition("Complete")],
});
const failed = (start: number): Status => ({
  startTime: T(start),
  failed: 1,
  ready: 0,
  terminating: 0,
  uncountedTerminatedPods: {},
  conditions: [condition("FailureTarget"), condition("Failed", "True", { reason: "BackoffLimitExceeded" })],
});

export const REPORTED_JOBS: Record<string, ReportedCase> = {
  "a Job whose copies finish one after the other": {
    object: job("one-after-the-other"),
    reports: [
      [running(5), {}],
      [running(5), running(2)],
      [complete(5, 20), running(2)],
      [complete(5, 20), complete(2, 30)],
    ],
    want: {
      startTime: T(5),
      completionTime: T(30),
      succeeded: 2,
      conditions: conditions(["SuccessCriteriaMet", "True"], ["Complete", "True"]),
    },
  },
  "a Job that fails on one cluster while the other runs": {
    object: job("fails-first"),
    reports: [
      [running(1), running(2)],
      [failed(1), running(2)],
    ],
    want: { startTime: T(1), active: 1, failed: 1 },
  },
  "a Job that failed on one cluster and is complete on the other": {
    object: job("fails-and-completes"),
    reports: [
      [failed(1), running(2)],
      [failed(1), complete(2, 40)],
    ],
    want: {
      startTime: T(1),
      failed: 1,
      succeeded: 1,
      conditions: conditions(["FailureTarget", "True"], ["Failed", "True"]),
    },
  },
  "a finished Job of which a copy runs anew": {
    object: job("anew"),
    reports: [
      [complete(1, 10), complete(2, 11)],
      [running(30), complete(2, 11)],
    ],
    want: {
      startTime: T(1),
      completionTime: T(11),
      succeeded: 2,
      conditions: conditions(["SuccessCriteriaMet", "True"], ["Complete", "True"]),
    },
  },
  "a Job whose copy was made anew before the end": {
    object: job("lost-a-copy", { completions: 3, parallelism: 1 }),
    reports: [
      [running(1, { succeeded: 2 }), running(1, { succeeded: 1 })],
      [running(9, { succeeded: 0 }), running(1, { succeeded: 1 })],
    ],
    want: { startTime: T(1), succeeded: 3, active: 2 },
  },
  "an indexed Job": {
    object: job("indexed", { completionMode: "Indexed", completions: 3, parallelism: 3, backoffLimitPerIndex: 1 }),
    reports: [
      [running(1, { completedIndexes: "0", succeeded: 1 }), running(1, { completedIndexes: "0-1", succeeded: 2 })],
      [
        { ...complete(1, 9), succeeded: 3, completedIndexes: "0-2" },
        { ...complete(1, 8), succeeded: 3, completedIndexes: "0-2" },
      ],
    ],
    want: { succeeded: 6, completionTime: T(9) },
  },
  "a suspended Job": {
    object: job("suspended", { suspend: true }),
    reports: [
      [running(1), running(2)],
      [{ conditions: [condition("Suspended")] }, { conditions: [condition("Suspended")] }],
    ],
    want: { conditions: conditions(["Suspended", "True"]) },
  },
};
