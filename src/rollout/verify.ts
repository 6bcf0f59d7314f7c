import type { RolloutFacts, RolloutPolicy } from "./types.ts";

/** Whether a cluster has passed the gate of the policy. `Error`: something cannot be written; `Unknown`: nobody says how healthy it is. */
export type Verdict = "Passed" | "Pending" | "Failed" | "Error" | "Unknown";

/** A cluster without contact answers nothing. A kind of which nobody says how healthy it is never passes. */
export function verify(facts: RolloutFacts, policy: RolloutPolicy): Verdict {
  if (!facts.inContact) return "Unknown";
  if (facts.error !== undefined) return "Error";
  if (!facts.onTarget) return "Pending";
  return facts.wanted ? passes(facts, policy) : "Passed";
}

/** As {@link verify}, of what is there, whichever revision that is. */
export function passes({ health }: RolloutFacts, policy: RolloutPolicy): Verdict {
  const { state, available, desired } = health;
  if (state === "Failed" || state === "Unknown") return state;
  const share = Number.parseInt(policy.gate?.available ?? "100%", 10);
  if (state === "Available") return available * 100 >= desired * share ? "Passed" : "Pending";
  return share < 100 && desired > 0 && available * 100 >= desired * share ? "Passed" : "Pending";
}
