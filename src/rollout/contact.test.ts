import { describe, expect, test } from "vitest";
import { BROKEN, FAILED, GOOD, stage, UNKNOWN, type World, world } from "./testing.ts";

describe("what is verified stays under observation", () => {
  const soaking = (): World => {
    const it = world({ stages: [stage("canary", { soak: "2m" }), stage("asia"), stage("rest")] });
    it.revision = 2;
    return it.wait(30);
  };

  test("an unhealthy soak writes the status once, not with every second", () => {
    const it = soaking();
    it.cluster("singapore-1").health = () => BROKEN;
    it.settle();
    const { status } = it;
    for (let second = 0; second < 60; second++) {
      it.now += 1000;
      it.step();
    }
    expect(it.status).toEqual(status);
  });

  test("what does not become healthy again while it soaks has failed after the time of the gate", () => {
    const it = soaking();
    it.cluster("singapore-1").health = (runs) => (runs === 2 ? BROKEN : GOOD);
    it.wait(601);
    expect(it.status?.state).toBe("RolledBack");
  });

  test("a cluster that fails while its stage waits for approval takes the run back", () => {
    const it = world({ stages: [stage("canary", { approval: "Manual" }), stage("asia"), stage("rest")] });
    it.revision = 2;
    it.settle();
    expect(it.status).toMatchObject({ state: "Paused", reason: "Gate" });
    it.cluster("singapore-1").health = (runs) => (runs === 2 ? FAILED : GOOD);
    it.settle();
    expect(it.status?.state).toBe("RolledBack");
  });

  test("a health that becomes known lets a run go on that paused for want of it, or takes it back", () => {
    for (const [health, state] of [
      [GOOD, "Succeeded"],
      [FAILED, "RolledBack"],
    ] as const) {
      const it = world();
      it.revision = 2;
      it.cluster("singapore-1").health = (runs) => (runs === 2 ? UNKNOWN : GOOD);
      it.wait(600);
      expect(it.status).toMatchObject({ state: "Paused", reason: "Unknown" });
      it.cluster("singapore-1").health = (runs) => (runs === 2 ? health : GOOD);
      it.settle();
      expect(it.status?.state).toBe(state);
    }
  });
});

describe("clusters that cannot be reached", () => {
  test("a stage that nobody can reach does not let the next one begin, until a person says so", () => {
    const it = world();
    it.revision = 2;
    it.cluster("singapore-1").inContact = false;
    it.wait(100_000);
    expect(it.status).toMatchObject({ state: "Paused", reason: "Unknown" });
    expect(it.runs()["shanghai-1"]).toBe(1);
    it.commands = { ...it.commands, resumedAt: "2026-11-22T09:00:00Z" };
    it.settle();
    expect(it.status?.state).toBe("Succeeded");
    expect(it.states()["singapore-1"]).toBe("Skipped");
  });

  test("a run in which nobody can be reached has not succeeded, and goes on with the first that can", () => {
    const it = world();
    it.revision = 2;
    for (const cluster of it.clusters.values()) cluster.inContact = false;
    it.wait(100_000);
    expect(it.status).toMatchObject({ state: "Paused", reason: "Unknown" });
    for (const cluster of it.clusters.values()) cluster.inContact = true;
    it.step();
    expect(it.runs()).toEqual({ "singapore-1": 2, "shanghai-1": 1, "shanghai-2": 1, "frankfurt-1": 1 });
    it.settle();
    expect(it.status?.state).toBe("Succeeded");
  });

  test("and goes on by itself when one of them is back", () => {
    const it = world();
    it.revision = 2;
    it.cluster("singapore-1").inContact = false;
    it.settle();
    it.cluster("singapore-1").inContact = true;
    it.settle();
    expect(it.status?.state).toBe("Succeeded");
  });

  test("when many are back at once, no more change at once than the stage allows", () => {
    const it = world({ stages: [stage("canary"), stage("asia", { maxConcurrency: 1 }), stage("rest")] });
    it.add("asia", "shanghai-3", "shanghai-4");
    it.settle();
    it.revision = 2;
    for (const name of ["shanghai-2", "shanghai-3", "shanghai-4"]) it.cluster(name).inContact = false;
    it.wait(3600);
    expect(it.status?.state).toBe("Succeeded");
    for (const name of ["shanghai-2", "shanghai-3", "shanghai-4"])
      Object.assign(it.cluster(name), { inContact: true, health: (runs: number) => (runs === 2 ? BROKEN : GOOD) });
    it.settle();
    expect(it.states()).toMatchObject({
      "shanghai-2": "Verifying",
      "shanghai-3": "Deferred",
      "shanghai-4": "Deferred",
    });
    expect(Object.values(it.runs()).filter((runs) => runs === 1).length).toBeGreaterThanOrEqual(2);
  });

  test("one that fails after it came back counts as a failure of its stage", () => {
    const it = world({ stages: [stage("canary"), stage("asia"), stage("rest", { approval: "Manual" })] });
    it.revision = 2;
    it.cluster("shanghai-2").inContact = false;
    it.settle();
    Object.assign(it.cluster("shanghai-2"), {
      inContact: true,
      health: (runs: number) => (runs === 2 ? FAILED : GOOD),
    });
    it.settle();
    expect(it.status?.state).toBe("RolledBack");
  });
});

describe("a manager that starts anew has heard of nobody yet", () => {
  /** As far as a run can come, each point with what it has done until then. */
  const points: [string, (it: World) => void][] = [
    ["nothing has begun", (it) => void (it.waitsForTurn = "others go first")],
    ["a cluster is being written", (it) => void (it.cluster("singapore-1").isSlow = true)],
    ["a cluster is not healthy yet", (it) => void (it.cluster("singapore-1").health = () => BROKEN)],
    ["a stage soaks", () => undefined],
    ["a stage waits for approval", (it) => void it.wait(120)],
    [
      "a person has paused it",
      (it) => void (it.commands = { ...it.commands, paused: true, approvals: new Map([["canary", "eve"]]) }),
    ],
    [
      "the clusters of a stage wait for each other",
      (it) => {
        it.commands = { ...it.commands, approvals: new Map([["canary", "eve"]]) };
        it.cluster("shanghai-1").isSlow = true;
        it.wait(120);
      },
    ],
    [
      "the run goes back",
      (it) => {
        it.wait(120);
        it.commands = { ...it.commands, abort: 2 };
        it.cluster("singapore-1").isSlow = true;
      },
    ],
    ["a cluster cannot be reached", (it) => void (it.cluster("singapore-1").inContact = false)],
  ];

  test.each(points)("%s: the run stands as it stood, however long it took", (_, act) => {
    const it = world({
      stages: [
        stage("canary", { soak: "2m", approval: "Manual", deadline: "20m" }),
        stage("asia", { maxConcurrency: 1, deadline: "20m" }),
        stage("rest"),
      ],
    });
    it.revision = 2;
    act(it);
    it.settle();
    const [{ status }, runs, told] = [it, it.runs(), it.log.length];
    it.now += 3_600_000;
    it.awaitsContact = true;
    it.settle();
    expect(it.status).toEqual(status);
    expect(it.log.slice(told)).toEqual([]);
    expect(it.last?.recheckAt).toBeUndefined();
    expect(it.runs()).toEqual(runs);
  });

  test("a new revision waits until they are heard of", () => {
    const it = world();
    it.awaitsContact = true;
    it.revision = 2;
    it.settle();
    expect(it.status).toMatchObject({ state: "Planned", revision: 2, lastGoodRevision: 1 });
    expect(new Set(Object.values(it.runs()))).toEqual(new Set([1]));
    it.awaitsContact = false;
    it.settle();
    expect(it.status?.state).toBe("Succeeded");
  });
});

describe("the way back", () => {
  test("clusters that still have a revision between the two go back as well, as many at once as may", () => {
    const it = world({
      stages: [stage("canary"), stage("asia", { approval: "Manual", maxConcurrency: 1 }), stage("rest")],
    });
    it.revision = 2;
    it.settle();
    expect(it.runs()).toMatchObject({ "shanghai-1": 2, "shanghai-2": 2 });
    it.revision = 3;
    it.cluster("singapore-1").health = (runs) => (runs === 3 ? FAILED : GOOD);
    it.step();
    for (const name of ["shanghai-1", "shanghai-2"]) it.cluster(name).isSlow = true;
    it.settle();
    expect(Object.values(it.states()).filter((state) => state === "Applying").length).toBe(1);
    for (const name of ["shanghai-1", "shanghai-2"]) it.cluster(name).isSlow = false;
    it.settle();
    expect(it.status?.state).toBe("RolledBack");
    expect(new Set(Object.values(it.runs()))).toEqual(new Set([1]));
  });

  test("what was unhealthy before, and had not been changed yet, does not make the rollback fail", () => {
    const it = world();
    it.cluster("singapore-1").health = () => BROKEN;
    it.cluster("singapore-1").isSlow = true;
    it.revision = 2;
    it.step();
    it.commands = { ...it.commands, abort: 2 };
    it.wait(3600);
    expect(it.status?.state).toBe("RolledBack");
  });
});

test("an object whose turn has not come plans nothing, and changes nothing", () => {
  const it = world();
  it.revision = 2;
  it.waitsForTurn = "others go first";
  it.settle();
  expect(it.status).toMatchObject({ state: "Planned", message: "others go first" });
  expect(new Set(Object.values(it.runs()))).toEqual(new Set([1]));
  it.waitsForTurn = undefined;
  it.settle();
  expect(it.status?.state).toBe("Succeeded");
});
