import { describe, expect, test } from "vitest";
import type { ClusterTarget, Why } from "../../desiredstate/types.ts";
import { aggregate } from "../aggregate.ts";
import { finalizerHolds, whyNotRemoved } from "./heldRemoval.ts";
import { detailOf } from "./report.ts";
import { condition, entry, inputOf, row, rowWithout, T0, target, view } from "../testing.ts";
import type { RowView } from "../types.ts";

const left = (more: Partial<RowView> = {}): RowView => rowWithout(["desiredHash"], { inSync: false, ...more });
const service = { apiVersion: "v1", kind: "Service", namespace: "default", name: "shop" };
const held: Why = {
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
  ])("$name", ({ rows, want }) => expect(whyNotRemoved(rows)).toMatchObject(want));

  test.each<{ name: string; object: string; finalizers: string[]; want: string }>([
    {
      name: "of a long object name the beginning",
      object: "customer-facing-payment-gateway-frontend",
      finalizers: ["foregroundprotection.argoproj.io/hold-until-synced"],
      want: "Service customer-…",
    },
    {
      name: "no object name where the finalizer needs the room",
      object: "shop",
      finalizers: [`${"f".repeat(58)}/hold`],
      want: "Service has finalizer fff",
    },
    {
      name: "of many finalizers the first",
      object: "shop",
      finalizers: ["a", "b", "c"].map((letter) => `${letter.repeat(40)}/hold`),
      want: "Service shop has finalizers aaa",
    },
  ])("names the finalizer, and what frees it, whatever gives way: $name", ({ object, finalizers, want }) => {
    const { message, detail } = finalizerHolds({ ...service, name: object }, finalizers);
    expect(message.length).toBeLessThanOrEqual(120);
    expect(message.slice(0, want.length)).toBe(want);
    expect(message).toContain(` ${finalizers[0]}`);
    expect(message).toMatch(/; mend its controller or remove (it|them)$/);
    expect(detail).toContain(`Service ${object} has finalizer`);
    for (const finalizer of finalizers) expect(detail).toContain(finalizer);
  });

  test("names the finalizer even where there is no room for anything else", () =>
    expect(finalizerHolds(service, [`${"f".repeat(100)}/hold`]).message).toBe(`finalizer ${"f".repeat(100)}/hold`));

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
    const long = { ...going, ref: { ...service, name: "s".repeat(99) } };
    expect(detailOf({ rows: [long] }, target(["a"]).clusters[0] as ClusterTarget)).toContain("s".repeat(99));
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
    expect(condition(late, "Progressing")[2]).toBe(`a: ${held.message}; also b (ClusterUnreachable)`);
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
