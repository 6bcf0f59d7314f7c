import { describe, expect, test } from "vitest";
import { concurrencyOf, frozenPlan, policyOfStage, stageOf, stagesOf, stagesTaking } from "./stages.ts";
import { fact, stage } from "./testing.ts";
import type { RolloutFacts } from "./types.ts";

const asia = { clusterNames: ["a"] };
const europe = { clusterNames: ["e"] };
const everywhere = () => true;
const nowhere = () => false;

describe("the stages of a policy", () => {
  const policy = { stages: [stage("one", { soak: "1m" }), stage("two")] };
  test("are those that it names, in their order", () => expect(stagesOf(policy)).toBe(policy.stages));
  test.each([{}, { stages: [] }])("are one of all clusters where it names none: %j", (none) =>
    expect(stagesOf(none)).toEqual([{ name: "all" }]),
  );
  test("say what is said of each", () => expect(policyOfStage(policy, "one")).toEqual({ name: "one", soak: "1m" }));
});

describe("the stage of a cluster", () => {
  const policy = {
    stages: [
      stage("rest"),
      stage("asia", { targetClusters: asia }),
      stage("europe", { targetClusters: europe }),
      stage("more"),
    ],
  };
  test("is the first that takes it by name, wherever one without a selector stands", () =>
    expect(stageOf(policy, everywhere)).toBe("asia"));
  test("is the first without a selector where no selector takes it", () =>
    expect(stageOf(policy, nowhere)).toBe("rest"));
  test("is none where every stage has a selector and none takes it", () =>
    expect(stageOf({ stages: policy.stages.slice(1, 3) }, nowhere)).toBeUndefined());

  test("and all that take it by their selectors", () => {
    expect(stagesTaking(policy, everywhere)).toEqual(["asia", "europe"]);
    expect(stagesTaking(policy, (one) => one === europe)).toEqual(["europe"]);
    expect(stagesTaking(policy, nowhere)).toEqual([]);
  });
});

describe("the plan of a run", () => {
  const at = (name: string, of: string | undefined): RolloutFacts => fact(name, { stage: of });
  const waiting = (name: string, ...clusters: string[]) => ({
    name,
    state: "Waiting",
    clusters: clusters.map((cluster) => ({ name: cluster, state: "Waiting" })),
  });
  const policy = { stages: [stage("one"), stage("two")] };

  test("has every stage, also one without clusters", () =>
    expect(frozenPlan(policy, [at("a", "two"), at("b", "two")])).toEqual([waiting("one"), waiting("two", "a", "b")]));
  test("has clusters in no stage, or in one that is not there, at its end", () =>
    expect(frozenPlan(policy, [at("a", undefined), at("b", "one"), at("c", "three")])).toEqual([
      waiting("one", "b"),
      waiting("two"),
      waiting("unassigned", "a", "c"),
    ]));
  test("has them in the stage of that name where there is one", () =>
    expect(frozenPlan({ stages: [stage("unassigned"), stage("two")] }, [at("a", undefined), at("b", "two")])).toEqual([
      waiting("unassigned", "a"),
      waiting("two", "b"),
    ]));
});

describe("how many clusters of a stage change at once", () => {
  test.each<[number | string | undefined, number, number]>([
    [undefined, 7, 7],
    [3, 7, 3],
    ["50%", 7, 3],
    [undefined, 0, 1],
  ])("%s of %i: %i", (maxConcurrency, clusters, want) =>
    expect(concurrencyOf(stage("one", maxConcurrency === undefined ? {} : { maxConcurrency }), clusters)).toBe(want),
  );
});
