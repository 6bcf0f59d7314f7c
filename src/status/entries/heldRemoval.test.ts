import { describe, expect, test } from "vitest";
import { conditionMessage, inFull } from "../../apis/index.ts";
import type { Why } from "../../desiredstate/types.ts";
import { finalizerHolds, whyNotRemoved, whyNotReplaced } from "./heldRemoval.ts";
import { reportOf } from "./report.ts";
import { row, rowWithout, T0, view } from "../testing/builders.ts";
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
});

test("a copy that is to be made again waits for a finalizer, and one in sync for nothing", () => {
  const why = (more: Partial<RowView>) => whyNotReplaced([row(), row({ finalizers: ["example.com/hold"], ...more })]);
  expect(inFull(why({ inSync: false }) ?? { reason: "", message: "" })).toEqual(held);
  expect(why({ inSync: true })).toBeUndefined();
  expect(why({ inSync: false, finalizers: ["foregroundDeletion"] })).toBeUndefined();
});

test("what holds a deletion is said only once the deletion takes long", () => {
  const given = { target: undefined, previous: undefined, isBrief: false, isUnchanged: true, isPlaced: true, now: T0 };
  const said = (isOverdue: boolean) =>
    reportOf({
      ...given,
      view: view("a", { rows: [left({ finalizers: ["example.com/hold"] })], mayRemain: true }),
      frozenFor: held,
      watchesHealth: false,
      watchesNodes: false,
      isOverdue,
    })?.entry.reason;
  expect([said(false), said(true)]).toEqual([undefined, "Terminating"]);
});
