import type { RolloutFacts, RolloutPolicy } from "./types.ts";

/** Verdict of the policy's gate on one cluster. `Error`: something cannot be written; `Unknown`: nobody knows the health. */
export type Verdict = "Passed" | "Pending" | "Failed" | "Error" | "Unknown";

/** A cluster without contact is Unknown. A kind whose health nobody knows never passes. */
export function verify(facts: RolloutFacts, policy: RolloutPolicy): Verdict {
  if (!facts.inContact) return "Unknown";
  if (facts.error !== undefined) return "Error";
  if (!facts.onTarget) return "Pending";
  return facts.wanted ? passes(facts, policy) : "Passed";
}

/** Like {@link verify}, for the copy on the cluster, whichever its revision. */
export function passes({ health }: RolloutFacts, policy: RolloutPolicy): Verdict {
  const { state, available, desired } = health;
  if (state === "Failed" || state === "Unknown") return state;
  const share = Number.parseInt(policy.gate?.available ?? "100%", 10);
  if (state === "Available") return available * 100 >= desired * share ? "Passed" : "Pending";
  return share < 100 && desired > 0 && available * 100 >= desired * share ? "Passed" : "Pending";
}
