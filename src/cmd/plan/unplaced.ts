import { fullMessage, type KubeObject, type ObjectRef, refKey, refOf } from "../../apis/index.ts";
import { assembleSnapshot, computeTarget, type NearMiss, nearMisses } from "../../desiredstate/index.ts";
import { isPlaceable, type PlannerHubState } from "./state/index.ts";

/** An object of the files that would run nowhere. */
export interface UnplacedReport extends ObjectRef {
  reason: string;
  message: string;
  /**
   * Policies that select the object's kind but not the object, the closest first; empty if some policy selects the
   * object.
   */
  nearly: readonly NearMiss[];
}

/**
 * The files' objects that would run on no cluster. Objects that go along with another object (`goesAlong`, by
 * {@link refKey}) run where that object runs, so they are not listed. `now` is epoch milliseconds.
 */
export function unplacedAmong(
  given: readonly KubeObject[],
  state: PlannerHubState,
  goesAlong: (key: string) => boolean,
  now: number,
): UnplacedReport[] {
  return given.flatMap((one): UnplacedReport[] => {
    const key = refKey(refOf(one));
    const object = state.objects.get(key);
    if (object === undefined || !isPlaceable(object) || object.metadata.deletionTimestamp !== undefined) return [];
    if (goesAlong(key)) return [];
    const snapshot = assembleSnapshot(state, object, { dependencies: state.dependencies });
    const { scheduled, clusters, placement } = computeTarget(snapshot, now);
    if (clusters.length > 0 || scheduled.status === "True") return [];
    const { reason } = scheduled;
    const unseen = [...state.hidden].filter((kind) => kind !== "clusteroverridepolicies");
    const but = unseen.length === 0 ? "" : `, as far as you may see (hidden from you: ${unseen.toSorted().join(", ")})`;
    const message = `${fullMessage(scheduled.message)}${but}`;
    const nearly = placement === undefined ? nearMisses(object, state.placements, snapshot.setting) : [];
    return [{ ...refOf(object), reason, message, nearly }];
  });
}
