import { durationMs, type RolloutStatus } from "../apis/index.ts";
import { policyOfStage } from "./stages.ts";
import type { RolloutPolicy } from "./types.ts";

/** Default of `yieldAfter`: enough for a person to act on a working day. */
const YIELD_AFTER = "1h";

/** A run that goes on only when a person or an external gate lets it. */
export interface Stop {
  /** Start of the stop, epoch milliseconds. */
  since: number;
  /** Time for which it keeps its turn from objects of other namespaces. */
  patienceMs: number;
}

/**
 * Undefined for a run that goes on, has not started, or is over. A rolled-back run counts: the cause of its failure
 * decides whether it is over.
 */
export function stopOf(policy: RolloutPolicy, { state, since, stages = [] }: RolloutStatus): Stop | undefined {
  if (state !== "Paused" && state !== "RolledBack") return undefined;
  const stage = stages.find((one) => one.state !== "Succeeded");
  const deadline = stage === undefined ? undefined : policyOfStage(policy, stage.name).deadline;
  return {
    since: since === undefined ? 0 : Date.parse(since),
    patienceMs: durationMs(policy.yieldAfter ?? deadline ?? YIELD_AFTER),
  };
}
