import { type KubeObject, type OwnerRef, refKey } from "../apis/index.ts";
import type { DesiredStateTable, Entry } from "../clusters/index.ts";
import type { DesiredRow, Plan } from "../desiredstate/index.ts";
import type { Dependency } from "../interpreter/index.ts";

/**
 * What stays on members though the plan does not render it: everything on a cluster that is held, and a dependency that is gone from
 * the hub, or may not be read there, while the object still refers to it, since pods may be running on it. `found`: the needed
 * objects that are on the hub, by {@link refKey}.
 */
export function heldRows(
  table: DesiredStateTable,
  owner: string,
  plan: Plan,
  needed: readonly Dependency[],
  found: ReadonlyMap<string, KubeObject>,
): DesiredRow[] {
  const missing = new Set(needed.map(({ ref }) => refKey(ref)).filter((key) => !found.has(key)));
  const held = new Map(plan.clusters.map((cluster) => [cluster.name, cluster.held]));
  if (missing.size === 0 && ![...held.values()].includes(true)) return [];
  const rendered = new Set(plan.rows.map(({ cluster, ref }) => `${cluster}/${refKey(ref)}`));
  const rows: DesiredRow[] = [];
  for (const entry of table.entriesOf(owner)) {
    const owned = entry.requests.get(owner)?.owner ?? entry.observed?.owner;
    if (owned === undefined || entry.observed === undefined || rendered.has(`${entry.cluster}/${entry.key}`)) continue;
    const stays = held.get(entry.cluster);
    if (stays === undefined || (!stays && !missing.has(entry.key))) continue;
    rows.push(holdRow(entry, owned));
  }
  return rows;
}

/** Neither written nor deleted. */
function holdRow(entry: Entry, owner: OwnerRef): DesiredRow {
  const { cluster, ref, observed } = entry;
  return {
    cluster,
    ref,
    owner,
    role: "dependency",
    mode: "Hold",
    object: { apiVersion: ref.apiVersion, kind: ref.kind, metadata: { name: ref.name } },
    hash: observed?.hash ?? "",
    conflictResolution: "Abort",
    deletionPolicy: "Delete",
  };
}
