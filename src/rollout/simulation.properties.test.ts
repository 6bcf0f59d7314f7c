import { fc, test } from "@fast-check/vitest";
import { describe, expect, vi } from "vitest";
import { advance } from "./advance.ts";
import { concurrencyOf, policyOfStage } from "./stages.ts";
import { BROKEN, FAILED, GOOD, UNKNOWN, World } from "./testing.ts";
import type { RolloutPolicy } from "./types.ts";

/** 10,000 by `MERIDIAN_PROPERTY_RUNS`; fewer where every change is tested. */
const numRuns = Number(process.env["MERIDIAN_PROPERTY_RUNS"] ?? 150);

vi.setConfig({ testTimeout: 600_000 });

const STAGES = ["canary", "asia", "rest"];
const NAMES = ["c1", "a1", "a2", "a3", "r1", "r2", "x1"];
const STAGE_OF: Readonly<Record<string, string | undefined>> = {
  c1: "canary",
  a1: "asia",
  a2: "asia",
  a3: "asia",
  r1: "rest",
  r2: "rest",
};

const arbitraryStage = (name: string): fc.Arbitrary<NonNullable<RolloutPolicy["stages"]>[number]> =>
  fc
    .record({
      maxConcurrency: fc.constantFrom(undefined, 1, 2, "50%"),
      soak: fc.constantFrom(undefined, "2m"),
      deadline: fc.constantFrom(undefined, "20m"),
      maxFailures: fc.constantFrom(undefined, 1),
      approval: fc.constantFrom(undefined, "Manual" as const),
    })
    .map((rules) => ({ name, ...JSON.parse(JSON.stringify(rules)) }));

const arbitraryPolicy: fc.Arbitrary<RolloutPolicy> = fc.record({
  stages: fc.tuple(...STAGES.map((name) => arbitraryStage(name))),
  gate: fc.constantFrom({ timeout: "10m" }, { timeout: "1m", prometheus: { query: "up" } }),
  onFailure: fc.constantFrom("Pause" as const, "Rollback" as const),
});

type Act = (world: World) => void;
const name = fc.constantFrom(...NAMES);
const onCluster = (act: (world: World, name: string) => void): fc.Arbitrary<Act> =>
  name.map((one) => (world) => {
    if (world.clusters.has(one)) act(world, one);
  });
const always = (act: Act): fc.Arbitrary<Act> => fc.constant(act);

const arbitraryAct: fc.Arbitrary<Act> = fc.oneof(
  { weight: 6, arbitrary: always((world) => void world.step()) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 1_500 }).map((s) => (w: World) => void (w.now += s * 1000)) },
  { weight: 2, arbitrary: always((world) => void (world.revision += 1)) },
  { weight: 1, arbitrary: always((world) => void (world.revision = Math.max(1, world.revision - 1))) },
  {
    weight: 2,
    arbitrary: fc.tuple(name, fc.constantFrom(GOOD, BROKEN, FAILED, UNKNOWN)).map(([one, health]) => (world: World) => {
      const [cluster, { revision }] = [world.clusters.get(one), world];
      if (cluster !== undefined) cluster.health = (runs) => (runs === revision ? health : GOOD);
    }),
  },
  { weight: 1, arbitrary: onCluster((w, one) => void (w.cluster(one).health = () => BROKEN)) },
  { weight: 2, arbitrary: onCluster((w, one) => void (w.cluster(one).inContact = !w.cluster(one).inContact)) },
  { weight: 2, arbitrary: onCluster((w, one) => void (w.cluster(one).isSlow = w.cluster(one).isSlow !== true)) },
  { weight: 1, arbitrary: onCluster((w, one) => void w.clusters.delete(one)) },
  { weight: 1, arbitrary: onCluster((w, one) => void (w.cluster(one).wanted = w.cluster(one).wanted === false)) },
  {
    weight: 1,
    arbitrary: name.map((one) => (world: World) => {
      if (!world.clusters.has(one)) world.add(STAGE_OF[one], one);
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...STAGES).map((one) => (w: World) => {
      w.commands = { ...w.commands, approvals: new Map([...w.commands.approvals, [one, "eve"]]) };
    }),
  },
  { weight: 1, arbitrary: always((w) => void (w.awaitsContact = !w.awaitsContact)) },
  { weight: 1, arbitrary: always((w) => void (w.commands = { ...w.commands, paused: !w.commands.paused })) },
  { weight: 1, arbitrary: always((w) => void (w.commands = { ...w.commands, abort: w.revision })) },
  {
    weight: 1,
    arbitrary: always((w) => void (w.commands = { ...w.commands, resumedAt: new Date(w.now).toISOString() })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...STAGES, "unassigned"),
        fc.constantFrom("Passed" as const, "Failed" as const, "Unknown" as const),
      )
      .map((one) => (w: World) => void (w.gates = new Map([...w.gates, one]))),
  },
);

/** One step, and everything that has to be true of it. */
function checkedStep(world: World, policy: RolloutPolicy): void {
  const before = structuredClone(world.status);
  const ranBefore = world.runs();
  const input = world.input();
  const told = world.log.length;
  const { status, transitions } = world.step();
  const stages = status.stages ?? [];
  const isOver = status.state === "Succeeded" || status.state === "RolledBack";

  // Saying the same once more changes nothing: a restart between two steps does not either.
  const again = advance({ ...input, current: JSON.parse(JSON.stringify(status)) }, world.now);
  expect(again.transitions, `again after\n${world.log.slice(told).join("\n")}`).toEqual([]);
  expect(again.status).toEqual(status);
  expect([...again.turns]).toEqual([...(world.last?.turns ?? [])]);

  // What is not known yet moves nothing.
  if (world.awaitsContact && before?.revision === input.revision) expect(status).toEqual(before);

  for (const [index, stage] of stages.entries()) {
    const clusters = stage.clusters ?? [];
    const free = concurrencyOf(policyOfStage(policy, stage.name), clusters.length);
    expect(clusters.filter(({ state }) => state === "Applying").length).toBeLessThanOrEqual(free);
    const hasBegun = transitions.some((one) => one.of === "Stage" && one.name === stage.name && one.from === "Waiting");
    if (hasBegun) expect(stages.slice(0, index).map(({ state }) => state)).toEqual(Array(index).fill("Succeeded"));
  }

  const facts = new Map(input.clusters.map((one) => [one.name, one]));
  for (const one of transitions) {
    // What counts as done is on the new revision, and healthy where the run changed something.
    const known = facts.get(one.name ?? "");
    if (one.of === "Cluster" && one.to === "Done") {
      expect(known?.onTarget).toBe(true);
      if (known?.runs === "Target" && known.wanted) expect(known.health.state).toBe("Available");
    }
  }

  const ran = world.runs();
  const lastGood = status.lastGoodRevision;
  for (const [cluster, revision] of Object.entries(ran)) {
    const old = ranBefore[cluster];
    if (old === revision) continue;
    // A cluster only ever moves to the new revision, or to the last good one.
    expect([0, world.revision, lastGood]).toContain(revision);
    // On the way back nothing but the last good revision goes anywhere.
    if (status.state === "RollingBack" || status.state === "RolledBack") expect(revision).toBe(lastGood);
    const state = stages.flatMap(({ clusters = [] }) => clusters).find(({ name: one }) => one === cluster)?.state;
    // A cluster that waits for its turn does not get the new revision.
    if (state === "Waiting" && !isOver && revision !== lastGood) expect(revision).toBe(0);
  }
  if (before?.state === "RolledBack" && before.revision === world.revision) expect(status.state).toBe("RolledBack");
}

describe("a run through whatever happens", () => {
  test.prop([arbitraryPolicy, fc.array(arbitraryAct, { minLength: 5, maxLength: 60 })], { numRuns })(
    "keeps its promises at every step",
    (policy, acts) => {
      const world = new World(policy);
      for (const one of NAMES.slice(0, 6)) world.add(STAGE_OF[one], one);
      checkedStep(world, policy);
      for (const act of acts) {
        act(world);
        checkedStep(world, policy);
      }

      world.awaitsContact = false;
      // Left alone, the run comes to rest, and says nothing any more.
      world.wait(100_000);
      const told = world.log.length;
      world.wait(1_000_000);
      expect(world.log.slice(told)).toEqual([]);

      // When all is well, everybody agrees and there is a new revision, it gets everywhere.
      for (const cluster of world.clusters.values()) {
        Object.assign(cluster, { inContact: true, isSlow: false, wanted: true, health: () => GOOD });
      }
      world.revision = 1_000;
      const all = [...STAGES, "unassigned"];
      world.commands = { paused: false, approvals: new Map(all.map((one) => [one, "eve"])) };
      world.gates = new Map(all.map((one) => [one, "Passed" as const]));
      world.wait(100_000);
      expect(world.status).toMatchObject({ state: "Succeeded", revision: 1_000, lastGoodRevision: 1_000 });
      expect(new Set(Object.values(world.runs()))).toEqual(new Set(world.clusters.size === 0 ? [] : [1_000]));
    },
  );
});
