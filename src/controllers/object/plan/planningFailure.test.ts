import { describe, expect, test } from "vitest";
import type { EventRecord, EventRecorder } from "../../../observability/index.ts";
import { attempted } from "./planningFailure.ts";
import { type Plan, ObjectStates } from "../../states/index.ts";
import { planOn } from "../../testing/copySources.ts";
import { APP, app } from "../../testing/planning.ts";

const FAILURE = {
  reason: "PlanningFailed",
  message: "the object could not be planned (TypeError); the manager's log says more",
};

function attempting(before?: Partial<Plan>) {
  const states = new ObjectStates();
  const known = before === undefined ? undefined : planOn(["a"], { remaining: new Set(["b"]), ...before });
  if (known !== undefined) states.setPlan(APP, known);
  const events: EventRecord[] = [];
  const recorder = { record: (event: EventRecord) => void events.push(event) } as unknown as EventRecorder;
  const attempt = <T>(plan: () => T): T =>
    attempted({ states, events: recorder }, APP, app({ uid: "u", generation: 2 }), plan);
  const fail = (fault: unknown = new TypeError("x is not a function")): void =>
    expect(() =>
      attempt(() => {
        throw fault;
      }),
    ).toThrow(fault as Error);
  return { states, known, events, attempt, fail };
}

describe("an attempt to plan an object", () => {
  test("that breaks leaves the target of before, says why, and passes the error on", () => {
    const { states, known, events, fail } = attempting({ uid: "u" });
    fail();
    expect(states.planOf(APP)).toEqual({
      uid: "u",
      generation: 2,
      target: known?.target,
      remaining: new Set(["b"]),
      failure: FAILURE,
      ours: true,
    });
    expect(events).toMatchObject([
      { type: "Warning", reason: "PlanningFailed", action: "Plan", note: FAILURE.message, regarding: { uid: "u" } },
    ]);
  });

  test.each([
    { name: "where there was no plan", before: undefined },
    { name: "where the plan was of another life", before: { uid: "another" } },
  ])("that breaks has no target $name", ({ before }) => {
    const { states, fail } = attempting(before);
    fail();
    expect(states.planOf(APP)).toEqual({
      uid: "u",
      generation: 2,
      target: undefined,
      remaining: new Set(),
      failure: FAILURE,
      ours: true,
    });
  });

  test("that breaks again is told once", () => {
    const { events, fail } = attempting({ uid: "u" });
    fail();
    fail();
    expect(events).toHaveLength(1);
  });

  test("that breaks with what is no error says what it was", () => {
    const { states, fail } = attempting();
    fail("a text");
    expect(states.planOf(APP)?.failure?.message).toContain("(string)");
  });
});
