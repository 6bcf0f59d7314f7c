import { describe, expect, test } from "vitest";
import type { FederatedStatus, RolloutStatus } from "../../apis/index.ts";
import { aggregate } from "../aggregate.ts";
import { after, condition, inputOf, row, T0, unhealthy, view } from "../testing/builders.ts";

type Stage = NonNullable<RolloutStatus["stages"]>[number];
type InCluster = NonNullable<Stage["clusters"]>[number];

const clusters = (...states: InCluster["state"][]): InCluster[] =>
  states.map((state, index) => ({ name: `c${index + 1}`, state }));
const stage = (name: string, state: Stage["state"], of: InCluster[]): Stage => ({ name, state, clusters: of });
const canary = stage("canary", "Succeeded", clusters("Done"));
const broken: InCluster[] = [
  { name: "c1", state: "Done" },
  { name: "c2", state: "Failed", reason: "CrashLoopBackOff" },
  { name: "c3", state: "Failed" },
];

const said = (rollout: RolloutStatus, type = "Progressing") =>
  condition(aggregate(inputOf([view("a")], { rollout }), T0), type);

describe("what Progressing says of a rollout in stages", () => {
  interface Case {
    name: string;
    rollout: RolloutStatus;
    want: [string, string, string];
  }
  test.each<Case>([
    {
      name: "that is planned, and was paused before it began",
      rollout: { state: "Planned", reason: "User", message: "paused" },
      want: ["False", "RolloutPaused", "paused"],
    },
    {
      name: "under way: how far the first stage is that has not succeeded",
      rollout: {
        state: "Progressing",
        stages: [
          canary,
          stage("europe", "Progressing", clusters("Done", "Applying", "Waiting")),
          stage("rest", "Waiting", clusters("Waiting")),
        ],
      },
      want: ["True", "RollingOut", "stage europe: 1 of 3 clusters done"],
    },
    {
      name: "of which somebody unknown approved a stage: that the name is not verified",
      rollout: {
        state: "Progressing",
        stages: [{ ...canary, approvedBy: "bob", approverVerified: false }, stage("rest", "Progressing", [])],
      },
      want: ["True", "RollingOut", "stage rest: 0 of 0 clusters done; approver not verified: canary"],
    },
    {
      name: "whose stage waits to see whether all stays well",
      rollout: { state: "Progressing", stages: [stage("canary", "Soaking", clusters("Done"))] },
      want: ["True", "RollingOut", "stage canary: 1 of 1 cluster done; it soaks"],
    },
    {
      name: "that waits for its gate",
      rollout: { state: "Paused", reason: "Gate", stages: [canary, stage("rest", "Paused", [])] },
      want: ["False", "RolloutPaused", "stage rest: waits for its gate"],
    },
    {
      name: "that a person has paused: how to go on",
      rollout: { state: "Paused", reason: "User", stages: [stage("canary", "Paused", [])] },
      want: ["False", "RolloutPaused", "stage canary: paused; `meridian rollout resume NAME` goes on"],
    },
    {
      name: "that has stopped since clusters are out of sight",
      rollout: { state: "Paused", reason: "Unknown", stages: [stage("canary", "Paused", [])] },
      want: ["False", "RolloutPaused", "stage canary: nobody knows how its clusters are"],
    },
    {
      name: "that cannot go back either",
      rollout: { state: "Paused", reason: "RollbackFailed", stages: [stage("canary", "Failed", broken)] },
      want: ["False", "RolloutPaused", "a cluster did not come back to the last good revision"],
    },
    {
      name: "that has stopped on failures: the clusters of the stage that failed, with their reasons",
      rollout: {
        state: "Paused",
        reason: "Failures",
        stages: [
          stage("canary", "Succeeded", [{ name: "c0", state: "Failed", reason: "Old" }]),
          stage("rest", "Failed", broken),
        ],
      },
      want: ["False", "RolloutPaused", "failed: c2 (CrashLoopBackOff), c3"],
    },
    {
      name: "on its way back: the failures of all stages",
      rollout: {
        state: "RollingBack",
        stages: [
          stage("canary", "RolledBack", [{ name: "c0", state: "Failed", reason: "Slow" }]),
          { name: "none", state: "Waiting" },
          stage("rest", "Failed", broken),
        ],
      },
      want: ["True", "RollingBack", "failed: c0 (Slow), c2 (CrashLoopBackOff), c3"],
    },
    {
      name: "that has come back",
      rollout: { state: "RolledBack", stages: [stage("canary", "RolledBack", broken)] },
      want: ["False", "RolledBack", "failed: c2 (CrashLoopBackOff), c3"],
    },
  ])("$name", ({ rollout, want }) => expect(said(rollout)).toEqual(want));

  test.each<[RolloutStatus["state"], string, string]>([
    ["Progressing", "True", "RollingOut"],
    ["Paused", "False", "RolloutPaused"],
  ])("is the rollout's own message where it has one: %s", (state, status, reason) => {
    const rollout = { state, message: "in its own words", stages: [stage("rest", "Failed", broken)] };
    expect(said(rollout)).toEqual([status, reason, "in its own words"]);
  });

  test.each<RolloutStatus["state"]>(["Succeeded", "Superseded"])("is nothing of one that is over: %s", (state) => {
    const rollout = { state, message: "all done", stages: [canary] };
    expect(said(rollout)).toEqual(["False", "Settled", ""]);
    expect(said(rollout, "Ready")).toEqual(["True", "AllClustersReady", "1 of 1 cluster ready"]);
  });
});

describe("whoever waits for the object to be ready waits on", () => {
  test.each<{ rollout: RolloutStatus; reason: string; message: string }>([
    { rollout: { state: "Paused", reason: "Gate" }, reason: "RolloutPaused", message: "waits for its gate" },
    { rollout: { state: "RollingBack" }, reason: "RollingBack", message: "back to the last good revision" },
    { rollout: { state: "RolledBack" }, reason: "RolledBack", message: "back to the last good revision" },
  ])("while the rollout is $rollout.state, though all clusters are available", ({ rollout, reason, message }) => {
    expect(said(rollout, "Ready")).toEqual(["False", reason, message]);
  });

  test("for what is the matter with a cluster rather than for the rollout, where both are", () => {
    const ill = view("a", { rows: [row({ health: unhealthy("Failed", 0, "CrashLoopBackOff") })] });
    const status = aggregate(inputOf([ill], { rollout: { state: "Paused", reason: "Gate" } }), T0);
    expect(condition(status, "Ready")[1]).toBe("CrashLoopBackOff");
  });
});

describe("what a rollout keeps from clusters is neither applied nor available there", () => {
  const PAUSED = { state: "Paused", reason: "Gate" } as const;
  const views = [view("a"), view("b")];
  const generation = (number: number, more: Parameters<typeof inputOf>[1] = {}) =>
    inputOf(views, { generation: number, ...more });
  /** The third generation is everywhere, and good. */
  const good = aggregate(generation(3), T0);
  const change = (rollout: RolloutStatus, before = good): FederatedStatus =>
    aggregate(after(generation(4, { rollout: { revision: 2, lastGoodRevision: 1, ...rollout } }), before), T0);
  const line = (status: FederatedStatus, type: string): string => {
    const found = status.conditions?.find((one) => one.type === type);
    return `${found?.status} ${found?.reason} of ${found?.observedGeneration}`;
  };
  const AVAILABLE = "True AllClustersAvailable of";
  const half = [stage("canary", "Paused", clusters("Done")), stage("rest", "Waiting", clusters("Waiting"))];
  const all = [stage("all", "Soaking", clusters("Done", "Done"))];

  test.each<{ name: string; rollout: RolloutStatus; applied: string; generation: number }>([
    { name: "has not begun", rollout: { state: "Planned" }, applied: "False RollingOut of 4", generation: 3 },
    {
      name: "waits after the first stage",
      rollout: { ...PAUSED, stages: half },
      applied: "False RolloutPaused of 4",
      generation: 3,
    },
    {
      name: "goes back",
      rollout: { state: "RollingBack", stages: all },
      applied: "False RollingBack of 4",
      generation: 3,
    },
    { name: "has gone back", rollout: { state: "RolledBack" }, applied: "False RolledBack of 4", generation: 3 },
    {
      name: "is everywhere and may still go back",
      rollout: { state: "Progressing", stages: all },
      applied: "True AllClustersApplied of 4",
      generation: 3,
    },
    {
      name: "has succeeded",
      rollout: { state: "Succeeded", stages: all },
      applied: "True AllClustersApplied of 4",
      generation: 4,
    },
  ])("one that $name", ({ rollout, applied, generation: of }) => {
    const status = change(rollout);
    expect([line(status, "Applied"), line(status, "Available")]).toEqual([applied, `${AVAILABLE} ${of}`]);
    expect(status.availableClusters).toBe("2/2");
  });

  test("the generation that serves is known to the end, also where a cluster was ill meanwhile", () => {
    const ill = view("a", { rows: [row({ health: unhealthy("Failed", 0, "CrashLoopBackOff") })] });
    const rollout: RolloutStatus = { state: "Progressing", revision: 2, lastGoodRevision: 1, stages: all };
    const everywhere = change(rollout);
    const failed = aggregate(after({ ...generation(4, { rollout }), clusters: [ill, view("b")] }, everywhere), T0);
    expect(line(failed, "Available")).toBe("False CrashLoopBackOff of 3");
    expect(line(change({ state: "RolledBack" }, failed), "Available")).toBe(`${AVAILABLE} 3`);
  });

  test.each<{ name: string; states: InCluster[]; want: string }>([
    { name: "wait", states: clusters("Done", "Waiting"), want: "False RolloutPaused" },
    { name: "could not be reached", states: clusters("Done", "Deferred"), want: "False RolloutPaused" },
    {
      name: "are passed over",
      states: [{ name: "b", state: "Skipped", reason: "ClusterUnreachable" }],
      want: "False RolloutPaused",
    },
    {
      name: "have left",
      states: [{ name: "b", state: "Skipped", reason: "ClusterLeft" }],
      want: "True AllClustersApplied",
    },
    { name: "have it", states: clusters("Done", "Verifying", "Failed"), want: "True AllClustersApplied" },
    {
      name: "are to lose it",
      states: [{ name: "b", state: "Applying", reason: "RollingBack" }],
      want: "False RolloutPaused",
    },
  ])("clusters that $name", ({ states, want }) => {
    expect(line(change({ ...PAUSED, stages: [stage("s", "Paused", states)] }), "Applied")).toBe(`${want} of 4`);
  });

  test("a new object is neither before its last stage, and names what it waits for", () => {
    const first = aggregate(generation(1, { rollout: { ...PAUSED, revision: 1, stages: half } }), T0);
    for (const type of ["Applied", "Available"])
      expect(condition(first, type)).toEqual(["False", "RolloutPaused", "stage canary: waits for its gate"]);
    const again = after(generation(1, { rollout: { ...PAUSED, revision: 1, stages: half } }), first);
    expect(aggregate(again, T0)).toBe(again.previous);
    const last = aggregate(after(generation(1, { rollout: { ...PAUSED, revision: 1, stages: all } }), first), T0);
    expect(line(last, "Available")).toBe(`${AVAILABLE} 1`);
    const next = after(generation(2, { rollout: { ...PAUSED, revision: 2, stages: half } }), last);
    expect(line(aggregate(next, T0), "Available")).toBe(`${AVAILABLE} 1`);
  });
});
