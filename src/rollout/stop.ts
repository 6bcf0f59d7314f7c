import { durationMs, type RolloutStatus } from "../apis/index.ts";
import { policyOfStage } from "./stages.ts";
import type { RolloutPolicy } from "./types.ts";

/** Of a policy that says nothing: long enough for a person to look at what failed, or to approve, on a working day. */
const YIELD_AFTER = "1h";

/** A run that goes on only when somebody or something lets it. */
export interface Stop {
  /** Since when, epoch milliseconds. */
  since: number;
  /** For how long it keeps its turn from objects of other namespaces. */
  patienceMs: number;
}

/** Undefined for a run that goes on, has not begun, or is over. One that was taken back is stopped: whether it is over depends on what was at fault. */
export function stopOf(policy: RolloutPolicy, { state, since, stages = [] }: RolloutStatus): Stop | undefined {
  if (state !== "Paused" && state !== "RolledBack") return undefined;
  const stage = stages.find((one) => one.state !== "Succeeded");
  const deadline = stage === undefined ? undefined : policyOfStage(policy, stage.name).deadline;
  return {
    since: since === undefined ? 0 : Date.parse(since),
    patienceMs: durationMs(policy.yieldAfter ?? deadline ?? YIELD_AFTER),
  };
}
