import {
  defined,
  kindKeyOf,
  type Message,
  type ObjectRef,
  prefixed,
  type Reason,
  REGION_LABEL,
} from "../../apis/index.ts";
import {
  AWAITING_REPLACEMENT,
  type Failure,
  isFoundOnJoin,
  isInSync,
  type Observation,
  REPLACED,
  type Row,
  type Why,
} from "../../desiredstate/index.ts";
import type { HubCache } from "../../hub/index.ts";
import type { Health } from "../../interpreter/index.ts";
import type { ClusterView, RowView } from "../../status/index.ts";
import type { Assignments, Cell, Observations, ReportedContacts } from "../tables/index.ts";
import type { Plan } from "../states/index.ts";
import { whyNotGranted } from "../facts/index.ts";

export interface ViewSources {
  hub: HubCache;
  assignments: Assignments;
  observations: Observations;
  contacts: ReportedContacts;
}

/** Obstacles that the status reports. All others pass by themselves. */
const LASTING: ReadonlySet<string> = new Set([
  AWAITING_REPLACEMENT,
  "HoldsData",
  "HubWentBack",
  "StillRunning",
  "KindBeingDeleted",
  "Suspended",
]);

const NOT_SERVED: Reason = "KindNotServed";
const AWAITS_AGREEMENT: Reason = "CustomObjectsExist";

/** The view of one hub object on each cluster of its target, and on each other cluster that may have a copy left. */
export function clusterViews(
  sources: ViewSources,
  owner: string,
  { target, remaining }: Pick<Plan, "target" | "remaining">,
): ClusterView[] {
  const { assignments, contacts, hub } = sources;
  const views = new Map<string, ClusterView>();
  const view = (name: string): ClusterView => {
    let made = views.get(name);
    if (made === undefined) {
      const region = hub.clusters.get(name)?.metadata.labels?.[REGION_LABEL];
      const lastContact = contacts.lastContact(name);
      made = {
        name,
        ...defined({ region }),
        contact: contacts.of(name),
        ...defined({ lastContact }),
        rows: [],
      };
      views.set(name, made);
    }
    return made;
  };
  for (const { name } of target?.clusters ?? []) view(name);
  for (const name of remaining) {
    const one = view(name);
    one.mayRemain = true;
    const stays =
      whyNotGranted(hub, name, hub.object(owner)?.object.metadata.namespace) ?? kindNotGranted(sources, owner, name);
    if (stays !== undefined) one.stays = stays;
  }
  for (const cell of assignments.of(owner)) {
    // A copy on a cluster outside the record is removed, and does not appear in the status.
    const of = views.get(cell.cluster);
    if (of === undefined) continue;
    const row = rowView(sources, owner, cell);
    if (row !== undefined) of.rows.push(row);
  }
  return [...views.values()];
}

/** Why no worker can look for leftovers on the cluster: the kind is not granted, and a person has to grant it. */
function kindNotGranted({ assignments, observations }: ViewSources, owner: string, cluster: string): Why | undefined {
  for (const { cluster: where, ref, rows } of assignments.of(owner)) {
    if (where !== cluster || asksFor(rows.get(owner))) continue;
    const message = observations.whyUnreadable(cluster, ref);
    const reason = observations.unreadableReason(cluster, ref);
    if (message !== undefined && reason === "Forbidden") return { reason, message };
  }
  return undefined;
}

function rowView({ hub, observations }: ViewSources, owner: string, cell: Cell): RowView | undefined {
  const { cluster, key, ref, effective } = cell;
  const row = cell.rows.get(owner);
  // The copy was on the cluster before the join: it is not the object's, although it names the object as its owner.
  if (row !== undefined && isFoundOnJoin(row)) return undefined;
  const observation = observations.get(cluster, key);
  const present = observation?.present;
  const isWanted = asksFor(row);
  // If another hub object asks for the copy, the status of that hub object reports the copy.
  if (!isWanted && (present === undefined || asksFor(effective))) return undefined;
  if (row?.verb === "Hold" && row.wanted && row.role === "dependency") return undefined;
  const desiredHash = effective?.verb === "Apply" || effective?.verb === "Hold" ? effective.hash : undefined;
  const unreadable = observations.whyUnreadable(cluster, ref);
  const notGranted = whyNotGranted(hub, cluster, ref.namespace);
  const waits = row?.verb === "Hold" && row.why.reason === REPLACED ? { ...row.why, final: false } : undefined;
  const unobserved =
    unreadable === undefined || present !== undefined
      ? undefined
      : whyUnobserved(observations, cluster, ref, unreadable);
  const refused = notGranted ?? unobserved;
  const failure = refused === undefined ? (observation?.failure ?? waits) : { ...refused, final: true };
  const stays = row === undefined ? undefined : stayOf(row, failure);
  const ended = isWanted && row !== undefined ? endOf(row, observation) : undefined;
  if (ended !== undefined && row !== undefined) return endedView(row, desiredHash, ended, observation);
  const inSync = isInSync(effective, observation) || isFrozenAsWanted(effective, present?.hash);
  const kept = inSync || row?.verb !== "Apply" ? undefined : whyKept(effective);
  return {
    ref,
    role: row?.role ?? "rendered",
    ...(isWanted && desiredHash !== undefined ? { desiredHash } : {}),
    ...(present === undefined ? {} : { observedHash: present.hash ?? "", health: present.health }),
    ...reportedBy(present),
    ...(present !== undefined && unreadable !== undefined && observations.unreadableReason(cluster, ref) === NOT_SERVED
      ? { outOfSight: { reason: NOT_SERVED, message: unreadable } }
      : {}),
    ...(present?.deleting === true ? { finalizers: present.finalizers ?? [] } : {}),
    ...(present !== undefined || observations.knows(cluster, [kindKeyOf(ref)]) ? {} : { isUnobserved: true as const }),
    inSync,
    ...defined({ kept }),
    ...(failure === undefined || stays === failure ? {} : { failure }),
    ...defined({ stays }),
  };
}

function whyUnobserved(
  observations: ViewSources["observations"],
  cluster: string,
  ref: ObjectRef,
  message: Message,
): Why {
  const reason = observations.unreadableReason(cluster, ref);
  const { grant } = observations.contactOf(cluster);
  return { reason, message: reason === "Forbidden" && grant !== undefined ? grant : message };
}

type Present = Observation["present"];

function reportedBy(present: Present): Pick<RowView, "conditions" | "addresses" | "images" | "status" | "isStatusOld"> {
  const { conditions, addresses, images, status, isStatusOld } = present ?? {};
  return defined({ conditions, addresses, images, status, isStatusOld });
}

/** The end of the row's work, from the record on the hub or from the worker's observation. */
function endOf(row: Row, observation: Observation | undefined): RowView["ended"] {
  const { run } = row;
  if (run === undefined) return undefined;
  if (row.done !== undefined) return { run, end: row.done };
  return observation?.ended?.run === run ? { run, end: observation.ended.end } : undefined;
}

/** The view of finished work. It counts as in sync, whatever is left of the object. */
function endedView(
  { ref, role }: Row,
  desiredHash: string | undefined,
  ended: NonNullable<RowView["ended"]>,
  observation: Observation | undefined,
): RowView {
  const left = observation?.present?.deleting === false ? observation.present : undefined;
  const status = left?.status ?? observation?.ended?.status;
  const health: Health =
    ended.end === "Complete" ? { state: "Available" } : left?.health.state === "Failed" ? left.health : FAILED;
  return {
    ref,
    role,
    ...(desiredHash === undefined ? {} : { desiredHash, observedHash: desiredHash }),
    health,
    ...reportedBy(left),
    ...defined({ status }),
    inSync: true,
    ended,
  };
}

const FAILED = {
  state: "Failed",
  reason: "Finished" satisfies Reason,
  message: "it has failed, and is not run again until its spec asks for other work",
} as const;

function whyKept(row: Row | undefined): Why | undefined {
  if (row?.verb !== "Hold" || !row.wanted) return undefined;
  const { ref, why } = row;
  return { reason: why.reason, message: prefixed(`${ref.kind} ${ref.name}: `, why.message) };
}

/** Why a copy that is to be removed still exists, if this may take long. */
function stayOf(row: Row, failure: Failure | undefined): Why | undefined {
  if (row.verb === "Hold") return !row.wanted && LASTING.has(row.why.reason) ? row.why : undefined;
  return row.verb === "Delete" && failure?.reason === AWAITS_AGREEMENT ? failure : undefined;
}

/** A frozen copy is not compared field by field: the desired state must be the last that was applied. */
function isFrozenAsWanted(row: Row | undefined, hash: string | undefined): boolean {
  return row?.verb === "Hold" && row.wanted && row.hash !== undefined && row.hash === hash;
}

function asksFor(row: Row | undefined): boolean {
  return row?.verb === "Apply" || (row?.verb === "Hold" && row.wanted);
}
