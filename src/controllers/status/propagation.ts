import { hashOfText } from "../../apis/index.ts";
import { type Plan } from "../tables/index.ts";
import type { Tracked } from "./trackedStatus.ts";

/** How long a change takes from the hub to every member: once for each change, when it is right everywhere. */

/**
 * Notes that other rows are to be carried out. The clock begins anew where they are of another change, and not with the steps of the same one: the
 * stages of a rollout, its way back, a removal that had to wait.
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

/** Milliseconds that the change has taken which is right everywhere now; undefined where there is none, or it was told of already. */
export function tookToPropagate(tracked: Tracked, { rollout }: Pick<Plan, "rollout">, now: number): number | undefined {
  const { propagating } = tracked;
  // What is right for now is what the stages so far have brought.
  if (propagating === undefined || (rollout !== undefined && rollout.state !== "Succeeded")) return undefined;
  tracked.propagating = undefined;
  return now - propagating;
}

function changeOf({ generation, target, rollout }: Pick<Plan, "generation" | "target" | "rollout">): string {
  if (rollout !== undefined) return `${generation} ${rollout.revision ?? ""}`;
  const asked = target?.clusters.map(({ name, objects }) => `${name}=${objects.map(({ hash }) => hash).join()}`);
  // Kept for each object, and as long as the object has clusters.
  return `${generation} ${hashOfText(asked?.join(" ") ?? "")}`;
}
