import { describe, expect, test } from "vitest";
import { conditionMessage, inFull } from "../../apis/index.ts";
import type { Why } from "../../desiredstate/types.ts";
import { finalizerHolds, whyNotRemoved } from "./heldRemoval.ts";
import { rowWithout } from "../testing/builders.ts";
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
