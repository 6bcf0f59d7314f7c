import { describe, expect } from "vitest";
import { test } from "@fast-check/vitest";
import type { FederatedStatus } from "../../apis/index.ts";
import { aggregate } from "../aggregate.ts";
import { after, condition, inputOf, refused, rowWithout, SECOND, T0, target, view } from "../testing/builders.ts";
import type { ClusterView } from "../types.ts";

describe("conditions", () => {
  test("messages of conditions have 120 characters at most, and those of entries 512", () => {
    const message = "a very long story ".repeat(40);
    const views = Array.from({ length: 30 }, (_, i) =>
      view(`cluster-with-a-long-name-${i}`, { contact: { ...refused, message } }),
    );
    const status = aggregate(inputOf(views), T0);
    for (const [described, limit] of [
      [status.conditions, 120],
      [status.clusters, 512],
    ] as const) {
      const messages = (described ?? []).map((c) => c.message ?? "");
      expect(Math.max(...messages.map((m) => m.length))).toBeLessThanOrEqual(limit);
      expect(messages.some((m) => m.endsWith("…"))).toBe(true);
    }
  });
});

describe("an object that names another class than the one that owns it", () => {
  const input = inputOf([view("a")], { ownerClass: "v1", namedClass: "v2" });
  const waiting = aggregate(input, T0);

  test("says it no more once that class has claimed it", () => {
    const claimed = aggregate(after({ ...input, ownerClass: "v2" }, waiting), T0 + SECOND);
    expect(claimed.controllerClass).toBe("v2");
    expect(condition(claimed, "HandedOver")[0]).toBe("-");
  });
});

describe("deleting", () => {
  const lingering = [rowWithout(["desiredHash"], { inSync: false })];
  const settled = aggregate(inputOf([view("a"), view("b"), view("c")]), T0);
  const deleting = (clusters: ClusterView[]): FederatedStatus =>
    aggregate(after(inputOf(clusters, { deleting: true, target: undefined, generation: 4 }), settled), T0 + SECOND);

  test("names the clusters that still have objects, reachable or not", () => {
    const status = deleting([
      view("a", { rows: lingering }),
      view("b", { contact: refused, rows: [] }),
      view("c", { rows: [] }),
    ]);
    expect(status.clusters?.map((c) => [c.name, c.state])).toEqual([
      ["a", "Removing"],
      ["b", "Unknown"],
    ]);
    const waits = "waits for b: ClusterUnreachable since 2026-11-21T08:00:00Z; goes on when it answers or is unjoined";
    expect(condition(status, "Progressing")).toEqual(["True", "Deleting", waits]);
    expect(condition(status, "Available")).toEqual(["False", "Deleting", waits]);
    expect(condition(status, "Scheduled")).toEqual(["True", "ClustersSelected", "3 of 3 clusters selected"]);
    expect(status.placement).toEqual(settled.placement);
    expect(status.replicas?.desired).toBe(0);
  });
});

const failure = { reason: "PlanningFailed", message: "a patch is too deep" };
const settled = aggregate(inputOf([view("a"), view("b")]), T0);

describe("an object that cannot be planned", () => {
  test("keeps what was said of it, but that it were applied", () => {
    const input = inputOf([view("a")], { target: undefined, failure, generation: 4 });
    const status = aggregate(after(input, settled), T0 + SECOND);
    expect(condition(status, "Applied")).toEqual(["Unknown", "PlanningFailed", "a patch is too deep"]);
    for (const type of ["Scheduled", "Available", "Progressing", "Fresh"])
      expect(condition(status, type)).toEqual(condition(settled, type));
    expect(status.conditions?.map(({ type }) => type)).toEqual([
      "Scheduled",
      "Applied",
      "Available",
      "Progressing",
      "Fresh",
      "Ready",
    ]);
    expect(condition(status, "Ready")).toEqual(["False", "PlanningFailed", "a patch is too deep"]);
    expect(status).toMatchObject({ observedGeneration: 4, replicas: settled.replicas, clusters: settled.clusters });
    const again = after(input, status);
    expect(aggregate(again, T0 + 9 * SECOND)).toBe(again.previous);
  });
});

describe("what is being deleted", () => {
  test("says where it was scheduled as long as that is known, and how it goes", () => {
    const planned = inputOf([view("a")], { deleting: true });
    expect(condition(aggregate(planned, T0), "Scheduled")).toEqual([
      "True",
      "ClustersSelected",
      "1 of 1 cluster selected",
    ]);
    const scheduled = { status: "False" as const, reason: "NoPlacement", message: "create a Placement" };
    const unplaced = aggregate({ ...planned, target: target(["a"], { scheduled }) }, T0);
    expect(condition(unplaced, "Scheduled")).toEqual(["False", "Deleting", ""]);
    const forgotten = aggregate({ ...planned, target: undefined }, T0);
    expect(forgotten.conditions?.map(({ type }) => type)).toEqual([
      "Applied",
      "Available",
      "Progressing",
      "Fresh",
      "Ready",
    ]);
    expect(condition(forgotten, "Applied")).toEqual(["False", "Deleting", ""]);
    expect(condition(forgotten, "Available")).toEqual(["False", "Deleting", "objects remain on a"]);
    expect(forgotten).not.toHaveProperty("availableClusters");
    expect(aggregate(planned, T0)).not.toHaveProperty("availableClusters");
  });
});
