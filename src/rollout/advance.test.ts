import { describe, expect, test } from "vitest";
import { stopOf } from "./stop.ts";
import { BROKEN, FAILED, GOOD, stage, START, threeRegions, UNKNOWN, World, world } from "./testing.ts";
import type { RolloutHealth, RolloutPolicy } from "./types.ts";

/** A run as a whole. The logs in `testdata` show how it goes, and the simulation what always holds. */

/** Revision 2 begins; the named clusters have this health with it. */
function begun(policy: Partial<RolloutPolicy> = {}, health: Record<string, RolloutHealth> = {}): World {
  const it = world(policy);
  it.revision = 2;
  for (const [name, one] of Object.entries(health))
    it.cluster(name).health = (revision) => (revision === 2 ? one : GOOD);
  return it;
}
const said = ({ status }: World): (string | undefined)[] => [status?.state, status?.reason, status?.message];

describe("an object of which nothing was noted", () => {
  test("is rolled out already where it runs everywhere, as when a policy begins to speak of rollouts", () => {
    const it = new World(threeRegions).add("canary", "a").add("rest", "b");
    for (const cluster of it.clusters.values()) cluster.runs = 1;
    it.step();
    expect(it.status).toMatchObject({ state: "Succeeded", revision: 1, lastGoodRevision: 1, stages: [] });
    expect(it.log).toEqual([]);
  });

  test.each([
    ["runs on some clusters alone", true],
    ["is to have nothing on one of them", false],
  ])("goes by stages where it %s", (_name, wanted) => {
    const it = new World(threeRegions).add("canary", "a").add("rest", "b");
    it.cluster("a").runs = 1;
    it.cluster("b").wanted = wanted;
    it.step();
    expect(it.log[0]).toBe("Run:  -> Planned");
  });
});

describe("a rollout that fails", () => {
  test("is not tried again, and the next revision is", () => {
    const it = begun({}, { "singapore-1": FAILED }).settle().wait(100_000);
    const before = it.log.length;
    it.settle();
    expect([it.log.length, it.runs()["singapore-1"]]).toEqual([before, 1]);
    it.revision = 3;
    it.settle();
    expect(it.status).toMatchObject({ state: "Succeeded", revision: 3 });
  });

  test("pauses if the policy says so, and each command of a person resumes it once", () => {
    const it = begun({ onFailure: "Pause" }, { "singapore-1": FAILED }).settle();
    expect(said(it).slice(0, 2)).toEqual(["Paused", "Failures"]);
    it.commands = { ...it.commands, resumedAt: "2026-11-22T09:00:00Z" };
    expect(said(it.settle()).slice(0, 2)).toEqual(["Paused", "Failures"]);
    it.cluster("singapore-1").health = () => GOOD;
    expect(it.settle().status?.state).toBe("Paused");
    it.commands = { ...it.commands, resumedAt: "2026-11-22T09:01:00Z" };
    expect(it.settle().status?.state).toBe("Succeeded");
  });

  test("has the whole deadline of its stage again when a person resumes it", () => {
    const stages = [stage("canary", { deadline: "20m" }), stage("asia"), stage("rest")];
    const it = begun({ onFailure: "Pause", stages }, { "singapore-1": FAILED }).wait(2000);
    expect(said(it).slice(0, 2)).toEqual(["Paused", "Failures"]);
    it.cluster("singapore-1").health = () => BROKEN;
    it.commands = { ...it.commands, resumedAt: "2026-11-22T12:00:00Z" };
    it.step();
    expect(it.status?.state).toBe("Progressing");
  });

  test("that cannot go back does not go forward either", () => {
    const it = begun();
    it.cluster("singapore-1").health = (runs) => (runs === 2 ? FAILED : BROKEN);
    it.wait(700);
    expect(said(it).slice(0, 2)).toEqual(["Paused", "RollbackFailed"]);
    const before = it.log.length;
    expect(it.wait(10_000).log.length).toBe(before);
    it.cluster("singapore-1").health = () => GOOD;
    it.commands = { ...it.commands, resumedAt: "2026-11-22T12:00:00Z" };
    expect(it.settle().status?.state).toBe("RolledBack");
  });
});

test("an unhealthy soak writes the status once, not every second", () => {
  const it = begun({ stages: [stage("canary", { soak: "2m" }), stage("asia"), stage("rest")] }).wait(30);
  it.cluster("singapore-1").health = () => BROKEN;
  const { status } = it.settle();
  for (let second = 0; second < 60; second++) {
    it.now += 1000;
    it.step();
  }
  expect(it.status).toEqual(status);
});

test.each<[RolloutHealth, string]>([
  [GOOD, "Succeeded"],
  [FAILED, "RolledBack"],
])("a run that paused for want of a verdict goes on with it: %j", (health, state) => {
  const it = begun({}, { "singapore-1": UNKNOWN }).wait(600);
  expect(said(it).slice(0, 2)).toEqual(["Paused", "Unknown"]);
  expect(it.runs()).toMatchObject({ "singapore-1": 2, "shanghai-1": 1 });
  it.cluster("singapore-1").health = (runs) => (runs === 2 ? health : GOOD);
  expect(it.settle().status?.state).toBe(state);
});

describe("clusters that cannot be reached", () => {
  test("keep the next stage from beginning if they are a whole stage, until a person says so", () => {
    const it = begun();
    it.cluster("singapore-1").inContact = false;
    it.wait(100_000);
    expect([...said(it).slice(0, 2), it.runs()["shanghai-1"]]).toEqual(["Paused", "Unknown", 1]);
    it.commands = { ...it.commands, resumedAt: "2026-11-22T09:00:00Z" };
    it.settle();
    expect([it.status?.state, it.states()["singapore-1"]]).toEqual(["Succeeded", "Skipped"]);
  });
});

describe("a manager that starts anew has heard of nobody yet", () => {
  /** As far as a run can come, each point with what it has done until then. */
  const points: [string, (it: World) => void][] = [
    ["nothing has begun", (it) => void (it.waitsForTurn = "others go first")],
    ["a cluster is being written", (it) => void (it.cluster("singapore-1").isSlow = true)],
    ["a stage soaks", () => undefined],
    [
      "a person has paused it",
      (it) => void (it.commands = { ...it.commands, paused: true, approvals: new Map([["canary", "eve"]]) }),
    ],
    [
      "the run goes back",
      (it) => {
        it.wait(120);
        it.commands = { ...it.commands, abort: 2 };
        it.cluster("singapore-1").isSlow = true;
      },
    ],
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

const WAITS = "others go first";

/** Revision 1 is everywhere, and 2 is wanted. The policy bounds how many objects roll out at once. */
function inTurn(): World {
  const stages = [stage("first", { approval: "Manual" }), stage("second")];
  const it = new World({ stages }).add("first", "a").add("second", "b");
  it.commands = { paused: false, approvals: new Map([["first", "anna"]]) };
  it.settle();
  expect(it.status?.state).toBe("Succeeded");
  it.commands = { paused: false, approvals: new Map() };
  it.revision = 2;
  return it;
}

describe("a run that has not begun", () => {
  test("and is paused, asks for no turn until it is resumed", () => {
    const it = inTurn();
    it.waitsForTurn = WAITS;
    it.commands = { ...it.commands, paused: true };
    it.settle();
    expect(it.status).toMatchObject({ state: "Planned", reason: "User" });
    expect(it.status).not.toHaveProperty("stages");
    expect(it.runs()).toEqual({ a: 1, b: 1 });
    it.commands = { ...it.commands, paused: false };
    it.settle();
    expect(it.status).toMatchObject({ state: "Planned", message: WAITS });
    expect(it.status).not.toHaveProperty("reason");
  });

  test("and is aborted, is taken back at once", () => {
    const it = inTurn();
    it.waitsForTurn = WAITS;
    it.settle();
    it.commands = { ...it.commands, abort: 2 };
    it.settle();
    expect(it.status?.state).toBe("RolledBack");
    expect(it.runs()).toEqual({ a: 1, b: 1 });
  });
});

describe("a run that has yielded its turn", () => {
  const yielded = (): World => {
    const it = inTurn();
    it.settle();
    expect(it.status).toMatchObject({ state: "Paused", reason: "Gate" });
    it.waitsForTurn = WAITS;
    return it;
  };

  test("stays as it is while it has nothing to go on with", () => {
    const it = yielded();
    const before = it.status;
    it.settle();
    expect(it.status).toEqual(before);
    expect(it.runs()).toEqual({ a: 2, b: 1 });
  });

  test("waits for another turn before it goes on, and begins nothing meanwhile", () => {
    const it = yielded();
    it.commands = { ...it.commands, approvals: new Map([["first", "anna"]]) };
    it.settle();
    expect(it.status).toMatchObject({ state: "Planned", message: WAITS });
    expect(it.runs()).toEqual({ a: 2, b: 1 });
    const plan = it.status?.stages?.map(({ name }) => name);
    it.waitsForTurn = undefined;
    it.settle();
    expect(it.status).toMatchObject({ state: "Succeeded" });
    expect(it.status?.stages?.map(({ name }) => name)).toEqual(plan);
    expect(it.runs()).toEqual({ a: 2, b: 2 });
  });

  test("goes back without one", () => {
    const it = yielded();
    it.commands = { ...it.commands, abort: 2 };
    it.settle();
    expect(it.status?.state).toBe("RolledBack");
    expect(it.runs()).toEqual({ a: 1, b: 1 });
  });
});

describe("a run stops", () => {
  const since = "2026-11-22T08:00:00Z";
  const stages = [stage("first", { deadline: "5m" }), stage("second", { deadline: "10m" })];

  test.each<[string, RolloutPolicy, number]>([
    ["an hour, where the policy says nothing", {}, 3600],
    ["the deadline of its stage", { stages }, 600],
    ["what the policy says", { stages, yieldAfter: "2h" }, 7200],
  ])("for %s", (_name, policy, seconds) => {
    const reached = [
      { name: "first", state: "Succeeded" as const },
      { name: "second", state: "Paused" as const },
    ];
    const stop = stopOf(policy, { state: "Paused", since, stages: reached });
    expect(stop).toEqual({ since: START, patienceMs: seconds * 1000 });
  });

  test("when it is paused or rolled back", () => {
    const states = [
      "Planned",
      "Progressing",
      "Paused",
      "RollingBack",
      "RolledBack",
      "Succeeded",
      "Superseded",
    ] as const;
    expect(states.filter((state) => stopOf({}, { state, since }) !== undefined)).toEqual(["Paused", "RolledBack"]);
  });
});

describe("what a run says", () => {
  const WHY = "somebody has changed revision 1";
  const BAD = { "singapore-1": FAILED };
  const FAILURE = "stage canary: singapore-1 (ProgressDeadlineExceeded) failed";

  test("why it paused or went back", () => {
    expect(said(begun({ onFailure: "Pause" }, BAD).settle())).toEqual(["Paused", "Failures", FAILURE]);
    expect(said(begun({}, BAD).settle())).toEqual(["RolledBack", undefined, FAILURE]);
  });

  test.each<[string, Partial<World["commands"]>, string[]]>([
    ["paused", { paused: true }, ["Paused", "User", "paused by a person: `meridian rollout resume NAME` goes on"]],
    ["aborted", { abort: 2 }, ["RolledBack", "", "aborted"]],
  ])("that a person has %s it", (_what, commands, want) => {
    const it = begun({}, { "shanghai-1": BROKEN });
    it.step();
    it.commands = { ...it.commands, ...commands };
    expect(said(it.settle()).map((part) => part ?? "")).toEqual(want);
  });

  test("that there is nothing to return to", () => {
    const it = new World(threeRegions).add("canary", "a");
    it.cluster("a").health = () => BROKEN;
    it.settle();
    it.commands = { ...it.commands, abort: 1 };
    expect(said(it.settle())).toEqual(["Paused", "User", "aborted; there is no earlier revision to return to"]);
    const failed = new World(threeRegions).add("canary", "a");
    failed.cluster("a").health = () => FAILED;
    expect(said(failed.settle()).slice(0, 2)).toEqual(["Paused", "Failures"]);
  });

  test("that the last good revision cannot be used, if the policy or a person asks for it", () => {
    const unusable = (policy: Partial<RolloutPolicy>, abort?: number): (string | undefined)[] => {
      const it = begun(policy, BAD);
      it.lastGoodUnusable = WHY;
      if (abort !== undefined) it.commands = { ...it.commands, abort };
      return said(it.settle());
    };
    expect(unusable({ onFailure: "Rollback" })).toEqual(["Paused", "Failures", `${FAILURE}; ${WHY}`]);
    expect(unusable({ onFailure: "Pause" })).toEqual(["Paused", "Failures", FAILURE]);
    expect(unusable({}, 2)).toEqual(["Paused", "User", `aborted; ${WHY}`]);
  });

  test("that it stops on its way back, and it goes on when the revision can be used again", () => {
    const it = begun();
    it.cluster("singapore-1").health = (revision) => (revision === 2 ? FAILED : BROKEN);
    expect(it.settle().status?.state).toBe("RollingBack");
    it.lastGoodUnusable = WHY;
    expect(said(it.settle())).toEqual(["Paused", "RollbackFailed", WHY]);
    it.commands = { ...it.commands, resumedAt: "2026-11-22T09:00:00Z" };
    expect(said(it.settle())).toEqual(["Paused", "RollbackFailed", WHY]);
    it.lastGoodUnusable = undefined;
    it.cluster("singapore-1").health = () => GOOD;
    it.commands = { ...it.commands, resumedAt: "2026-11-22T09:01:00Z" };
    expect(it.settle().status?.state).toBe("RolledBack");
  });
});
