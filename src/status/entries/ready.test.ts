import { describe, expect } from "vitest";
import { fc, test } from "@fast-check/vitest";
import type { Condition, FederatedStatus } from "../../apis/index.ts";
import type { Target } from "../../desiredstate/types.ts";
import { aggregate } from "../aggregate.ts";
import { listedOverrides } from "./overrides.ts";
import {
  after,
  condition,
  entry,
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
} from "../testing.ts";
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
  const kept = (rows: RowView[], generation: number, previous = settled): FederatedStatus =>
    aggregate(
      after(
        inputOf([view("a", { rows }), view("b", { rows })], { generation, target: unplaced(["a", "b"]) }),
        previous,
      ),
      T0 + SECOND,
    );

  test("and whose image was changed since is not available: members run the old one", () => {
    const status = kept([behind], 4);
    expect(condition(status, "Available")).toEqual([
      "False",
      "NoPlacement",
      "a: the last change is not carried out: no placement selects it; it is kept as it is on 2 clusters: create a Placement…",
    ]);
    expect(condition(status, "Applied")[0]).toBe("False");
    expect(condition(status, "Progressing")).toEqual([
      "False",
      "Stalled",
      "not carried out on a (NoPlacement), b (NoPlacement)",
    ]);
    expect(condition(status, "Ready").slice(0, 2)).toEqual(["False", "NoPlacement"]);
    expect(status.availableClusters).toBe("0/2");
    const again = after(
      inputOf([view("a", { rows: [behind] }), view("b", { rows: [behind] })], {
        generation: 4,
        target: unplaced(["a", "b"]),
      }),
      status,
    );
    expect(aggregate(again, T0 + 9 * SECOND)).toBe(again.previous);
  });

  test("and that is as it was stays available, though nobody can say what its policies would make of it", () => {
    for (const rows of [[row()], [behind]]) {
      const status = kept(rows, 3);
      expect(condition(status, "Available")[0]).toBe("True");
      expect(condition(status, "Ready").slice(0, 2)).toEqual(["False", "NoPlacement"]);
    }
  });

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

test("what is held since a Secret may not be read is available as long as the object is not changed", () => {
  const frozenFor = { reason: "SecretAccessDenied", message: "add shop to the list" };
  const clusters = [{ name: "a", replicas: 2, frozen: true, frozenFor, objects: [] }];
  const held = (generation: number): FederatedStatus =>
    aggregate(
      after(inputOf([view("a", { rows: [behind] })], { generation, target: target(["a"], { clusters }) }), settled),
      T0,
    );
  expect(condition(held(3), "Available")[0]).toBe("True");
  expect(condition(held(3), "Ready")).toEqual([
    "False",
    "SecretAccessDenied",
    "0 of 1 cluster applied; a: add shop to the list",
  ]);
  expect(condition(held(4), "Available").slice(0, 2)).toEqual(["False", "SecretAccessDenied"]);
});

describe("an object that is changed while a cluster is away", () => {
  const lost = view("b", {
    contact: refused,
    rows: [rowWithout(["observedHash", "health"], { desiredHash: "h2", inSync: false })],
  });
  const status = aggregate(changed([view("a"), lost]), T0);

  test("is stalled there, not settled", () => {
    expect(condition(status, "Progressing")).toEqual(["False", "Stalled", "not carried out on b (ClusterUnreachable)"]);
    expect(condition(status, "Ready").slice(0, 2)).toEqual(["False", "ClusterUnreachable"]);
  });

  test("is settled where the cluster has it", () => {
    const same = aggregate(inputOf([view("a"), view("b", { contact: refused })]), T0);
    expect(condition(same, "Progressing")).toEqual(["False", "Settled", ""]);
  });

  test("has numbers that are marked as last known", () => {
    expect(status.replicas).toMatchObject({ desired: 4, ready: 4 });
    expect(status.staleReplicas).toEqual({ desired: 2, updated: 0, ready: 2, available: 2 });
    expect(settled).not.toHaveProperty("staleReplicas");
    const back = aggregate(after(inputOf([view("a"), view("b")]), status), T0);
    expect(back).not.toHaveProperty("staleReplicas");
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

  test("a change that a quota blocks has stalled, though the member took it and old pods serve", () => {
    const blocked = row({ health: { ...unhealthy("Degraded", 2, "QuotaExceeded", "no room"), serves: "Before" } });
    const status = aggregate(changed([view("a", { rows: [blocked] }), view("b")]), T0);
    expect(condition(status, "Applied")[0]).toBe("True");
    expect(condition(status, "Progressing")).toEqual(["False", "Stalled", "not healthy on a (QuotaExceeded)"]);
    expect(condition(status, "Ready")).toEqual(["False", "QuotaExceeded", "1 of 2 clusters ready; a: no room"]);
    expect(conditionOf(status, "Available")).toMatchObject({ status: "True", observedGeneration: 3 });
  });

  test("what was not available does not become so before it is carried out", () => {
    const status = aggregate(inputOf([view("a", { rows: [behind] })]), T0);
    expect(condition(status, "Available")).toEqual(["False", "Applying", "0 of 1 cluster available; a: Applying"]);
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

describe("Ready", () => {
  interface Case {
    name: string;
    input: StatusInput;
    want: [string, string, string];
  }
  const failure = { reason: "PlanningFailed", message: "broken" };
  test.each<Case>([
    { name: "all is well", input: inputOf([view("a")]), want: ["True", "AllClustersReady", "1 of 1 cluster ready"] },
    {
      name: "suspended, and as is asked for",
      input: inputOf([view("a")], {
        target: target(["a"], { suspended: true, clusters: [{ name: "a", replicas: 2, frozen: true, objects: [] }] }),
      }),
      want: ["True", "AllClustersReady", "1 of 1 cluster ready"],
    },
    {
      name: "not planned yet",
      input: inputOf([], { target: undefined }),
      want: ["False", "NotPlanned", "not planned yet"],
    },
    {
      name: "planning has failed",
      input: inputOf([view("a")], { failure }),
      want: ["False", "PlanningFailed", "broken"],
    },
    {
      name: "still to go from a cluster",
      input: inputOf([view("a"), view("b", { rows: [rowWithout(["desiredHash"], { inSync: false })] })], {
        target: target(["a"]),
      }),
      want: ["False", "Removing", "removing from b"],
    },
    {
      name: "available, and stuck",
      input: inputOf([
        view("a", {
          rows: [row({ health: { ...unhealthy("Degraded", 2, "ReplicaFailure", "denied"), serves: "Now" } })],
        }),
      ]),
      want: ["False", "ReplicaFailure", "0 of 1 cluster ready; a: denied"],
    },
    {
      name: "being deleted",
      input: inputOf([view("a")], { deleting: true, target: undefined }),
      want: ["False", "Deleting", "objects remain on a"],
    },
  ])("$name", ({ input, want }) => expect(condition(aggregate(input, T0), "Ready")).toEqual(want));
});

describe("Validated", () => {
  const validated = (refusal: { reason: string; message: string } | undefined): [string, string, string] =>
    condition(aggregate(inputOf([view("a")], { validated: { refusal } }), T0), "Validated");

  test("says what admission would have said", () => {
    expect(validated(undefined)).toEqual(["True", "Valid", ""]);
    const refusal = { reason: "ReplicasOutOfBounds", message: "spec.replica: 500 is not within 1 to 100" };
    expect(validated(refusal)).toEqual(["False", refusal.reason, refusal.message]);
  });

  test("is not said of kinds that admission does not judge", () => {
    expect(condition(settled, "Validated")[0]).toBe("-");
  });
});

describe("the overrides that took effect", () => {
  const policy = (name: string) => ({ kind: "OverridePolicy", namespace: "default", name });
  const effect = (...names: string[]) => ({ policies: names.map(policy), superseded: [], patches: [] });
  const on = (rows: RowView[], ...names: string[]): StatusInput =>
    inputOf([view("a", { rows })], {
      target: target(["a"], {
        clusters: [{ name: "a", replicas: 2, frozen: false, objects: [], overrides: effect(...names) }],
      }),
    });

  test("stand in the entry of each cluster, in order", () => {
    const status = aggregate(on([row()], "regional", "canary"), T0);
    expect(entry(status)?.overrides).toEqual(["OverridePolicy/regional", "OverridePolicy/canary"]);
    expect(entry(settled)).not.toHaveProperty("overrides");
  });

  test("are those of before until the new ones are carried out", () => {
    const before = aggregate(on([row()], "regional"), T0);
    expect(entry(aggregate(after(on([behind], "canary"), before), T0))?.overrides).toEqual(["OverridePolicy/regional"]);
    const lost = { ...on([], "canary"), clusters: [view("a", { contact: refused, rows: [{ ...behind }] })] };
    expect(entry(aggregate(after(lost, before), T0))?.overrides).toEqual(["OverridePolicy/regional"]);
    expect(entry(aggregate(after(on([row()]), before), T0))).not.toHaveProperty("overrides");
  });

  test.prop([fc.array(fc.string({ minLength: 1, maxLength: 253 }), { maxLength: 40 })])(
    "keep the entry small: the last words stay, and what is left out is counted",
    (names) => {
      const { overrides = [], moreOverrides = 0 } = listedOverrides(effect(...names));
      expect(overrides.length + moreOverrides).toBe(names.length);
      expect(overrides).toEqual(names.map((name) => `OverridePolicy/${name}`).slice(moreOverrides));
      expect(overrides.join("").length).toBeLessThanOrEqual(600);
      if (names.length > 0) expect(overrides.length).toBeGreaterThan(0);
    },
  );
});

describe("a patch with a value that the member refuses", () => {
  const policy = { kind: "OverridePolicy", namespace: "default", name: "regional" };
  const overrides = {
    policies: [policy],
    superseded: [],
    patches: [{ policy, rule: 1, patch: 0, kind: "Deployment", path: "/spec/replicas" }],
  };
  const words = ".spec.replicas: expected numeric (int or float), got string";
  const refusedFor = (fields: string[], reason = "Invalid"): FederatedStatus => {
    const failure = { reason, message: words, final: true, fields };
    const clusters = [{ name: "a", replicas: 2, frozen: false, objects: [], overrides }];
    return aggregate(
      inputOf([view("a", { rows: [{ ...behind, failure }] })], { target: target(["a"], { clusters }) }),
      T0,
    );
  };

  test("is the policy's, final, and names it", () => {
    const status = refusedFor([".spec.replicas"]);
    const message = `OverridePolicy regional, rule 1: patch 0 on Deployment: ${words}`;
    expect(entry(status)).toMatchObject({ state: "Failed", reason: "InvalidPatch", message });
    expect(condition(status, "Progressing")).toEqual(["False", "Stalled", "not carried out on a (InvalidPatch)"]);
    // The whole sentence does not fit behind how many clusters have it.
    expect(condition(status, "Applied")).toEqual(["False", "InvalidPatch", `a: ${message}`]);
  });

  test("is not blamed for another field, nor for another refusal", () => {
    expect(entry(refusedFor([".spec.paused"]))?.reason).toBe("Invalid");
    expect(entry(refusedFor([]))?.reason).toBe("InvalidPatch");
    expect(entry(refusedFor([".spec.replicas"], "QuotaExceeded"))?.reason).toBe("QuotaExceeded");
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
