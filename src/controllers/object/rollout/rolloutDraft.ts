import { type RolloutStatus, sameValue } from "../../../apis/index.ts";
import type { RolloutDraft } from "../../states/index.ts";

/** Longest time for which a minor step of a rollout is only in memory, in milliseconds. */
export const DRAFT_MS = 2_000;

/** The draft, if it still continues the rollout on the hub. */
export function draftOn(draft: RolloutDraft | undefined, stored: RolloutStatus | undefined): RolloutDraft | undefined {
  return draft !== undefined && sameValue(draft.base, stored) ? draft : undefined;
}

/**
 * True if the step may be written together with the next one: clusters have got their content, and are being verified
 * now. No row follows from this, and a new leader sees the same on the members.
 */
export function isMinorStep(stored: RolloutStatus | undefined, next: RolloutStatus): boolean {
  return stored !== undefined && !sameValue(stored, next) && sameValue(unverified(stored), unverified(next));
}

function unverified({ stages = [], ...run }: RolloutStatus): object {
  const clustersOf = ({ clusters = [] }: (typeof stages)[number]): object[] =>
    clusters.map((cluster) =>
      cluster.state === "Applying" || cluster.state === "Verifying"
        ? { name: cluster.name, reason: cluster.reason, state: "Applying" }
        : cluster,
    );
  return { ...run, stages: stages.map((stage) => ({ ...stage, clusters: clustersOf(stage) })) };
}
