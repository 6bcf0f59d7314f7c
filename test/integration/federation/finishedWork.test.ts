import { describe, expect, test } from "vitest";
import type { FederatedStatus, KubeObject } from "../../../src/apis/index.ts";
import {
  ApiError,
  CONFIGMAPS,
  MANIFESTBUNDLES,
  MEMBERCLUSTERS,
  PLACEMENTS,
  RESOURCEBINDINGS,
} from "../../../src/runtime/index.ts";
import { bundle, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";
import { configMap, JOBS } from "./objects.ts";

/** Work that has come to its end is neither done again nor moved, whatever happens to clusters, managers and copies. */

const SELECTS = [
  { apiVersion: "batch/v1", kind: "Job" },
  { apiVersion: "federation.paas.cmft.com/v1alpha1", kind: "ManifestBundle" },
];
const [A, B] = ["a", "b"] as const;

/** Its pods end by themselves, unless the member lets them stick; with the image `crash` they fail. */
const job = (name: string, image = "work:1", spec: object = {}): KubeObject => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name, namespace: "default" },
  spec: {
    backoffLimit: 0,
    ...spec,
    template: { spec: { restartPolicy: "Never", containers: [{ name: "work", image }] } },
  },
});

const policy = placement("work").selects(...SELECTS);
const ordered = policy.affinity(...[A, B].map((name) => ({ name, clusterNames: [name] })));

function statusOf(federation: TestFederation, name: string): FederatedStatus | undefined {
  const found =
    federation.hub.find(RESOURCEBINDINGS, "default", `job.batch.${name}`) ??
    federation.hub.find(MANIFESTBUNDLES, "default", name);
  return found?.["status"] as FederatedStatus | undefined;
}

const finishedOn = (federation: TestFederation, name: string): string[] =>
  (statusOf(federation, name)?.finished?.clusters ?? []).map((cluster) => cluster.name);
const isThere = (federation: TestFederation, cluster: string, name = "work"): boolean =>
  federation.member(cluster).server.has(JOBS, "default", name);
/** How often Jobs were written to the member. */
const runs = (federation: TestFederation, cluster: string): number =>
  federation.member(cluster).writes.filter((write) => /\bjobs?\b/i.test(write)).length;

/** A Job that has come to its end on the first of the clusters, and is gone there, as its TTL would have it. */
async function finished(where = ordered, ...names: string[]): Promise<TestFederation> {
  const federation = await TestFederation.start(...(names.length === 0 ? [A, B] : names));
  await federation.apply(PLACEMENTS, where);
  await federation.apply(JOBS, job("work"));
  await federation.until(() => finishedOn(federation, "work").includes(A));
  await deleteJob(federation, A);
  await federation.until(() => !isThere(federation, A));
  return federation;
}

/** As kubectl does it: the API server's own choice for Jobs is to orphan their pods. */
async function deleteJob(federation: TestFederation, cluster?: string): Promise<void> {
  const server = cluster === undefined ? federation.hub : federation.member(cluster).server;
  await server.connect(federation.clock).delete(JOBS, "default", "work");
}

async function stays(federation: TestFederation, ms = 20_000): Promise<void> {
  await federation.pass(ms);
  expect([A, B].filter((name) => isThere(federation, name))).toEqual([]);
  expect(runs(federation, B)).toBe(0);
}

describe("a Job that has come to its end and is gone", () => {
  test("stays so where the record was late", async () => {
    await using federation = await TestFederation.start(A, B);
    federation.member(A).stickPods();
    await federation.apply(PLACEMENTS, ordered);
    await federation.apply(JOBS, job("work"));
    await federation.until(() => isThere(federation, A));
    await federation.pass(5_000);
    const refusal = new ApiError(503, "ServiceUnavailable", "not now");
    federation.refuse = (verb) => (verb === "applyStatus" ? refusal : undefined);
    const { server } = federation.member(A);
    const at = new Date(federation.clock.now()).toISOString();
    const condition = (type: string) => ({ type, status: "True", lastTransitionTime: at, lastProbeTime: at });
    const conditions = ["SuccessCriteriaMet", "Complete"].map(condition);
    await server.merge(
      JOBS,
      "default",
      "work",
      { status: { conditions, startTime: at, completionTime: at } },
      "status",
    );
    await deleteJob(federation, A);
    await federation.until(() => !isThere(federation, A));
    await stays(federation);
    federation.refuse = () => undefined;
    await federation.until(() => finishedOn(federation, "work").includes(A));
    await stays(federation);
  });

  test("runs nowhere else when its cluster is tainted, lost, or leaves", async () => {
    await using federation = await finished(ordered.failover({ gracePeriod: "60s", maxUnhealthyClusters: "100%" }));
    const taints = [{ key: "maintenance", effect: "NoExecute" }];
    await federation.hub.merge(MEMBERCLUSTERS, undefined, A, { spec: { taints } });
    await stays(federation);
    await federation.hub.merge(MEMBERCLUSTERS, undefined, A, { spec: { taints: null } });

    federation.member(A).cutOff();
    await stays(federation, 200_000);
    expect(statusOf(federation, "work")?.departures ?? []).toEqual([]);
    expect(statusOf(federation, "work")?.clusters).toMatchObject([{ name: A, state: "Available", reason: "Finished" }]);
    federation.member(A).comeBack();
    await federation.pass(30_000);

    await federation.hub.delete(MEMBERCLUSTERS, undefined, A);
    await federation.until(() => finishedOn(federation, "work").join() === B, 120_000);
    await stays(federation);
  });

  test("stays so when somebody removes the binding with the record", async () => {
    await using federation = await finished();
    await federation.hub.delete(RESOURCEBINDINGS, "default", "job.batch.work");
    await federation.pass(10_000);
    expect(finishedOn(federation, "work")).toEqual([A]);
    await stays(federation);
  });
});

test("a Job that has failed for good is not tried again, nor moved for its health", async () => {
  await using federation = await TestFederation.start(A, B);
  await federation.apply(PLACEMENTS, ordered.failover({ unhealthyAfter: "30s" }));
  await federation.apply(JOBS, job("work", "work:crash"));
  await federation.until(() => finishedOn(federation, "work").includes(A));
  await federation.pass(120_000);
  expect(statusOf(federation, "work")?.clusters).toMatchObject([{ name: A, state: "Failed" }]);
  expect(runs(federation, B)).toBe(0);
});

describe("a bundle with a Job", () => {
  const of = (image: string, settings = "1"): KubeObject =>
    bundle("parts", [job("work", image), configMap("beside", { settings })]);

  test("moves without running it again, and comes back without", async () => {
    await using federation = await TestFederation.start(A, B);
    await federation.apply(PLACEMENTS, ordered);
    await federation.apply(MANIFESTBUNDLES, of("work:1"));
    await federation.until(() => finishedOn(federation, "parts").join() === A);
    const taint = (taints: { key: string; effect: string }[] | null) =>
      federation.hub.merge(MEMBERCLUSTERS, undefined, A, { spec: { taints } });
    const has = (name: string) => federation.member(name).server.has(CONFIGMAPS, "default", "beside");
    await taint([{ key: "maintenance", effect: "NoExecute" }]);
    await federation.until(() => has(B) && !has(A));
    await federation.until(() => finishedOn(federation, "parts").join() === B);
    await federation.restart();
    await federation.pass(20_000);
    await taint(null);
    await federation.until(() => has(A) && !has(B));
    await federation.pass(20_000);
    expect([A, B].map((name) => isThere(federation, name))).toEqual([false, false]);
    expect(runs(federation, B)).toBe(0);
  });

  test("changes beside it, rolls out and back, and runs what had come to its end no second time", async () => {
    await using federation = await TestFederation.start(A, B);
    await federation.apply(PLACEMENTS, policy.rollsOut({ gate: { timeout: "20s" }, onFailure: "Rollback" }, A, B));
    const rollout = () => statusOf(federation, "parts")?.rollout;
    await federation.apply(MANIFESTBUNDLES, of("work:1"));
    await federation.until(() => rollout()?.state === "Succeeded");
    const gone = async (): Promise<void> => {
      for (const name of [A, B]) if (isThere(federation, name)) await deleteJob(federation, name);
    };
    await gone();
    await federation.pass(5_000);

    // The same work, other settings.
    await federation.apply(MANIFESTBUNDLES, of("work:1", "2"));
    await federation.until(() => rollout()?.state === "Succeeded" && rollout()?.revision === 2);
    expect([A, B].map((name) => isThere(federation, name))).toEqual([false, false]);

    // Other work, which fails on the first cluster: the work of before is not done again there.
    const before = runs(federation, A);
    await federation.apply(MANIFESTBUNDLES, of("work:crash", "2"));
    await federation.until(() => rollout()?.state === "RolledBack", 200_000);
    expect(runs(federation, A)).toBeGreaterThan(before);
    await federation.until(() => !isThere(federation, A));
    await federation.pass(30_000);
    expect([A, B].map((name) => isThere(federation, name))).toEqual([false, false]);
    await federation.restart();
    await federation.pass(20_000);
    expect([A, B].map((name) => isThere(federation, name))).toEqual([false, false]);
  });
});

test("a person who deletes a Job on the hub removes copies that still run", async () => {
  await using federation = await TestFederation.start(A);
  federation.member(A).stickPods();
  await federation.apply(PLACEMENTS, policy);
  await federation.apply(JOBS, job("work", "work:1", { ttlSecondsAfterFinished: 100 }));
  await federation.until(() => isThere(federation, A));
  await deleteJob(federation);
  await federation.until(() => !isThere(federation, A) && !federation.hub.has(JOBS, "default", "work"));
});
