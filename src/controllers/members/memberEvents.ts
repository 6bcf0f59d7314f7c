import {
  defined,
  fullMessage,
  isSameMessage,
  type ObjectRef,
  parseApiVersion,
  refKey,
  REMOVE_FOUND_ANNOTATION,
  shortMessage,
} from "../../apis/index.ts";
import { type Failure, type Heal, isFoundOnJoin, type Observation, type Row } from "../../desiredstate/index.ts";
import type { HubCache } from "../../hub/index.ts";
import { memberKindOf } from "../../interpreter/index.ts";
import type { EventRecord, EventRecorder } from "../../observability/index.ts";
import { type Assignments, type Observations } from "../tables/index.ts";
import { memberRef } from "./memberCondition.ts";

export interface MemberEventSources {
  hub: HubCache;
  assignments: Assignments;
  observations: Observations;
  events: Pick<EventRecorder, "record">;
}

/**
 * Records Events on the hub about member objects: corrected drift, namespaces that stay, and objects from before the
 * join.
 */
export function recordMemberEvents(sources: MemberEventSources): Disposable {
  const subscriptions = new DisposableStack();
  subscriptions.use(recordReports(sources));
  const recorded = new Set<string>();
  subscriptions.use(
    sources.assignments.changes.subscribe(({ rows }) => {
      for (const row of rows) {
        if (!isFoundOnJoin(row) || recorded.has(row.cluster)) continue;
        recorded.add(row.cluster);
        recordFound(sources, row);
      }
    }),
  );
  return subscriptions;
}

function recordReports(sources: MemberEventSources): Disposable {
  return sources.observations.changes.subscribe(({ cluster, key, before, after }) => {
    if (after === undefined) return;
    if (before?.present !== undefined && after.present === undefined)
      recordRemoval(sources, after, sources.assignments.get(cluster, key)?.effective);
    if (after.healed !== undefined && after.healed.at !== before?.healed?.at) recordHeal(sources, after, after.healed);
    recordGivenUp(sources, after, before);
    const { failure } = after;
    if (failure?.reason === "NamespaceKept" && !isSameMessage(failure.message, before?.failure?.message))
      recordOnMember(sources, cluster, {
        type: "Warning",
        reason: "NamespaceKept",
        note: keptNote(after.ref, failure),
      });
  });
}

/** Records the removal of a copy whose owner is gone from the hub: no status reports that. */
function recordRemoval(sources: MemberEventSources, { cluster, ref }: Observation, row: Row | undefined): void {
  if ((row?.verb !== "Delete" && row?.verb !== "Release") || row.why.reason !== "ObjectGone") return;
  const { kind, namespace, name } = row.owner;
  const owner = `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
  const done = row.verb === "Delete" ? "deleted" : "let go of";
  const what = `${ref.kind} ${ref.namespace ?? ""}/${ref.name}`;
  const note = shortMessage(`${what} ${done}: ${owner} is gone from the hub`);
  recordOnMember(sources, cluster, { type: "Normal", reason: "OwnerGone", note });
}

function recordFound(sources: MemberEventSources, { cluster, ref }: Row): void {
  const note = `${shortMessage(`${ref.kind} ${ref.name} and maybe more was there before the join and stays`)}; to have it removed: kubectl annotate membercluster ${cluster} ${REMOVE_FOUND_ANNOTATION}=true`;
  recordOnMember(sources, cluster, { type: "Warning", reason: "FoundOnJoin", note });
}

function recordOnMember(
  { hub, events }: MemberEventSources,
  cluster: string,
  event: Pick<EventRecord, "type" | "reason" | "note">,
): void {
  const uid = hub.clusters.get(cluster)?.metadata.uid;
  events.record({ regarding: { ...memberRef(cluster), ...defined({ uid }) }, action: "CleanUp", ...event });
}

function recordHeal(sources: MemberEventSources, observation: Observation, heal: Heal): void {
  const { cluster, ref } = observation;
  const what = heal.gone ? "was deleted, or lost its label" : changeOf(heal);
  recordOnOwner(sources, observation, {
    type: "Warning",
    reason: heal.contested ? "Contested" : heal.gone ? "Recreated" : "DriftHealed",
    note: `${shortMessage(
      `${cluster}: ${ref.kind} ${ref.name} ${what}${heal.contested ? " again; put back less and less often" : "; put back"}`,
    )}${remedyOf(ref, heal)}`,
  });
}

function recordOnOwner(
  { assignments, events }: MemberEventSources,
  { cluster, ref, present }: Observation,
  event: Pick<EventRecord, "type" | "reason" | "note">,
): void {
  const regarding = assignments.get(cluster, refKey(ref))?.effective?.owner ?? present?.owner;
  if (regarding !== undefined) events.record({ regarding, action: "Heal", related: memberRef(cluster), ...event });
}

/** Advice: a policy can leave the field to the member, if scaling or repeated changes there are intended. */
function remedyOf({ apiVersion, kind }: ObjectRef, { lost, contested, gone }: Heal): string {
  const path = lost[0]?.path;
  if (path === undefined || gone) return "";
  const isScale = path === memberKindOf(parseApiVersion(apiVersion).group, kind).replicaPath?.join(".");
  if (!contested && !isScale) return "";
  return `; to leave it to the member, add to the Placement: retain: [{kind: ${kind}, path: ${JSON.stringify(path)}}]`;
}

/** Records each given-up field once. */
function recordGivenUp(sources: MemberEventSources, after: Observation, before: Observation | undefined): void {
  const { cluster, ref, givenUp = [] } = after;
  const reported = new Set(before?.givenUp?.map(({ path }) => path));
  const lost = givenUp.filter(({ path }) => !reported.has(path));
  if (lost.length === 0) return;
  const note = shortMessage(`${cluster}: ${ref.kind} ${ref.name} ${changeOf({ lost })} again; left to the member`);
  recordOnOwner(sources, after, { type: "Normal", reason: "GivenUp", note });
}

function changeOf({ lost }: Pick<Heal, "lost">): string {
  const first = lost[0];
  const by = [...new Set(lost.map(({ takenBy }) => takenBy).filter((name) => name !== undefined))];
  const more = lost.length > 1 ? ` and ${lost.length - 1} more` : "";
  return `${first?.path ?? "Meridian's marks"}${more}${by.length === 0 ? "" : ` changed by ${by.join(", ")}`}`;
}

function keptNote({ name }: ObjectRef, { message }: Failure): string {
  return shortMessage(`namespace ${name} stays on the member: ${fullMessage(message)}`);
}
