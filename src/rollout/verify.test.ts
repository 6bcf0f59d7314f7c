import { describe, expect, test } from "vitest";
import { BROKEN, FAILED, fact, UNKNOWN } from "./testing.ts";
import type { RolloutFacts, RolloutHealth } from "./types.ts";
import { passes, verify } from "./verify.ts";

const facts = (more: Partial<RolloutFacts> = {}): RolloutFacts => fact("a", { stage: "one", ...more });

test.each<[string, Partial<RolloutFacts>, string]>([
  ["one that is healthy has passed", {}, "Passed"],
  ["one without contact says nothing, healthy or not", { inContact: false, error: "refused" }, "Unknown"],
  ["what cannot be written is an error, healthy or not", { error: "refused" }, "Error"],
  ["what is not written yet is waited for", { onTarget: false }, "Pending"],
  ["one that is to have nothing, and has nothing, has passed", { wanted: false, health: FAILED }, "Passed"],
  ["one that fails has failed", { health: FAILED }, "Failed"],
  ["one of which nobody says how healthy it is has not passed", { health: UNKNOWN }, "Unknown"],
  ["one on its way is waited for", { health: BROKEN }, "Pending"],
])("%s", (_what, more, want) => expect(verify(facts(more), {})).toBe(want));

describe("how many replicas have to be available", () => {
  const health = (state: RolloutHealth["state"], available: number, desired: number): RolloutHealth => ({
    state,
    available,
    desired,
  });
  test.each<[string | undefined, RolloutHealth, string]>([
    [undefined, health("Available", 2, 2), "Passed"],
    [undefined, health("Available", 1, 2), "Pending"],
    [undefined, health("Available", 0, 0), "Passed"],
    ["100%", health("Progressing", 2, 2), "Pending"],
    ["50%", health("Progressing", 1, 2), "Passed"],
    ["51%", health("Progressing", 1, 2), "Pending"],
    ["50%", health("Progressing", 0, 0), "Pending"],
    ["0%", health("Failed", 2, 2), "Failed"],
    ["0%", health("Unknown", 2, 2), "Unknown"],
  ])("of %s: %j is %s", (available, found, want) =>
    expect(passes(facts({ health: found }), available === undefined ? {} : { gate: { available } })).toBe(want),
  );
});
