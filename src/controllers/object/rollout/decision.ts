import { type RolloutStatus, sameValue, writeFinished } from "../../../apis/index.ts";
import type { Target } from "../../../desiredstate/index.ts";
import type { Decision, PlacedObject, Recorded, StatusStore } from "../../../hub/index.ts";
import { isNotFound } from "../../../runtime/index.ts";

export interface Decided {
  target: Pick<Target, "clusters" | "finished">;
  rollout: RolloutStatus | undefined;
  /** True if something of the object may be left on a cluster that the target does not name. */
  isOpen: (cluster: string) => boolean;
}

/**
 * The decision that must be on the hub before rows go out; undefined if the hub has it. Nothing is sent to a cluster
 * before the record names the cluster: the next leader must know where to look. Pure.
 *
 * The decision names only clusters that the report does not name. A name of an earlier decision goes when the report
 * has the cluster, or when nothing of the object is left there: otherwise the cluster would count as one of the object.
 */
export function decisionToWrite(
  { status, clusters, reported }: Recorded,
  { target, rollout, isOpen }: Decided,
): Decision | undefined {
  const { plannedClusters: before } = status ?? {};
  const wanted = new Set(target.clusters.map(({ name }) => name));
  const left = (before ?? []).filter((name) => !wanted.has(name));
  const kept = left.filter((name) => !reported.has(name) && isOpen(name));
  const isRecorded = [...wanted].every((name) => clusters.has(name)) && kept.length === left.length;
  // The report of an earlier version holds the rollout until the planner has written it once.
  const isOurs = rollout === undefined || before !== undefined;
  const finished = target.finished === undefined ? undefined : writeFinished(target.finished);
  const isForgotten = before !== undefined && finished === undefined && status?.finished !== undefined;
  if (isRecorded && isOurs && !isForgotten && sameValue(rollout, status?.rollout)) return undefined;
  const planned = [...wanted].filter((name) => !reported.has(name));
  return { plannedClusters: [...planned, ...kept].toSorted(), rollout, finished };
}

/** `Stale`: the object or its record has changed, and is planned again. `Failed`: rows go only where the record allows. */
export type DecisionResult = { kind: "Recorded" } | { kind: "Stale" } | { kind: "Failed"; error: unknown };

/** Writes the decision, unless the hub has it. */
export async function recordPlanned(
  store: Pick<StatusStore, "record" | "decide">,
  owner: string,
  found: PlacedObject,
  decided: Decided,
  signal: AbortSignal,
): Promise<DecisionResult> {
  const before = store.record(owner);
  if (decisionToWrite(before, decided) === undefined) return { kind: "Recorded" };
  let isStale = false;
  const decide = (record: Recorded): Decision | undefined => {
    // A report has added finished work since: the target does not know of its end.
    isStale = !sameValue(record.status?.finished, before.status?.finished);
    return isStale ? undefined : decisionToWrite(record, decided);
  };
  try {
    await store.decide(found, decide, signal);
    return { kind: isStale ? "Stale" : "Recorded" };
  } catch (error) {
    return isNotFound(error) ? { kind: "Stale" } : { kind: "Failed", error };
  }
}
