import { describe, expect, test } from "vitest";
import type { RolloutStatus } from "../../../apis/index.ts";
import { awaitsMembers, waitsOfRollout } from "./openWaits.ts";
import type { ObjectRollout } from "../rollout/rolloutStep.ts";

describe("a rollout", () => {
  const rollout = (status: Partial<RolloutStatus>, more: Partial<ObjectRollout> = {}): string[] =>
    waitsOfRollout({ isUnderWay: true, status, ...more } as unknown as ObjectRollout).map((wait) => wait.for);

  test.each<{ name: string; got: string[]; want: string[] }>([
    { name: "that is over", got: rollout({ state: "Paused" }, { isUnderWay: false }), want: [] },
    { name: "that goes on", got: rollout({ state: "Progressing" }), want: ["contact"] },
    { name: "without a slot", got: rollout({ state: "Planned" }), want: ["contact", "turn"] },
    { name: "that a person holds", got: rollout({ state: "Planned", reason: "User" }), want: ["contact", "approval"] },
    { name: "that has stopped", got: rollout({ state: "Paused" }), want: ["contact", "approval"] },
    {
      name: "that asks a gate",
      got: rollout({ state: "Paused", reason: "Gate", stages: [{ name: "x", state: "Paused" }] }),
      want: ["contact", "gate"],
    },
    {
      name: "with a time limit",
      got: rollout({ state: "Progressing" }, { recheckAt: 1 }),
      want: ["contact", "window"],
    },
  ])("$name waits for $want", ({ got, want }) => expect(got).toEqual(want));
});

test("only a wait for pending members has contact and an end", () => {
  expect(awaitsMembers([{ for: "contact", until: 1 }])).toBe(true);
  expect(awaitsMembers([{ for: "contact" }, { for: "window", until: 1 }])).toBe(false);
});
