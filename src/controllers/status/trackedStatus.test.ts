import { expect, test } from "vitest";
import type { RolloutStatus } from "../../apis/index.ts";
import { newTracked, noteRows, saysReady, tookToPropagate } from "./trackedStatus.ts";

test.each([
  { name: "of the present generation", status: "True" as const, observedGeneration: 2, want: true },
  { name: "of the generation before", status: "True" as const, observedGeneration: 1, want: false },
  { name: "and is False", status: "False" as const, observedGeneration: 2, want: false },
])("whether a status says Ready of what is asked for now: $name", ({ want, ...said }) => {
  const object = { apiVersion: "v1", kind: "X", metadata: { name: "x", generation: 2 } };
  const ready = { type: "Ready", reason: "R", message: "", lastTransitionTime: "2026-01-01T00:00:00Z", ...said };
  expect(saysReady(object, { conditions: [ready] })).toBe(want);
  expect(saysReady(object, undefined)).toBe(false);
});

test("the time that a staged change takes is that of the whole rollout, when it has succeeded", () => {
  const plan = (state: RolloutStatus["state"]) => ({
    ...{ generation: 2, target: {} as never, rollout: { state, revision: 2 } },
  });
  const tracked = newTracked();
  noteRows(tracked, plan("Progressing"), 0);
  expect(tookToPropagate(tracked, plan("Progressing"), 5)).toBeUndefined();
  noteRows(tracked, plan("Progressing"), 60);
  expect(tookToPropagate(tracked, plan("Succeeded"), 65)).toBe(65);
});
