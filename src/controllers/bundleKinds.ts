import { type FederatedStatus, namesIn, recordedKind, recordedKindText } from "../apis/index.ts";
import { groupKindOf } from "../interpreter/index.ts";
import type { ViewSources } from "./clusterViews.ts";
import { nameOf } from "./kindCounts.ts";
import type { Plan } from "./plans.ts";

/**
 * The kinds of which a bundle may have objects on members, for the record in its status. Whoever leads next does not know what the bundle held
 * before: an object of a kind that nobody watches would stay for ever. A kind goes from the record when nothing of it is asked for any
 * more and every cluster of the record is known to have none.
 */
export function kindsOfBundle(
  { assignments, observations }: Pick<ViewSources, "assignments" | "observations">,
  owner: string,
  { target }: Pick<Plan, "target">,
  previous: FederatedStatus | undefined,
): string[] {
  const kinds = new Set<string>();
  for (const { objects } of target?.clusters ?? [])
    for (const { ref, role } of objects) if (role === "rendered") kinds.add(recordedKindText(groupKindOf(ref)));
  for (const { ref } of assignments.of(owner)) kinds.add(recordedKindText(groupKindOf(ref)));
  const clusters = [...namesIn(previous)];
  for (const text of previous?.kinds ?? []) {
    if (kinds.has(text)) continue;
    const kind = [nameOf(recordedKind(text))];
    if (!clusters.every((cluster) => observations.knows(cluster, kind))) kinds.add(text);
  }
  return [...kinds].toSorted();
}
