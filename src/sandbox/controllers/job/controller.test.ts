import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { JOBS, type Pod, PODS } from "../shared/objects.ts";
import { TestSandbox } from "../testing/index.ts";
import { formatIndexes, type Job, parseIndexes } from "./account.ts";

function job(spec: Partial<Job["spec"]> = {}, image = "worker:1", restartPolicy = "Never"): Job {
  const labels = { "batch.kubernetes.io/job-name": "work" };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "work", namespace: "default" },
    spec: {
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
      completionMode: "NonIndexed",
      suspend: false,
      podReplacementPolicy: "TerminatingOrFailed",
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { restartPolicy, containers: [{ name: "main", image }] } },
      ...spec,
    },
  };
}

const statusOf = (sandbox: TestSandbox) => sandbox.get<Job>(JOBS, "work").status;

function conditionsOf(sandbox: TestSandbox): string[] {
  return (statusOf(sandbox)?.conditions ?? []).map(({ type, status, reason }) => `${type} ${status} ${reason}`);
}

describe("a Job", () => {
  test("runs its pods to completion, no more at once than parallelism says", async () => {
    await using sandbox = await TestSandbox.with(JOBS, job({ completions: 5, parallelism: 2 }), {
      options: { jobDurationMs: 1000 },
    });
    expect(statusOf(sandbox)).toMatchObject({ active: 2, ready: 2, terminating: 0 });
    await sandbox.pass(1500);
    expect(statusOf(sandbox)).toMatchObject({ active: 2, succeeded: 2 });
    await sandbox.pass(5000);
    expect(statusOf(sandbox)).toMatchObject({ succeeded: 5, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
    expect(statusOf(sandbox)).not.toHaveProperty("active");
    expect(statusOf(sandbox)?.completionTime).toBeDefined();
    expect(conditionsOf(sandbox)).toEqual([
      "SuccessCriteriaMet True CompletionsReached",
      "Complete True CompletionsReached",
    ]);
    expect(sandbox.pods()).toHaveLength(5);
    expect(sandbox.pods().flatMap(({ metadata }) => metadata.finalizers ?? [])).toEqual([]);
    expect(sandbox.events("work").at(-1)).toBe("Normal Completed Job completed");
  });

  test("gives up after backoffLimit failures, with ever longer pauses between them", async () => {
    await using sandbox = await TestSandbox.with(JOBS, job({ backoffLimit: 2 }, "worker:crash"), {
      options: { crashBackOffMs: 10_000 },
    });
    expect(statusOf(sandbox)).toMatchObject({ failed: 1 });
    await sandbox.pass(9000);
    expect(statusOf(sandbox)).toMatchObject({ failed: 1 });
    await sandbox.pass(2000);
    expect(statusOf(sandbox)).toMatchObject({ failed: 2 });
    await sandbox.pass(60_000);
    expect(statusOf(sandbox)).toMatchObject({ failed: 3 });
    expect(conditionsOf(sandbox)).toEqual([
      "FailureTarget True BackoffLimitExceeded",
      "Failed True BackoffLimitExceeded",
    ]);
    expect(sandbox.events("work").at(-1)).toBe(
      "Warning BackoffLimitExceeded Job has reached the specified backoff limit",
    );
  });

  test("whose pods are restarted gives up after backoffLimit restarts", async () => {
    await using sandbox = await TestSandbox.start({ options: { crashBackOffMs: 1000 } });
    await sandbox.create(JOBS, job({ backoffLimit: 2 }, "worker:crash", "OnFailure"));
    await sandbox.pass(60_000);
    expect(conditionsOf(sandbox).at(-1)).toBe("Failed True BackoffLimitExceeded");
    expect(sandbox.pods()).toEqual([]);
  });

  test("ends at its deadline, and its pods with it", async () => {
    await using sandbox = await TestSandbox.start({ options: { jobDurationMs: 60_000 } });
    await sandbox.create(JOBS, job({ activeDeadlineSeconds: 5 }));
    await sandbox.pass(10_000);
    expect(conditionsOf(sandbox)).toEqual(["FailureTarget True DeadlineExceeded", "Failed True DeadlineExceeded"]);
    expect(sandbox.pods()).toEqual([]);
  });

  test("has no pods while it is suspended", async () => {
    await using sandbox = await TestSandbox.with(JOBS, job({ suspend: true }));
    expect(sandbox.pods()).toEqual([]);
    expect(conditionsOf(sandbox)).toEqual(["Suspended True JobSuspended"]);
    await sandbox.change<Job>(JOBS, "work", (one) => ({ ...one, spec: { ...one.spec, suspend: false } }));
    await sandbox.pass(5000);
    expect(conditionsOf(sandbox)).toEqual([
      "Suspended False JobResumed",
      "SuccessCriteriaMet True CompletionsReached",
      "Complete True CompletionsReached",
    ]);
  });

  test("that is indexed runs each index once, and again when its pod failed", async () => {
    let broken = true;
    const fate = (_: string, pod: { metadata: { annotations?: Record<string, string> } }) =>
      broken && pod.metadata.annotations?.["batch.kubernetes.io/job-completion-index"] === "1"
        ? ("crashes" as const)
        : undefined;
    await using sandbox = await TestSandbox.start({ options: { fate } });
    await sandbox.create(JOBS, job({ completions: 4, parallelism: 4, completionMode: "Indexed" }));
    await sandbox.pass(5000);
    // The index fails at the start, and again after the success of the other indexes reset the backoff.
    expect(statusOf(sandbox)).toMatchObject({ succeeded: 3, failed: 2, completedIndexes: "0,2,3" });
    broken = false;
    await sandbox.pass(20_000);
    expect(statusOf(sandbox)).toMatchObject({ succeeded: 4, failed: 2, completedIndexes: "0-3" });
    expect(sandbox.list<Pod>(PODS)[0]).toMatchObject({
      metadata: { labels: { "batch.kubernetes.io/job-completion-index": "0" } },
      spec: { hostname: "work-0" },
    });
  });

  test("goes when its time is up, with its pods", async () => {
    await using sandbox = await TestSandbox.start();
    await sandbox.create(JOBS, job({ ttlSecondsAfterFinished: 30 }));
    await sandbox.pass(20_000);
    expect(sandbox.find(JOBS, "work")).toBeDefined();
    await sandbox.pass(20_000);
    expect([sandbox.list(JOBS), sandbox.pods()]).toEqual([[], []]);
  });

  test("that is deleted leaves no pod behind that its finalizer would keep", async () => {
    await using sandbox = await TestSandbox.with(JOBS, job({ parallelism: 3, completions: 3 }), {
      options: { jobDurationMs: 60_000 },
    });
    await sandbox.cluster.delete(JOBS, "default", "work", { propagationPolicy: "Background" });
    await sandbox.settle();
    expect(sandbox.pods()).toEqual([]);
  });

  test("counts a pod once, also when the sandbox is started anew in between", async () => {
    const first = await TestSandbox.start({ options: { jobDurationMs: 1000 } });
    await first.create(JOBS, job({ completions: 3, parallelism: 1 }));
    await first.pass(1500);
    await first[Symbol.asyncDispose]();
    await using second = await TestSandbox.start({ options: { jobDurationMs: 1000 } }, first.cluster);
    await second.pass(10_000);
    expect(statusOf(second)).toMatchObject({ succeeded: 3 });
    expect(second.pods()).toHaveLength(3);
  });
});

describe("indexes", () => {
  test.each([
    [[], ""],
    [[0], "0"],
    [[0, 1], "0,1"],
    [[0, 1, 2, 5, 7, 8], "0-2,5,7,8"],
  ])("%j are written as %j", (indexes, text) => expect(formatIndexes(indexes)).toBe(text));

  property.prop([fc.uniqueArray(fc.nat(50))])("are read as they were written", (indexes) => {
    const sorted = indexes.toSorted((a, b) => a - b);
    expect(parseIndexes(formatIndexes(sorted))).toEqual(sorted);
  });
});
