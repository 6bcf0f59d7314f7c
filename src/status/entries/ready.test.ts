import { describe, expect } from "vitest";
import { test } from "@fast-check/vitest";
import type { Condition, FederatedStatus } from "../../apis/index.ts";
import type { Target } from "../../desiredstate/types.ts";
import { aggregate } from "../aggregate.ts";
import {
  after,
  condition,
  healthy,
  inputOf,
  refused,
  row,
  rowWithout,
  SECOND,
  T0,
  target,
  unhealthy,
  untried,
  view,
} from "../testing/builders.ts";
import type { ClusterView, RowView, StatusInput } from "../types.ts";

const settled = aggregate(inputOf([view("a"), view("b")]), T0);
/** What is there is of before; something else is wanted now. */
const behind = row({ desiredHash: "h2", inSync: false });
const full = { desired: 2, updated: 1, ready: 2, available: 2 };
const rolling = (serves?: "Now" | "Before"): RowView =>
  row({
    health: {
      ...unhealthy("Progressing", 2, serves === "Before" ? "RolloutPending" : "RollingOut"),
      replicas: full,
      ...(serves === undefined ? {} : { serves }),
    },
  });

/** A later generation of an object that was available everywhere. */
function changed(clusters: ClusterView[], more: Partial<StatusInput> = {}): StatusInput {
  return after(inputOf(clusters, { generation: 4, ...more }), settled);
}

function conditionOf(status: FederatedStatus, type: string): Condition | undefined {
  return status.conditions?.find((one) => one.type === type);
}

/** As `kubectl wait --for=condition` decides. */
function isMet(status: FederatedStatus, type: string, generation: number): boolean {
  const found = conditionOf(status, type);
  return found?.status === "True" && (found.observedGeneration ?? 0) >= generation;
}

/** The target while no policy places the object: what runs is left as it is. */
function unplaced(names: string[], more: Partial<Target> = {}): Target {
  const message =
    "no placement selects it; it is kept as it is on 2 clusters: create a Placement that does, or delete it";
  const { placement: _, ...rest } = target(names, {
    scheduled: { status: "False", reason: "NoPlacement", message },
    clusters: names.map((name) => ({ name, replicas: 2, frozen: true, objects: [] })),
    ...more,
  });
  return rest;
}

describe("an object that no policy places any more", () => {
  test("stays as it was said after a restart", () => {
    for (const generation of [3, 4]) {
      const input = inputOf([view("a", { rows: [behind] }), view("b", { rows: [behind] })], {
        generation,
        target: unplaced(["a", "b"]),
      });
      const status = aggregate(after(input, settled), T0);
      const rows = [rowWithout(["observedHash", "health"], { desiredHash: "h2", inSync: false })];
      const restarted = after(
        { ...input, clusters: ["a", "b"].map((name) => view(name, { contact: untried, rows })) },
        status,
      );
      expect(aggregate(restarted, T0 + SECOND)).toBe(restarted.previous);
    }
  });
});

describe("while a change is carried out", () => {
  interface Case {
    name: string;
    rows: RowView[];
    available: boolean;
    /** `kubectl wait --for=condition=Available` ends. */
    met: boolean;
  }
  test.each<Case>([
    { name: "a rolling update that has enough new pods", rows: [rolling("Now")], available: true, met: true },
    { name: "a rolling update that does not", rows: [rolling()], available: false, met: false },
    { name: "what its controller has not seen yet", rows: [rolling("Before")], available: true, met: false },
    { name: "what is not written yet", rows: [behind], available: true, met: false },
    {
      name: "what is not written yet, and does not serve",
      rows: [row({ desiredHash: "h2", inSync: false, health: unhealthy("Degraded", 1) })],
      available: false,
      met: false,
    },
    {
      name: "what cannot be written",
      rows: [{ ...behind, failure: { reason: "QuotaExceeded", message: "no room", final: false } }],
      available: false,
      met: false,
    },
    {
      name: "a rollout that has stopped with enough old pods",
      rows: [row({ health: { ...unhealthy("Degraded", 2, "ProgressDeadlineExceeded"), serves: "Before" } })],
      available: true,
      met: false,
    },
  ])("$name: available $available, waited for $met", ({ rows, available, met }) => {
    const status = aggregate(changed([view("a", { rows }), view("b")]), T0);
    expect(condition(status, "Available")[0]).toBe(available ? "True" : "False");
    expect(isMet(status, "Available", 4)).toBe(met);
    expect(isMet(status, "Ready", 4)).toBe(false);
    expect(status.availableClusters).toBe(available ? "2/2" : "1/2");
  });

  test("the condition speaks of the generation before until the change is judged, and then of the present one", () => {
    const writing = changed([view("a", { rows: [behind] }), view("b")]);
    const first = aggregate(writing, T0);
    expect(conditionOf(first, "Available")?.observedGeneration).toBe(3);
    expect(first.observedGeneration).toBe(4);
    const again = after(writing, first);
    expect(aggregate(again, T0 + SECOND)).toBe(again.previous);
    const second = aggregate(
      after({ ...writing, clusters: [view("a", { rows: [rolling("Now")] }), view("b")] }, first),
      T0,
    );
    expect(conditionOf(second, "Available")).toMatchObject({ status: "True", observedGeneration: 4 });
    expect(condition(second, "Ready")).toEqual(["False", "RollingOut", "rolling out on a"]);
    const done = aggregate(after({ ...writing, clusters: [view("a"), view("b")] }, second), T0);
    expect(condition(done, "Ready")).toEqual(["True", "AllClustersReady", "2 of 2 clusters ready"]);
    expect(conditionOf(done, "Available")?.lastTransitionTime).toBe(
      conditionOf(settled, "Available")?.lastTransitionTime,
    );
  });

  test("a rolling update stays as it was said after a restart", () => {
    for (const serves of ["Now", "Before"] as const) {
      const input = changed([view("a", { rows: [rolling(serves)] }), view("b")]);
      const status = aggregate(input, T0);
      const rows = [rowWithout(["observedHash", "health"], { inSync: false })];
      const clusters = ["a", "b"].map((name) => view(name, { contact: untried, rows }));
      const restarted = after({ ...input, clusters }, status);
      expect(aggregate(restarted, T0 + SECOND)).toBe(restarted.previous);
    }
  });
});

test("lists of names are never cut in the middle of a name", () => {
  const views = Array.from({ length: 30 }, (_, i) =>
    view(`cluster-with-a-long-name-${String(i).padStart(2, "0")}`, {
      rows: [row({ health: unhealthy("Progressing", 1) })],
    }),
  );
  expect(condition(aggregate(inputOf(views), T0), "Progressing")[2]).toBe(
    "rolling out on cluster-with-a-long-name-00, cluster-with-a-long-name-01, cluster-with-a-long-name-02 and 27 more",
  );
  const lost = views.map((one) => ({ ...one, contact: refused, rows: [row({ health: healthy(2) })] }));
  expect(condition(aggregate(inputOf(lost), T0), "Fresh")[2]).toMatch(
    /^not observed: (?:cluster-\S+ \(since \S+\)(?:, )?)+ and \d+ more$/,
  );
});
