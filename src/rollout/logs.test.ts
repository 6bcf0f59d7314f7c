import { expect, test } from "vitest";
import { BROKEN, FAILED, GOOD, stage, World, world } from "./testing.ts";

/** What a run says, line by line, with the seconds since the start: read the files in `testdata` to know how a rollout goes. */
const golden = (name: string): string => `testdata/${name}.golden.txt`;

/** As KubeFleet's page on staged update runs does: a timed wait after the first stage, an approval after the second, half of the third at once. */
test("staging, canary and production, with a timed wait and an approval", async () => {
  const it = new World({
    stages: [
      stage("staging", { soak: "1h" }),
      stage("canary", { approval: "Manual" }),
      stage("production", { maxConcurrency: "50%" }),
    ],
  });
  it.add("staging", "member1").add("canary", "member2").add("production", "member3", "member4");
  it.add(undefined, "member5");
  it.wait(4_000);
  it.commands = { ...it.commands, approvals: new Map([["canary", "alice"]]) };
  it.wait(60);
  await expect(it.timed.join("\n")).toMatchFileSnapshot(golden("staged-update"));
});

/**
 * As KubeFleet's guide to update runs does: staging with a wait of a minute, then two canaries in an order of their own (which is a stage each here),
 * an approval, and a second run that takes everything back to the revision before.
 */
test("staging, two canaries in order, an approval, and the earlier revision by a run of its own", async () => {
  const it = new World({
    stages: [stage("staging", { soak: "1m" }), stage("canary-1"), stage("canary-2", { approval: "Manual" })],
  });
  it.add("staging", "member2").add("canary-1", "member3").add("canary-2", "member1");
  const approve = (): void => {
    it.commands = { paused: false, approvals: new Map([["canary-2", "alice"]]) };
    it.wait(10);
    it.commands = { paused: false, approvals: new Map() };
  };
  it.wait(90);
  approve();
  for (const revision of [2, 1]) {
    it.revision = revision;
    it.wait(90);
    approve();
    expect(it.status).toMatchObject({ state: "Succeeded", revision, lastGoodRevision: revision });
  }
  await expect(it.timed.join("\n")).toMatchFileSnapshot(golden("update-run-and-back"));
});

/** As KubeFleet's page on staged update runs says of a stage with both: the wait and the approval have to be over. */
test("a stage that waits and asks for approval goes on when it has both", async () => {
  const it = new World({ stages: [stage("production", { maxConcurrency: 1, approval: "Manual", soak: "1h" })] });
  it.add("production", "member1", "member2");
  it.commands = { ...it.commands, approvals: new Map([["production", "alice"]]) };
  it.wait(3_599);
  expect(it.status?.state).toBe("Progressing");
  it.wait(1);
  await expect(it.timed.join("\n")).toMatchFileSnapshot(golden("wait-and-approval"));
});

/**
 * As Open Cluster Management's rollout strategy `Progressive` does: two canary groups first, then a quarter of the rest at once, five minutes of
 * success before the next, ten minutes for each, and two failures are borne. The next ones stop the rollout.
 */
test("mandatory groups, then a quarter at once, and one failure too many", async () => {
  const it = new World({
    stages: [
      stage("prod-canary-west", { soak: "5m" }),
      stage("prod-canary-east", { soak: "5m" }),
      stage("rest", { maxConcurrency: "25%", maxFailures: 2 }),
    ],
    gate: { timeout: "10m" },
    onFailure: "Pause",
  });
  it.add("prod-canary-west", "west-1").add("prod-canary-east", "east-1");
  it.add("rest", ...Array.from({ length: 8 }, (_, i) => `c${i + 1}`));
  it.wait(3_600);
  it.timed.length = 0;
  it.revision = 2;
  for (const name of ["c2", "c4", "c5", "c6"]) it.cluster(name).health = (runs) => (runs === 2 ? BROKEN : GOOD);
  it.wait(7_200);
  expect(it.status).toMatchObject({ state: "Paused", reason: "Failures" });
  expect(it.runs()).toMatchObject({ c1: 2, c3: 2, c8: 1 });
  await expect(it.timed.join("\n")).toMatchFileSnapshot(golden("progressive"));
});

/** As its strategy `ProgressivePerGroup`: the clusters of a group at once, one group after the other. */
test("group by group, all clusters of a group at once", async () => {
  const it = new World({
    stages: [stage("prod-canary-west"), stage("prod-canary-east"), stage("rest", { maxFailures: 2 })],
    gate: { timeout: "10m" },
  });
  it.add("prod-canary-west", "west-1", "west-2").add("prod-canary-east", "east-1", "east-2").add("rest", "c1", "c2");
  it.cluster("c2").health = () => BROKEN;
  it.wait(3_600);
  expect(it.status?.state).toBe("Succeeded");
  await expect(it.timed.join("\n")).toMatchFileSnapshot(golden("progressive-per-group"));
});

/** As KubeFleet's page on safe rollouts: three of four clusters are picked, a bad image comes to one of them, and stays there alone. */
test("one cluster at once, and the first never becomes available", async () => {
  const it = new World({ stages: [stage("all", { maxConcurrency: 1 })], gate: { timeout: "10m" } });
  it.add("all", "cluster-1", "cluster-2", "cluster-3");
  it.wait(60);
  it.timed.length = 0;
  it.revision = 2;
  for (const cluster of it.clusters.values()) cluster.health = (runs) => (runs === 2 ? BROKEN : GOOD);
  it.wait(7_200);
  expect(it.runs()).toEqual({ "cluster-1": 2, "cluster-2": 1, "cluster-3": 1 });
  await expect(it.timed.join("\n")).toMatchFileSnapshot(golden("stuck-at-the-first"));
});

/** As a canary of Argo Rollouts: some, a pause without an end, more, and the analysis that fails takes back all of it. */
test("a canary in growing steps, whose analysis fails at the second", async () => {
  const it = world({
    stages: [stage("canary", { approval: "Manual" }), stage("asia", { maxConcurrency: 1, soak: "5m" }), stage("rest")],
    gate: { prometheus: { query: "sum(rate(errors[5m])) < bool 1" } },
  });
  it.timed.length = 0;
  it.revision = 2;
  it.wait(600);
  it.gates = new Map([["canary", "Passed"]]);
  it.wait(600);
  it.commands = { ...it.commands, approvals: new Map([["canary", "alice"]]) };
  it.wait(600);
  it.gates = new Map([...it.gates, ["asia", "Failed"]]);
  it.wait(600);
  await expect(it.timed.join("\n")).toMatchFileSnapshot(golden("canary-analysis"));
});

test("the second region fails, and the first goes back with it", async () => {
  const it = world();
  it.timed.length = 0;
  it.revision = 2;
  it.cluster("shanghai-1").health = (runs) => (runs === 2 ? BROKEN : GOOD);
  it.wait(700);
  await expect(it.timed.join("\n")).toMatchFileSnapshot(golden("second-region-fails"));
});

test("a newer edit in the middle, a cluster that cannot be reached, and one that leaves", async () => {
  const it = world({ stages: [stage("canary", { soak: "1m" }), stage("asia"), stage("rest")] });
  it.timed.length = 0;
  it.revision = 2;
  it.wait(30);
  it.revision = 3;
  it.cluster("shanghai-2").inContact = false;
  it.wait(30);
  it.clusters.delete("frankfurt-1");
  it.wait(120);
  it.cluster("shanghai-2").inContact = true;
  it.wait(10);
  await expect(it.timed.join("\n")).toMatchFileSnapshot(golden("edits-and-contact"));
});

test("abort in the last stage, while a cluster of the first cannot go back", async () => {
  const it = world();
  it.timed.length = 0;
  it.revision = 2;
  it.cluster("frankfurt-1").isSlow = true;
  it.settle();
  it.cluster("singapore-1").health = () => FAILED;
  it.commands = { ...it.commands, abort: 2 };
  it.wait(900);
  it.cluster("singapore-1").health = () => GOOD;
  it.commands = { ...it.commands, resumedAt: "2026-11-22T12:00:00Z" };
  it.wait(60);
  await expect(it.timed.join("\n")).toMatchFileSnapshot(golden("rollback-fails"));
});
