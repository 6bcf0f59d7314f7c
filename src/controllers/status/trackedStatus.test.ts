import { expect, test } from "vitest";
import { FIRST_DEBOUNCE_MS, writeDue } from "./debounce.ts";
import { newTracked, saysReady } from "./trackedStatus.ts";

const IDLE = { busy: false, writeMs: 0, plans: 0 };

test("the first change of it is written at once: no write was before", () => {
  const tracked = { ...newTracked(), changedAt: 7 };
  expect(writeDue(tracked, true, IDLE)).toBe(7);
  expect(writeDue({ ...tracked, lastWriteAt: 5 }, true, IDLE)).toBe(5 + FIRST_DEBOUNCE_MS);
});

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
