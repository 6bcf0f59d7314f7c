import { type FederatedStatus, hashOfText, type KubeObject } from "../../apis/index.ts";
import type { Plan, Tracked } from "../states/index.ts";
import { newProgress } from "./progressEvents.ts";

export function newTracked(): Tracked {
  return {
    plannedAt: undefined,
    movedAt: undefined,
    saysReady: false,
    propagating: undefined,
    change: undefined,
    isLate: false,
    lastWriteAt: Number.NEGATIVE_INFINITY,
    earlierWriteAt: Number.NEGATIVE_INFINITY,
    changedAt: 0,
    changed: false,
    turned: false,
    goneAt: undefined,
    open: undefined,
    progress: newProgress(),
  };
}

/** True if the status reports the present generation as ready. */
export function saysReady({ metadata }: KubeObject, status: FederatedStatus | undefined): boolean {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return ready?.status === "True" && (ready.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}

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
  tracked.isLate = false;
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
