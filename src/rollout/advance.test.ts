import { describe, expect, test } from "vitest";
import { BROKEN, FAILED, GOOD, stage, threeRegions, UNKNOWN, World, world } from "./testing.ts";

describe("a rollout that succeeds", () => {
  test("the first revision goes by stages, too", () => {
    const fresh = new World(threeRegions).add("canary", "a").add("rest", "b");
    fresh.cluster("a").health = () => BROKEN;
    fresh.settle();
    expect(fresh.runs()).toEqual({ a: 1, b: 0 });
    fresh.cluster("a").health = () => ({ state: "Available", available: 1, desired: 1 });
    fresh.settle();
    expect(fresh.runs()).toEqual({ a: 1, b: 1 });
    expect(fresh.status?.state).toBe("Succeeded");
  });

  test("stage by stage, each one after the one before", () => {
    const it = world();
    it.revision = 2;
    it.step();
    expect(it.runs()).toEqual({ "singapore-1": 2, "shanghai-1": 1, "shanghai-2": 1, "frankfurt-1": 1 });
    it.settle();
    expect(it.runs()).toEqual({ "singapore-1": 2, "shanghai-1": 2, "shanghai-2": 2, "frankfurt-1": 2 });
    expect(it.status).toMatchObject({ state: "Succeeded", revision: 2, lastGoodRevision: 2 });
  });

  test("no more clusters at once than the stage allows", () => {
    const it = world({ stages: [stage("canary"), stage("asia", { maxConcurrency: "50%" }), stage("rest")] });
    it.revision = 2;
    for (const name of ["shanghai-1", "shanghai-2"]) it.cluster(name).health = (runs) => (runs === 2 ? BROKEN : GOOD);
    it.settle();
    expect(it.states()).toMatchObject({ "shanghai-1": "Verifying", "shanghai-2": "Waiting" });
    expect(it.turnOf("shanghai-2")).toBe("LastGood");
  });

  test("a stage soaks before the next one begins, and an unhealthy moment begins the time anew", () => {
    const it = world({ stages: [stage("canary", { soak: "2m" }), stage("asia"), stage("rest")] });
    it.revision = 2;
    it.wait(90);
    expect(it.status?.stages?.[0]?.state).toBe("Soaking");
    it.cluster("singapore-1").health = () => BROKEN;
    it.settle();
    it.cluster("singapore-1").health = () => GOOD;
    it.wait(100);
    expect(it.runs()["shanghai-1"]).toBe(1);
    it.wait(30);
    expect(it.status?.state).toBe("Succeeded");
  });

  test("a change that alters nothing anywhere is done at once", () => {
    const it = world();
    it.revision = 2;
    for (const cluster of it.clusters.values()) cluster.runs = 2;
    it.settle();
    expect(it.status?.state).toBe("Succeeded");
  });
});

describe("an object of which nothing was noted", () => {
  test("is rolled out already where it runs everywhere, as when a policy begins to speak of rollouts", () => {
    const it = new World(threeRegions).add("canary", "a").add("rest", "b");
    for (const cluster of it.clusters.values()) cluster.runs = 1;
    it.step();
    expect(it.status).toMatchObject({ state: "Succeeded", revision: 1, lastGoodRevision: 1, stages: [] });
    expect(it.log).toEqual([]);
  });

  test.each([
    { name: "runs on some clusters alone", runs: 0, wanted: true },
    { name: "is to have nothing on one of them", runs: 0, wanted: false },
  ])("goes by stages where it $name", ({ runs, wanted }) => {
    const it = new World(threeRegions).add("canary", "a").add("rest", "b");
    it.cluster("a").runs = 1;
    Object.assign(it.cluster("b"), { runs, wanted });
    it.step();
    expect(it.log[0]).toBe("Run:  -> Planned");
  });

  test("has a run, too, where it goes nowhere", () => {
    const it = new World(threeRegions);
    it.step();
    expect(it.log[0]).toBe("Run:  -> Planned");
    it.settle();
    expect(it.status?.state).toBe("Succeeded");
  });
});

describe("a rollout that fails", () => {
  test("rolls back what it changed, and nothing else, in reverse order", () => {
    const it = world();
    it.revision = 2;
    it.cluster("shanghai-2").health = (runs) => (runs === 2 ? FAILED : GOOD);
    it.settle();
    expect(it.status).toMatchObject({ state: "RolledBack", revision: 2, lastGoodRevision: 1 });
    expect(it.runs()).toEqual({ "singapore-1": 1, "shanghai-1": 1, "shanghai-2": 1, "frankfurt-1": 1 });
    expect(it.states()["frankfurt-1"]).toBe("Waiting");
    const back = it.log.filter((line) => line.endsWith("-> RolledBack") && line.startsWith("Cluster"));
    expect(back).toEqual([
      "Cluster shanghai-2: Applying -> RolledBack",
      "Cluster shanghai-1: Applying -> RolledBack",
      "Cluster singapore-1: Applying -> RolledBack",
    ]);
  });

  test("what is not available in time has failed", () => {
    const it = world();
    it.revision = 2;
    it.cluster("singapore-1").health = (runs) => (runs === 2 ? BROKEN : GOOD);
    it.wait(599);
    expect(it.status?.state).toBe("Progressing");
    it.wait(1);
    expect(it.status?.state).toBe("RolledBack");
    expect(it.log).toContain("Cluster singapore-1: Verifying -> Failed (ImagePullBackOff)");
  });

  test("the same revision is not tried again, and the next one is", () => {
    const it = world();
    it.revision = 2;
    it.cluster("singapore-1").health = (runs) => (runs === 2 ? FAILED : GOOD);
    it.settle().wait(100_000);
    const told = it.log.length;
    it.settle();
    expect(it.log.length).toBe(told);
    expect(it.runs()["singapore-1"]).toBe(1);
    it.revision = 3;
    it.settle();
    expect(it.status).toMatchObject({ state: "Succeeded", revision: 3 });
  });

  test("pauses where the policy says so, and goes on when a person says so, once", () => {
    const it = world({ onFailure: "Pause" });
    it.revision = 2;
    it.cluster("singapore-1").health = (runs) => (runs === 2 ? FAILED : GOOD);
    it.settle();
    expect(it.status).toMatchObject({ state: "Paused", reason: "Failures" });
    it.commands = { ...it.commands, resumedAt: "2026-11-22T09:00:00Z" };
    it.settle();
    expect(it.status).toMatchObject({ state: "Paused", reason: "Failures" });
    it.cluster("singapore-1").health = () => GOOD;
    it.settle();
    expect(it.status?.state).toBe("Paused");
    it.commands = { ...it.commands, resumedAt: "2026-11-22T09:01:00Z" };
    it.settle();
    expect(it.status?.state).toBe("Succeeded");
  });

  test("a first revision has nothing to return to", () => {
    const it = new World(threeRegions).add("canary", "a");
    it.cluster("a").health = () => FAILED;
    it.settle();
    expect(it.status).toMatchObject({ state: "Paused", reason: "Failures" });
  });

  test("a cluster that does not come back holds up no other one, and is what the pause is about", () => {
    const it = world();
    it.revision = 2;
    it.cluster("shanghai-2").health = (runs) => (runs === 2 ? FAILED : BROKEN);
    it.wait(700);
    expect(it.runs()).toMatchObject({ "singapore-1": 1, "shanghai-1": 1, "frankfurt-1": 1 });
    expect(it.status).toMatchObject({
      state: "Paused",
      reason: "RollbackFailed",
      message: "shanghai-2 is not back on the last good revision: ImagePullBackOff",
    });
  });

  test("a rollback that fails pauses, and does not roll forward", () => {
    const it = world();
    it.revision = 2;
    it.cluster("singapore-1").health = (runs) => (runs === 2 ? FAILED : BROKEN);
    it.wait(700);
    expect(it.status).toMatchObject({ state: "Paused", reason: "RollbackFailed" });
    const told = it.log.length;
    it.wait(10_000);
    expect(it.log.length).toBe(told);
    it.cluster("singapore-1").health = () => GOOD;
    it.commands = { ...it.commands, resumedAt: "2026-11-22T12:00:00Z" };
    it.settle();
    expect(it.status?.state).toBe("RolledBack");
  });
});

test("what nobody can judge pauses, and never rolls back or counts as success", () => {
  const it = world();
  it.revision = 2;
  it.cluster("singapore-1").health = (runs) => (runs === 2 ? UNKNOWN : GOOD);
  it.wait(600);
  expect(it.status).toMatchObject({ state: "Paused", reason: "Unknown" });
  expect(it.runs()).toMatchObject({ "singapore-1": 2, "shanghai-1": 1 });
});

test("a stage with approval waits at its end for a person, who is recorded", () => {
  const it = world({ stages: [stage("canary", { approval: "Manual" }), stage("asia"), stage("rest")] });
  it.revision = 2;
  it.settle();
  expect(it.status).toMatchObject({ state: "Paused", reason: "Gate" });
  expect(it.runs()).toMatchObject({ "singapore-1": 2, "shanghai-1": 1 });
  it.commands = { ...it.commands, approvals: new Map([["canary", "alice"]]) };
  it.settle();
  expect(it.status?.state).toBe("Succeeded");
  expect(it.status?.stages?.[0]?.approvedBy).toBe("alice");
});

test("pause lets nothing begin, and what has begun ends", () => {
  const it = world();
  it.revision = 2;
  it.step();
  it.commands = { ...it.commands, paused: true };
  it.settle();
  expect(it.status).toMatchObject({ state: "Paused", reason: "User" });
  expect(it.states()).toMatchObject({ "singapore-1": "Done", "shanghai-1": "Waiting" });
  it.commands = { ...it.commands, paused: false };
  it.settle();
  expect(it.status?.state).toBe("Succeeded");
});

test("abort rolls back; without a run it does nothing", () => {
  const it = world();
  it.commands = { ...it.commands, abort: 1 };
  it.settle();
  expect(it.status?.state).toBe("Succeeded");
  it.revision = 2;
  it.step();
  it.commands = { ...it.commands, abort: 2 };
  it.settle();
  expect(it.status?.state).toBe("RolledBack");
  expect(it.runs()["singapore-1"]).toBe(1);
});

test("an unreachable cluster is deferred and does not stop the others; when it comes back it gets its turn", () => {
  const it = world();
  it.revision = 2;
  it.cluster("shanghai-1").inContact = false;
  it.wait(1200);
  expect(it.status?.state).toBe("Succeeded");
  expect(it.states()["shanghai-1"]).toBe("Deferred");
  it.cluster("shanghai-1").inContact = true;
  it.settle();
  expect(it.runs()["shanghai-1"]).toBe(2);
  expect(it.states()["shanghai-1"]).toBe("Done");
});

test("a cluster that leaves is skipped, and one that joins gets the last good revision until the run is over", () => {
  const it = world({ stages: [stage("canary", { approval: "Manual" }), stage("asia"), stage("rest")] });
  it.revision = 2;
  it.settle();
  it.clusters.delete("shanghai-1");
  it.add("asia", "shanghai-3");
  it.settle();
  expect(it.runs()["shanghai-3"]).toBe(1);
  expect(it.states()["shanghai-1"]).toBe("Skipped");
  it.commands = { ...it.commands, approvals: new Map([["canary", "bob"]]) };
  it.settle();
  expect(it.status?.state).toBe("Succeeded");
  expect(it.runs()["shanghai-3"]).toBe(2);
});

test("a newer revision supersedes the run; who runs the one in between keeps it until its turn", () => {
  const it = world({ stages: [stage("canary"), stage("asia", { approval: "Manual" }), stage("rest")] });
  it.revision = 2;
  it.settle();
  it.revision = 3;
  it.cluster("singapore-1").health = (runs) => (runs === 3 ? BROKEN : GOOD);
  it.settle();
  expect(it.log).toContain("Run: Paused -> Superseded");
  expect(it.runs()).toEqual({ "singapore-1": 3, "shanghai-1": 2, "shanghai-2": 2, "frankfurt-1": 1 });
  expect(it.turnOf("shanghai-1")).toBe("Keep");
});
