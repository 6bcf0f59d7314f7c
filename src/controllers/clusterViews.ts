import { REGION_LABEL } from "../apis/index.ts";
import { AWAITING_REPLACEMENT, isInSync, REPLACED, type Row } from "../desiredstate/index.ts";
import type { HubCache } from "../hub/index.ts";
import type { ClusterView, RowView } from "../status/index.ts";
import type { Assignments, Cell } from "./assignments.ts";
import { isFoundOnJoin } from "./copies.ts";
import type { Observations } from "./observations.ts";
import type { Plan } from "./plans.ts";
import type { ReportedContacts } from "./reportedContacts.ts";

export interface ViewSources {
  hub: HubCache;
  assignments: Assignments;
  observations: Observations;
  contacts: ReportedContacts;
}

/** Obstacles that somebody has to be told of. The others pass by themselves, and a status that names them would be written in vain. */
const LASTING: ReadonlySet<string> = new Set([AWAITING_REPLACEMENT, "HoldsData", "HubWentBack", "KindBeingDeleted"]);

/** What is known of one hub object in each cluster of its target, and in each other cluster where something of it may be left. */
export function clusterViews(
  sources: ViewSources,
  owner: string,
  { target, remaining }: Pick<Plan, "target" | "remaining">,
): ClusterView[] {
  const { assignments, observations, contacts, hub } = sources;
  const views = new Map<string, ClusterView>();
  const view = (name: string): ClusterView => {
    let made = views.get(name);
    if (made === undefined) {
      const region = hub.clusters.get(name)?.metadata.labels?.[REGION_LABEL];
      const lastContact = contacts.lastContact(name);
      made = {
        name,
        ...(region === undefined ? {} : { region }),
        contact: contacts.of(name),
        ...(lastContact === undefined ? {} : { lastContact }),
        rows: [],
      };
      views.set(name, made);
    }
    return made;
  };
  for (const { name } of target?.clusters ?? []) view(name);
  for (const name of remaining) view(name).mayRemain = true;
  for (const cell of assignments.of(owner)) {
    // What a cluster claims to have that the record does not name is removed, and counts for nothing.
    const of = views.get(cell.cluster);
    const row = of === undefined ? undefined : rowView(observations, owner, cell);
    if (row !== undefined) of?.rows.push(row);
  }
  return [...views.values()];
}

function rowView(observations: Observations, owner: string, cell: Cell): RowView | undefined {
  const { cluster, key, ref, effective } = cell;
  const row = cell.rows.get(owner);
  // None of the object's, though it names the object as its owner.
  if (row !== undefined && isFoundOnJoin(row)) return undefined;
  const observation = observations.get(cluster, key);
  const present = observation?.present;
  const isWanted = row?.verb === "Apply" || (row?.verb === "Hold" && row.wanted);
  // Another object asks for it: then the copy is that one's to report.
  const isOthers = effective !== undefined && effective !== row && (effective.verb === "Apply" || isHeld(effective));
  if (!isWanted && (present === undefined || isOthers)) return undefined;
  if (row?.verb === "Hold" && row.wanted && row.role === "dependency") return undefined;
  const desiredHash = effective?.verb === "Apply" || effective?.verb === "Hold" ? effective.hash : undefined;
  const unseen = present === undefined ? observations.unseenKind(cluster, ref) : undefined;
  const waits = row?.verb === "Hold" && row.why.reason === REPLACED ? { ...row.why, final: false } : undefined;
  const failure =
    unseen === undefined
      ? (observation?.failure ?? waits)
      : { reason: observations.unseenReason(cluster, ref), message: unseen, final: true };
  const stays = row?.verb === "Hold" && !row.wanted && LASTING.has(row.why.reason) ? row.why : undefined;
  return {
    ref,
    role: row?.role ?? "rendered",
    ...(isWanted && desiredHash !== undefined ? { desiredHash } : {}),
    ...(present === undefined ? {} : { observedHash: present.hash ?? "", health: present.health }),
    inSync: isInSync(effective, observation) || isFrozenAsWanted(effective, present?.hash),
    ...(failure === undefined ? {} : { failure }),
    ...(stays === undefined ? {} : { stays }),
  };
}

/** What is frozen is not compared field by field; that the desired state was the last one to be applied is all that is known. */
function isFrozenAsWanted(row: Row | undefined, hash: string | undefined): boolean {
  return row?.verb === "Hold" && row.wanted && row.hash !== undefined && row.hash === hash;
}

function isHeld(row: Row): boolean {
  return row.verb === "Hold" && row.wanted;
}
