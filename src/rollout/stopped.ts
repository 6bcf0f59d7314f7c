import type { RolloutStatus } from "../apis/index.ts";

/** The stage that has paused, and whose turn it is to pass. */
function pausedStage({ state, reason, stages = [] }: RolloutStatus): string | undefined {
  if (state !== "Paused" || reason !== "Gate") return undefined;
  return stages.find((stage) => stage.state !== "Succeeded")?.name;
}

/** Message of a run whose stage lacks only the approval. The status has no code of its own for this stop. */
export function approvalText(stage: string): string {
  return `stage ${stage} waits for approval`;
}

/** Name of the stage that a person has to approve; undefined if the run waits for no approval. */
export function stageToApprove(status: RolloutStatus): string | undefined {
  const stage = pausedStage(status);
  return stage !== undefined && status.message?.startsWith(approvalText(stage)) === true ? stage : undefined;
}

/** Name of the stage whose external gate is asked; undefined if the run waits for no gate. */
export function stageAtGate(status: RolloutStatus): string | undefined {
  return stageToApprove(status) === undefined ? pausedStage(status) : undefined;
}
