import { describe, expect, test } from "vitest";
import { conditionMessage, inFull } from "../../apis/index.ts";
import type { Why } from "../../desiredstate/types.ts";
import { aggregate } from "../aggregate.ts";
import { finalizerHolds, whyNotRemoved } from "./heldRemoval.ts";
import { condition, entry, inputOf, row, rowWithout, T0, target, view } from "../testing.ts";
import type { RowView } from "../types.ts";

const left = (more: Partial<RowView> = {}): RowView => rowWithout(["desiredHash"], { inSync: false, ...more });
const service = { apiVersion: "v1", kind: "Service", namespace: "default", name: "shop" };
const held = {
  reason: "Terminating",
  message: "Deployment shop has finalizer example.com/hold; mend its controller or remove it",
};

describe("what a removal waits for that takes longer than removals do", () => {
  test.each<{ name: string; rows: RowView[]; want: Why }>([
    { name: "a finalizer", rows: [left(), left({ finalizers: ["example.com/hold"] })], want: held },
    {
      name: "finalizers of several objects",
      rows: [left({ finalizers: ["a/b", "c/d"] }), left({ ref: service, finalizers: ["a/b"] })],
      want: {
        reason: "Terminating",
        message: "Deployment shop (and 1 more) has finalizers a/b, c/d; mend its controller or remove them",
      },
    },
    {
      name: "the cluster itself",
      rows: [left(), left({ ref: service, finalizers: [] })],
      want: { reason: "Terminating", message: "Service shop is being deleted by the cluster" },
    },
    {
      name: "a deletion that has not begun",
      rows: [left()],
      want: { reason: "Removing", message: "Deployment shop is still to be deleted" },
    },
    {
      name: "certainty",
      rows: [],
      want: { reason: "Confirming", message: "nothing is seen there, and that nothing is there is not certain yet" },
    },
  ])("$name", ({ rows, want }) => expect(inFull(whyNotRemoved(rows))).toEqual(want));

  test("names the finalizer, whatever the length of the object's name", () => {
    const { message } = finalizerHolds({ ...service, name: "n".repeat(99) }, [
      "argoproj.io/hold-until-synced",
      "b",
      "c",
    ]);
    expect(conditionMessage(message)).toBe(
      `Service ${"n".repeat(23)}… has finalizers argoproj.io/hold-until-synced, b, c; mend its controller or remove them`,
    );
  });

  test("is nobody's business where the cluster collects what depends on the object", () => {
    const { message } = whyNotRemoved([left({ finalizers: ["foregroundDeletion"] })]);
    expect(message).toBe("Deployment shop is being deleted by the cluster");
  });

  test("is said of a copy that is to be made again, before anything else that is said of it", () => {
    const going = row({ inSync: false, finalizers: ["example.com/hold"] });
    const on = (rows: RowView[]) =>
      entry(aggregate(inputOf([view("a", { rows })], { target: target(["a"]) }), T0), "a");
    expect(on([row(), going])).toMatchObject({ state: "Progressing", ...held });
    expect(on([row({ inSync: false, finalizers: ["foregroundDeletion"] })])).toMatchObject({ reason: "Applying" });
    const failure = { reason: "Forbidden", message: "may not", final: true };
    expect(on([{ ...going, failure }])).toMatchObject({ state: "Failed", reason: "Forbidden" });
  });

  test("stands in the entry of each cluster, whatever another cluster waits for, and no sooner", () => {
    const clusters = [
      view("a", { rows: [left({ finalizers: ["example.com/hold"] })], mayRemain: true }),
      view("b", { contact: { ok: false, reason: "ClusterUnreachable", lastContact: T0 }, rows: [], mayRemain: true }),
    ];
    const deleting = { target: undefined, deleting: true, deletedAt: "2026-11-21T07:59:00Z" };
    const late = aggregate(inputOf(clusters, { ...deleting, isOverdue: () => true }), T0);
    expect(entry(late, "a")).toMatchObject({ state: "Removing", ...held });
    expect(entry(late, "b")).toMatchObject({ state: "Unknown", reason: "ClusterUnreachable" });
    expect(condition(late, "Progressing")[2]).toBe(
      "waits for a, b (ClusterUnreachable): Deployment shop has finalizer example.com/hold; mend its controller or remove it",
    );
    expect(entry(aggregate(inputOf(clusters, deleting), T0), "a")).not.toHaveProperty("reason");
  });

  test("is said at once of a copy that moves, and of what is left over where the object stays", () => {
    const rows = [left({ finalizers: ["example.com/hold"] })];
    const moving = inputOf([view("a", { rows, mayRemain: true })], { target: target([]) });
    expect(entry(aggregate(moving, T0), "a")).toMatchObject({ state: "Removing", ...held });
    const going = inputOf([view("a", { rows: [left({ finalizers: [] })] })], { target: target([]) });
    expect(entry(aggregate(going, T0), "a")).not.toHaveProperty("reason");
    const staying = inputOf([view("a", { rows: [row(), ...rows] })], { target: target(["a"]) });
    expect(entry(aggregate(staying, T0), "a")).toMatchObject({
      state: "Progressing",
      reason: "Removing",
      message: held.message,
    });
  });
});
