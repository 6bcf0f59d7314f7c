import { REGION_LABEL } from "../apis/index.ts";
import { type DesiredStateTable, type Entry, isInSync, type Members } from "../clusters/index.ts";
import type { Plan } from "../desiredstate/index.ts";
import type { ClusterView, RowView } from "../status/index.ts";
import type { Hub } from "./hub.ts";

export interface ViewSources {
  hub: Hub;
  table: DesiredStateTable;
  members: Members;
}

/** What is known of one hub object in each cluster of its plan, and in each other cluster where something of it lingers. */
export function clusterViews(sources: ViewSources, owner: string, plan: Plan | undefined): ClusterView[] {
  const { table, members, hub } = sources;
  const views = new Map<string, ClusterView>();
  const view = (name: string): ClusterView => {
    let made = views.get(name);
    if (made === undefined) {
      const region = hub.clusters.get(name)?.metadata.labels?.[REGION_LABEL];
      made = { name, ...(region === undefined ? {} : { region }), contact: members.contact(name), rows: [] };
      views.set(name, made);
    }
    return made;
  };
  for (const { name } of plan?.clusters ?? []) view(name);
  for (const entry of table.entriesOf(owner)) {
    const row = rowView(members, owner, entry);
    if (row !== undefined) view(entry.cluster).rows.push(row);
  }
  return [...views.values()];
}

function rowView(members: Members, owner: string, entry: Entry): RowView | undefined {
  const asked = entry.requests.get(owner);
  const { desired, observed, failure } = entry;
  if (asked === undefined && (observed === undefined || desired !== undefined)) return undefined;
  if (asked?.mode === "Hold" && asked.role === "dependency") return undefined;
  const unseen = observed === undefined ? members.syncFailure(entry.cluster, entry.ref) : undefined;
  const told = unseen === undefined ? failure : { reason: "NotObserved", message: unseen, final: true };
  return {
    ref: entry.ref,
    role: asked?.role ?? "rendered",
    ...(asked === undefined || desired === undefined ? {} : { desiredHash: desired.hash }),
    ...(observed === undefined ? {} : { observedHash: observed.hash ?? "", health: observed.health }),
    inSync: isInSync(entry),
    ...(told === undefined ? {} : { failure: told }),
  };
}
