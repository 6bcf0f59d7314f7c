import { describe, expect, test } from "vitest";
import { advance } from "./advance.ts";
import { BROKEN, FAILED, GOOD, stage, threeRegions, UNKNOWN, World, world } from "./testing.ts";
import type { RolloutHealth, RolloutPolicy } from "./types.ts";

const SLOW: RolloutHealth = { state: "Progressing", available: 0, desired: 2 };

/** Revision 2 begins; the clusters that are named have this health with it. */
function begun(policy: Partial<RolloutPolicy>, broken: Record<string, RolloutHealth> = {}): World {
  const it = world({ onFailure: "Pause", ...policy });
  it.revision = 2;
  for (const [name, health] of Object.entries(broken))
    it.cluster(name).health = (revision) => (revision === 2 ? health : GOOD);
  return it;
}

const said = ({ status }: World): (string | undefined)[] => [status?.state, status?.reason, status?.message];

describe("what a run says when clusters fail", () => {
  test("which one, and why", () =>
    expect(said(begun({}, { "singapore-1": FAILED }).settle())).toEqual([
      "Paused",
      "Failures",
      "stage canary: singapore-1 (ProgressDeadlineExceeded) failed",
    ]));

  test("all of them, where several of a stage do", () =>
    expect(
      said(begun({}, { "shanghai-1": FAILED, "shanghai-2": { state: "Failed", available: 0, desired: 2 } }).settle()),
    ).toEqual([
      "Paused",
      "Failures",
      "stage asia: shanghai-1 (ProgressDeadlineExceeded), shanghai-2 (Unhealthy) failed",
    ]));

  test("nothing, where as many may fail", () => {
    const it = begun({ stages: [stage("canary"), stage("asia", { maxFailures: 1 }), stage("rest")] });
    it.cluster("shanghai-2").health = () => FAILED;
    expect(said(it.settle())).toEqual(["Succeeded", undefined, undefined]);
    expect(it.states()).toMatchObject({ "shanghai-1": "Done", "shanghai-2": "Failed", "frankfurt-1": "Done" });
  });

  test("that their time was over, where nobody says why", () =>
    expect(said(begun({}, { "singapore-1": SLOW }).wait(600))).toEqual([
      "Paused",
      "Failures",
      "stage canary: singapore-1 (GateTimeout) failed",
    ]));

  test("that a stage took too long, when it has", () => {
    const it = begun(
      { stages: [stage("canary", { deadline: "5m" }), stage("asia"), stage("rest")] },
      { "singapore-1": BROKEN },
    );
    expect(said(it.wait(299))).toEqual(["Progressing", undefined, undefined]);
    expect(said(it.wait(1))).toEqual(["Paused", "Failures", "stage canary took longer than 5m"]);
    expect(it.status?.stages?.[0]?.state).toBe("Failed");
  });

  test("why it went back, when it has", () =>
    expect(said(begun({ onFailure: "Rollback" }, { "singapore-1": FAILED }).settle())).toEqual([
      "RolledBack",
      undefined,
      "stage canary: singapore-1 (ProgressDeadlineExceeded) failed",
    ]));
});

describe("what a run says when nobody can tell how a cluster is", () => {
  test("that its health is not known", () =>
    expect(said(begun({}, { "singapore-1": UNKNOWN }).wait(600))).toEqual([
      "Paused",
      "Unknown",
      "stage canary: singapore-1: HealthUnknown after 10m",
    ]));

  test("why it cannot be written", () => {
    const it = begun({ gate: { timeout: "3m" } });
    it.cluster("singapore-1").error = "Forbidden";
    it.wait(179);
    expect(said(it)).toEqual(["Progressing", undefined, undefined]);
    expect(it.status?.stages?.[0]?.clusters).toMatchObject([{ state: "Applying", reason: "Forbidden" }]);
    expect(said(it.wait(1))).toEqual(["Paused", "Unknown", "stage canary: singapore-1: Forbidden after 3m"]);
  });

  test("that it was not written", () => {
    const it = begun({});
    it.cluster("singapore-1").isSlow = true;
    expect(said(it.wait(600))).toEqual(["Paused", "Unknown", "stage canary: singapore-1: not applied after 10m"]);
    expect(it.status?.stages?.[0]?.clusters).toMatchObject([{ state: "Applying", reason: "NotWritten" }]);
  });

  test("that nobody can be reached", () => {
    const it = begun({});
    it.cluster("singapore-1").inContact = false;
    expect(said(it.settle())).toEqual(["Paused", "Unknown", "stage canary: none of its clusters can be reached"]);
  });
});

describe("what a run says at a gate", () => {
  const asking = { gate: { prometheus: { query: "up" } } };

  test("that it is being asked, and by which stage", () => {
    const it = begun(asking).settle();
    expect(said(it)).toEqual(["Paused", "Gate", "stage canary: the gate is being asked"]);
    expect(it.last?.asks).toEqual(["canary"]);
    expect(it.status?.stages?.map(({ state }) => state)).toEqual(["Paused", "Waiting", "Waiting"]);
  });

  test("that there is no answer, and asks again", () => {
    const it = begun(asking);
    it.gates = new Map([["canary", "Unknown"]]);
    expect(said(it.settle())).toEqual([
      "Paused",
      "Gate",
      "stage canary: the gate's query has no answer; see the manager's log",
    ]);
    expect(it.last?.asks).toEqual(["canary"]);
    const known = { ...it.input(), gateProblems: new Map([["canary", "the query gives no sample"]]) };
    expect(advance(known, it.now).status.message).toBe("stage canary: the query gives no sample");
  });

  test("that the query did not pass", () => {
    const it = begun(asking);
    it.gates = new Map([["canary", "Failed"]]);
    expect(said(it.settle())).toEqual(["Paused", "Failures", "stage canary: the query of the gate did not pass"]);
    expect(it.last?.asks).toEqual([]);
    expect(it.status?.stages?.[0]?.state).toBe("Failed");
  });

  test("nothing more of a stage that has passed", () => {
    const it = begun(asking);
    it.gates = new Map([["canary", "Passed"]]);
    expect(said(it.settle())).toEqual(["Paused", "Gate", "stage asia: the gate is being asked"]);
    expect(it.last?.asks).toEqual(["asia"]);
  });

  test("that a person is to approve", () =>
    expect(
      said(begun({ stages: [stage("canary", { approval: "Manual" }), stage("asia"), stage("rest")] }).settle()),
    ).toEqual(["Paused", "Gate", "stage canary waits for approval"]));
});

describe("what a run says when people speak", () => {
  test("that it is paused", () => {
    const it = begun({});
    it.commands = { ...it.commands, paused: true };
    expect(said(it.settle())).toEqual(["Paused", "User", "paused by a person: `meridian rollout resume NAME` goes on"]);
    expect(it.runs()).toMatchObject({ "singapore-1": 1 });
  });

  test("that it was aborted", () => {
    const it = begun({}, { "shanghai-1": BROKEN }).settle();
    it.commands = { ...it.commands, abort: 2 };
    expect(said(it.settle())).toEqual(["RolledBack", undefined, "aborted"]);
  });

  test("that there is nothing to return to", () => {
    const it = new World(threeRegions).add("canary", "a");
    it.cluster("a").health = () => BROKEN;
    it.settle();
    it.commands = { ...it.commands, abort: 1 };
    expect(said(it.settle())).toEqual(["Paused", "User", "aborted; there is no earlier revision to return to"]);
  });
});

describe("what a run says whose last good revision nobody can use", () => {
  const WHY = "somebody has changed revision 1";
  const forged = (...given: Parameters<typeof begun>): World => {
    const it = begun(...given);
    it.lastGoodUnusable = WHY;
    return it;
  };

  test("where it fails: it pauses, and does not try to go back", () => {
    const it = forged({ onFailure: "Rollback" }, { "singapore-1": FAILED }).settle();
    const [state, reason, message] = said(it);
    expect([state, reason]).toEqual(["Paused", "Failures"]);
    expect(message).toMatch(new RegExp(`^.*singapore-1.*; ${WHY}$`));
    expect(it.turnOf("singapore-1")).toBe("Target");
  });

  test("where it fails and the policy pauses: nothing of the revision", () => {
    const [state, reason, message] = said(forged({ onFailure: "Pause" }, { "singapore-1": FAILED }).settle());
    expect([state, reason, message?.includes(WHY)]).toEqual(["Paused", "Failures", false]);
  });

  test("where it is aborted: it pauses", () => {
    const it = forged({}, { "shanghai-1": BROKEN }).settle();
    it.commands = { ...it.commands, abort: 2 };
    expect(said(it.settle())).toEqual(["Paused", "User", `aborted; ${WHY}`]);
  });

  test("where it is on its way back: it stops, and goes on with the way back when somebody can use the revision", () => {
    const it = begun({ onFailure: "Rollback" });
    it.cluster("singapore-1").health = (revision) => (revision === 2 ? FAILED : BROKEN);
    it.settle();
    expect(it.status?.state).toBe("RollingBack");
    it.lastGoodUnusable = WHY;
    expect(said(it.settle())).toEqual(["Paused", "RollbackFailed", WHY]);
    it.commands = { ...it.commands, resumedAt: "2026-11-22T09:00:00Z" };
    expect(said(it.settle())).toEqual(["Paused", "RollbackFailed", WHY]);
    it.lastGoodUnusable = undefined;
    it.cluster("singapore-1").health = () => GOOD;
    it.commands = { ...it.commands, resumedAt: "2026-11-22T09:01:00Z" };
    it.settle();
    expect(it.status?.state).toBe("RolledBack");
  });
});

describe("what a run says when a cluster does not go back", () => {
  const stuck = (health: RolloutHealth, error?: string): World => {
    const it = begun({ onFailure: "Rollback" });
    it.cluster("singapore-1").health = (revision) => (revision === 2 ? FAILED : health);
    it.settle();
    expect(it.status?.state).toBe("RollingBack");
    if (error !== undefined) it.cluster("singapore-1").error = error;
    return it.wait(600);
  };
  test("why the last good revision may not be written there any more", () => {
    const it = begun({ onFailure: "Rollback" });
    it.cluster("singapore-1").health = (revision) => (revision === 2 ? FAILED : BROKEN);
    it.settle();
    Object.assign(it.cluster("singapore-1"), { errorOfLastGood: "PodSecurity", error: "Forbidden" });
    expect(said(it.wait(600))[2]).toMatch(/: PodSecurity$/);
  });

  test.each<[string, RolloutHealth, string | undefined, string]>([
    ["why it cannot be written", BROKEN, "Forbidden", "Forbidden"],
    ["why it is not healthy", BROKEN, undefined, "ImagePullBackOff"],
    ["that it is not available, where nobody says why", SLOW, undefined, "not available"],
  ])("%s", (_what, health, error, why) =>
    expect(said(stuck(health, error))).toEqual([
      "Paused",
      "RollbackFailed",
      `singapore-1 is not back on the last good revision: ${why}`,
    ]),
  );
});
