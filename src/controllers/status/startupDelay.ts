import type { HubCache, StatusStore } from "../../hub/index.ts";
import { type Assignments, type Observations, type Plan } from "../tables/index.ts";

/** For how long after leadership began a status waits for clusters of which nothing is known yet. */
const INITIAL_SYNC_MS = 10_000;

export interface SettlingFacts {
  assignments: Pick<Assignments, "of">;
  observations: Pick<Observations, "contactOf">;
  hub: Pick<HubCache, "clusters">;
  store: Pick<StatusStore, "read">;
}

/**
 * How many milliseconds to wait for clusters that were neither reached nor given up yet, so many milliseconds after leadership began: to say
 * less than stands there would be untrue.
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
