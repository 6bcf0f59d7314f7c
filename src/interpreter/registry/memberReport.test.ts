import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { condition } from "../testing/workloadHealth.ts";
import { memberReport } from "./memberReport.ts";

function report(name: string, parts: object = {}) {
  const [apiVersion = "", kind = ""] = name.split(" ");
  return memberReport({ apiVersion, kind, metadata: { name: "x", generation: 1 }, ...parts } as KubeObject);
}

describe("the conditions that are told of a member object", () => {
  const WIDGET = "example.com/v1 Widget";

  test("of a kind that nobody knows are always those of its controller, without words while all is well", () => {
    const conditions = [condition("Synced", "True", "Done", "at 10:02"), condition("Ready", "True", "", "ok")];
    expect(report(WIDGET, { status: { conditions } }).conditions).toEqual([
      { type: "Ready", status: "True" },
      { type: "Synced", status: "True", reason: "Done" },
    ]);
  });

  test("of a kind that Meridian knows are told where something is wrong, and not on the way there", () => {
    const rolling = { observedGeneration: 1, replicas: 1, updatedReplicas: 0 };
    const stuck = condition("Progressing", "False", "ProgressDeadlineExceeded", "timed out");
    const deployment = (status: object) => report("apps/v1 Deployment", { spec: { replicas: 1 }, status });
    expect(deployment({ ...rolling, conditions: [condition("Progressing", "True")] })).not.toHaveProperty("conditions");
    expect(deployment({ ...rolling, conditions: [stuck] }).conditions).toEqual([
      { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded", message: "timed out" },
    ]);
  });

  const anyCondition = fc.record({
    type: fc.oneof(fc.constantFrom("Ready", "Stalled", "Reconciling"), fc.string({ maxLength: 100 })),
    status: fc.constantFrom("True", "False", "Unknown", "x"),
    reason: fc.string({ maxLength: 300 }),
    message: fc.string({ maxLength: 1000 }),
  });
  test.prop([fc.array(anyCondition, { maxLength: 40 }), fc.infiniteStream(fc.nat())])(
    "are bounded, hold what tells of the health, and are the same in whatever order they come",
    (conditions, keys) => {
      const unique = [...new Map(conditions.map((one) => [one.type, one])).values()];
      const told = report(WIDGET, { status: { conditions: unique } });
      const shuffled = unique
        .map((one) => ({ one, key: keys.next().value ?? 0 }))
        .toSorted((a, b) => a.key - b.key)
        .map(({ one }) => one);
      expect(JSON.stringify(told.conditions ?? []).length).toBeLessThan(8 * 320);
      expect(told.conditions?.length ?? 0).toBeLessThanOrEqual(8);
      for (const type of ["Ready", "Stalled", "Reconciling"])
        if (unique.some((one) => one.type === type))
          expect(told.conditions?.some((one) => one.type === type)).toBe(true);
      if (unique.length <= 8)
        expect(report(WIDGET, { status: { conditions: shuffled } }).conditions).toEqual(told.conditions);
    },
  );
});
