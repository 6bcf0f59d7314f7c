import { hashOfText } from "../../apis/index.ts";
import { type Plan } from "../tables/index.ts";
import type { Tracked } from "./trackedStatus.ts";

/** Measures the time of a change from the hub to every member, once for each change, when all members are in sync. */

/**
 * Records that new rows are to be carried out. The clock starts for a new change, and goes on for the steps of the same
 * change: stages of a rollout, a rollback, a delayed removal.
 */
export function noteRows(
  tracked: Tracked,
  plan: Pick<Plan, "generation" | "target" | "rollout"> | undefined,
  now: number,
): void {
  if (plan?.target === undefined) return;
  const change = changeOf(plan);
  if (change === tracked.change) return;
  tracked.change = change;
  tracked.propagating = now;
}

/** Duration of the completed change in milliseconds, once for each change. */
export function tookToPropagate(tracked: Tracked, { rollout }: Pick<Plan, "rollout">, now: number): number | undefined {
  const { propagating } = tracked;
  // During a rollout, members are in sync with the stages so far, but the change is not complete.
  if (propagating === undefined || (rollout !== undefined && rollout.state !== "Succeeded")) return undefined;
  tracked.propagating = undefined;
  return now - propagating;
}

function changeOf({ generation, target, rollout }: Pick<Plan, "generation" | "target" | "rollout">): string {
  if (rollout !== undefined) return `${generation} ${rollout.revision ?? ""}`;
  const asked = target?.clusters.map(({ name, objects }) => `${name}=${objects.map(({ hash }) => hash).join()}`);
  // The hash keeps the text short: it is kept for each object, and the full text grows with the number of clusters.
  return `${generation} ${hashOfText(asked?.join(" ") ?? "")}`;
}
