import { describe, expect, test } from "vitest";
import type { RolloutStatus } from "../../apis/index.ts";
import type { Target } from "../../desiredstate/index.ts";
import { noteRows, tookToPropagate } from "./propagation.ts";
import { newTracked } from "./trackedStatus.ts";

/** A plan with one cluster for each hash. */
const plan = (generation: number, hashes: string[], state?: RolloutStatus["state"]) => {
  const clusters = hashes.map((hash, index) => ({ name: `c${index}`, objects: [{ hash }] }));
  const target = { clusters } as unknown as Target;
  return { generation, target, rollout: state === undefined ? undefined : { state, revision: generation } };
};

describe("the time that a change takes to every member", () => {
  test.each([
    { name: "a fix of what was refused", next: plan(2, ["b", "b"]), took: 5 },
    { name: "another patch for one cluster", next: plan(1, ["a", "b"]), took: 5 },
    { name: "the same once more, as when what was left behind goes", next: plan(1, ["a", "a"]), took: 25 },
  ])("counts from the last change: $name", ({ next, took }) => {
    const tracked = newTracked();
    noteRows(tracked, plan(1, ["a", "a"]), 0);
    noteRows(tracked, next, 20);
    expect(tookToPropagate(tracked, next, 25)).toBe(took);
  });

  test("is not told of a rollout that is taken back", () => {
    const tracked = newTracked();
    noteRows(tracked, plan(2, ["b", "a"], "Progressing"), 0);
    noteRows(tracked, plan(2, ["a", "a"], "RollingBack"), 60);
    expect(tookToPropagate(tracked, plan(2, ["a", "a"], "RolledBack"), 65)).toBeUndefined();
    noteRows(tracked, plan(3, ["c", "a"], "Progressing"), 70);
    expect(tookToPropagate(tracked, plan(3, ["c", "c"], "Succeeded"), 75)).toBe(5);
  });
});
