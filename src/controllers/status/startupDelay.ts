import type { HubCache, StatusStore } from "../../hub/index.ts";
import type { Assignments, Observations } from "../tables/index.ts";
import type { Plan } from "../states/index.ts";

/** Time after the start of leadership for which a status waits for pending clusters. */
const INITIAL_SYNC_MS = 10_000;

export interface SettlingFacts {
  assignments: Pick<Assignments, "of">;
  observations: Pick<Observations, "contactOf">;
  hub: Pick<HubCache, "clusters">;
  store: Pick<StatusStore, "read">;
}

/**
 * Milliseconds to wait for pending clusters, without which the status would drop true statements. `ledForMs`: since
 * leadership began.
 */
export function startupDelayFor(
  { assignments, observations, hub, store }: SettlingFacts,
  owner: string,
  plan: Plan,
  ledForMs: number,
): number {
  const left = INITIAL_SYNC_MS - ledForMs;
  if (left <= 0) return 0;
  if (plan.awaitsContact === true) return left;
  const clusters = new Set((plan.target?.clusters ?? []).map(({ name }) => name));
  for (const { name } of store.read(owner)?.clusters ?? [])
    if (hub.clusters.get(name) !== undefined) clusters.add(name);
  for (const { cluster } of assignments.of(owner)) clusters.add(cluster);
  for (const cluster of clusters) if (observations.contactOf(cluster).pending) return left;
  return 0;
}
