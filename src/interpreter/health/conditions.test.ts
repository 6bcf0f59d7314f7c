import { describe, expect, test } from "vitest";
import type { Health } from "../types.ts";
import { condition } from "../testing/workloadHealth.ts";
import { shownConditions } from "./conditions.ts";

const shown = (conditions: object[], state: Health["state"] = "Degraded") =>
  shownConditions({ apiVersion: "v1", kind: "x", metadata: { name: "x" }, status: { conditions } }, { state });

describe("the conditions that are shown", () => {
  test("have a type and a reason of at most 63 characters", () => {
    const [longest, longer] = ["T".repeat(63), "T".repeat(64)];
    expect(shown([{ status: "True" }, condition(longer, "True"), condition(longest, "True", "R".repeat(64))])).toEqual([
      { type: longest, status: "True", reason: expect.stringMatching(/^R.{0,62}$/) as unknown },
    ]);
  });

  test.each(["Ready", "Failed", "Stalled", "Degraded", "Reconciling", "Progressing"])(
    "are eight, “%s” before those that do not tell of health",
    (type) => {
      const others = ["B8", "B7", "B6", "B5", "B4", "B3", "B2", "B1"].map((other) => condition(other, "True"));
      expect(shown([...others, condition(type, "False")]).map((one) => one.type)).toEqual([
        ...["B2", "B3", "B4", "B5", "B6", "B7", "B8"],
        type,
      ]);
    },
  );

  test("have a message only while the object is not healthy, and no empty one", () => {
    const given = [condition("A", "False", "R", "why"), condition("B", "Odd")];
    expect(shown(given)).toStrictEqual([
      { type: "A", status: "False", reason: "R", message: "why" },
      { type: "B", status: "Unknown" },
    ]);
    expect(shown(given, "Available")).toStrictEqual([
      { type: "A", status: "False", reason: "R" },
      { type: "B", status: "Unknown" },
    ]);
  });
});
