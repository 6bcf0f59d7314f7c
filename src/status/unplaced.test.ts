import { expect, test } from "vitest";
import { aggregate } from "./aggregate.ts";
import { condition, inputOf, T0, target, unhealthy, row, view } from "./testing/builders.ts";
import type { StatusInput } from "./types.ts";

/** An object of which so many replicas are more than the clusters may take. */
const leaving = (unplaced: number): StatusInput => {
  const planned = target(["a"]);
  return inputOf([view("a")], { target: { ...planned, decision: { ...planned.decision, unplaced } } });
};

test.each([
  [1, "1 replica has no place; raise maxReplicasPerCluster, or let the placement select more clusters"],
  [2, "2 replicas have no place; raise maxReplicasPerCluster, or let the placement select more clusters"],
])("an object of which %i may go nowhere is available and not ready", (unplaced, message) => {
  const status = aggregate(leaving(unplaced), T0);
  expect(condition(status, "Available")[0]).toBe("True");
  expect(condition(status, "Ready")).toEqual(["False", "ReplicasUnplaced", message]);
});

test("what else keeps it from being ready is said first", () => {
  const rows = [row({ health: unhealthy("Progressing", 1, "RollingOut") })];
  const status = aggregate({ ...leaving(1), clusters: [view("a", { rows })] }, T0);
  expect(condition(status, "Ready").slice(0, 2)).toEqual(["False", "RollingOut"]);
});
