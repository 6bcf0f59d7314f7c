import { type FederatedStatus, type KubeObject, REGION_LABEL } from "../apis/index.ts";
import type { DesiredStateTable, Members } from "../clusters/index.ts";
import type { DeletionGate } from "./gate.ts";
import type { Hub } from "./hub.ts";

export interface FarewellSources {
  hub: Hub;
  table: DesiredStateTable;
  members: Members;
  gate: DeletionGate;
}

/**
 * Whether there is a cluster of which it is not certain that nothing of the object, which is being deleted, is left there. `clusters`:
 * where it was placed, whether or not its status had got to say so.
 */
export function remains(
  { hub, table, members, gate }: FarewellSources,
  owner: string,
  object: KubeObject,
  clusters: readonly string[],
): boolean {
  for (const { cluster, observed, writing } of table.entriesOf(owner)) {
    if ((observed !== undefined || writing) && hub.clusters.get(cluster) !== undefined) return true;
  }
  const status = object["status"] as FederatedStatus | undefined;
  const names = new Set([...clusters, ...(status?.clusters ?? []).map(({ name }) => name)]);
  // The summary only counts: each cluster of its regions may be meant.
  const regions = new Set((status?.summary ?? []).map(({ region }) => region));
  if (regions.size > 0) {
    for (const { metadata } of hub.clusters.list()) {
      if (regions.has(metadata.labels?.[REGION_LABEL] ?? "")) names.add(metadata.name);
    }
  }
  for (const name of names) {
    if (hub.clusters.get(name) !== undefined && (!members.isSynced(name) || !gate.isKnownAround(owner))) return true;
  }
  return false;
}
