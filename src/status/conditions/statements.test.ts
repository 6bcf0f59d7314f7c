import { describe, expect } from "vitest";
import { test } from "@fast-check/vitest";
import type { FederatedStatus } from "../../apis/index.ts";
import type { Target } from "../../desiredstate/types.ts";
import { aggregate } from "../aggregate.ts";
import {
  after,
  at,
  condition,
  entry,
  inputOf,
  neverMet,
  target,
  refused,
  row,
  rowWithout,
  SECOND,
  T0,
  unhealthy,
  view,
} from "../testing.ts";
import type { ClusterView } from "../types.ts";

describe("conditions", () => {
  test("an empty set of clusters is not success", () => {
    const scheduled = { status: "False" as const, reason: "NoClusterFits", message: "no cluster fits" };
    const status = aggregate(inputOf([], { target: target([], { scheduled }) }), T0);
    expect(condition(status, "Scheduled")).toEqual(["False", "NoClusterFits", "no cluster fits"]);
    expect(condition(status, "Applied")).toEqual(["False", "NoClusters", "no cluster fits"]);
    expect(condition(status, "Available")).toEqual(["False", "NoClusters", "no cluster fits"]);
    expect(condition(status, "Progressing")[0]).toBe("False");
    expect(condition(status, "Fresh")).toEqual(["Unknown", "NoClusters", ""]);
    expect(status.availableClusters).toBe("0/0");
    expect(status).not.toHaveProperty("clusters");
  });

  test("an object without a target says so and is not available", () => {
    const status = aggregate(inputOf([], { target: undefined }), T0);
    expect(condition(status, "Scheduled")).toEqual(["Unknown", "NotPlanned", "not planned yet"]);
    expect(condition(status, "Available")).toEqual(["False", "NoClusters", "not planned yet"]);
  });

  interface Case {
    name: string;
    views: ClusterView[];
    target?: Partial<Target>;
    type: "Applied" | "Available" | "Progressing" | "Fresh";
    want: [string, string, string];
  }
  const failed = view("c", {
    rows: [row({ inSync: false, failure: { reason: "AlreadyExists", message: "not ours", final: true } })],
  });
  const rolling = view("b", { rows: [row({ health: unhealthy("Progressing", 1) })] });
  const applying = view("a", { rows: [row({ inSync: false })] });
  const lost = view("d", { contact: refused });
  test.each<Case>([
    {
      name: "all is well",
      views: [view("a"), view("b")],
      type: "Available",
      want: ["True", "AllClustersAvailable", "2 of 2 clusters available"],
    },
    {
      name: "the worst cluster gives the reason",
      views: [rolling, failed, lost],
      type: "Available",
      want: ["False", "AlreadyExists", "0 of 3 clusters available: AlreadyExists 1, ClusterUnreachable 1; c: not ours"],
    },
    {
      name: "a lost cluster is worse than one that rolls out",
      views: [rolling, lost],
      type: "Available",
      want: ["False", "ClusterUnreachable", "0 of 2 clusters available; d: connection refused"],
    },
    {
      name: "without a message the reason stands in its place",
      views: [applying],
      type: "Available",
      want: ["False", "Applying", "0 of 1 cluster available; a: Applying"],
    },
    {
      name: "a cluster that could not be applied to",
      views: [view("a"), failed],
      type: "Applied",
      want: ["False", "AlreadyExists", "1 of 2 clusters applied; c: not ours"],
    },
    {
      name: "a rollout is applied",
      views: [rolling],
      type: "Applied",
      want: ["True", "AllClustersApplied", "1 of 1 cluster applied"],
    },
    {
      name: "applying comes before rolling out",
      views: [applying, rolling],
      type: "Progressing",
      want: ["True", "Applying", "applying to a"],
    },
    {
      name: "rolling out",
      views: [rolling, view("a")],
      type: "Progressing",
      want: ["True", "RollingOut", "rolling out on b"],
    },
    {
      name: "a final failure is stalled, not settled",
      views: [failed],
      type: "Progressing",
      want: ["False", "Stalled", "not carried out on c (AlreadyExists)"],
    },
    {
      name: "a lost cluster alone is settled",
      views: [view("a"), lost],
      type: "Progressing",
      want: ["False", "Settled", ""],
    },
    {
      name: "suspended makes no progress",
      views: [applying],
      target: { suspended: true, clusters: [{ name: "a", replicas: 2, frozen: true, objects: [] }] },
      type: "Progressing",
      want: ["False", "Suspended", "suspended by its placement"],
    },
    {
      name: "suspending takes nothing away from what is healthy",
      views: [view("a")],
      target: { suspended: true, clusters: [{ name: "a", replicas: 2, frozen: true, objects: [] }] },
      type: "Available",
      want: ["True", "AllClustersAvailable", "1 of 1 cluster available"],
    },
    {
      name: "all are heard from",
      views: [view("a"), failed],
      type: "Fresh",
      want: ["True", "AllClustersObserved", ""],
    },
    {
      name: "those not heard from are named",
      views: [view("a"), lost, view("e", { contact: neverMet, rows: [] })],
      type: "Fresh",
      want: ["False", "ClusterUnreachable", `not observed: d (since ${at(T0 - 20 * SECOND)}), e (never)`],
    },
  ])("$type: $name", ({ views, target: more, type, want }) => {
    const input = inputOf(views);
    expect(
      condition(
        aggregate(more === undefined ? input : { ...input, target: { ...(input.target as Target), ...more } }, T0),
        type,
      ),
    ).toEqual(want);
  });

  test("lastTransitionTime moves with the status only, not with reason or message", () => {
    const one = aggregate(inputOf([view("a", { rows: [row({ health: unhealthy("Progressing", 0) })] })]), T0);
    const two = aggregate(
      after(
        inputOf([view("a", { rows: [row({ health: unhealthy("Degraded", 1, "CrashLoopBackOff") })] })], {
          generation: 4,
        }),
        one,
      ),
      T0 + 9 * SECOND,
    );
    const available = two.conditions?.find((c) => c.type === "Available");
    expect(available).toMatchObject({
      status: "False",
      reason: "CrashLoopBackOff",
      observedGeneration: 4,
      lastTransitionTime: at(T0),
    });
    const three = aggregate(after(inputOf([view("a")]), two), T0 + 12 * SECOND);
    expect(three.conditions?.find((c) => c.type === "Available")?.lastTransitionTime).toBe(at(T0 + 12 * SECOND));
  });

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

  test("says which class owns it, and that the other one has not claimed it yet", () => {
    expect(waiting.controllerClass).toBe("v1");
    expect(condition(waiting, "HandedOver")).toEqual([
      "False",
      "WaitingForManager",
      "class v1 owns the object until a manager of class v2 has claimed it",
    ]);
    const again = after(input, waiting);
    expect(aggregate(again, T0 + SECOND)).toBe(again.previous);
  });

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

  test("a target that is still there counts for nothing", () => {
    const status = aggregate(after(inputOf([view("a", { rows: lingering })], { deleting: true }), settled), T0);
    expect(entry(status)?.state).toBe("Removing");
  });

  test("nothing left is an empty list", () => {
    const status = deleting([]);
    expect(status).not.toHaveProperty("clusters");
    expect(condition(status, "Progressing")).toEqual(["True", "Deleting", ""]);
  });
});
