import {
  type Condition,
  counted,
  FEDERATION_API_VERSION,
  firstFitting,
  type MemberCluster,
  type ObjectRef,
  type Reason,
  sameValue,
  shortName,
  timestamp,
} from "../apis/index.ts";
import type { Why } from "../desiredstate/index.ts";
import type { HubCache } from "../hub/index.ts";
import type { EventRecorder } from "../observability/index.ts";
import { type Client, type Informer, isNotFound, MEMBERCLUSTERS } from "../runtime/index.ts";
import { finalizerHolds } from "../status/index.ts";
import type { Assignments } from "./assignments.ts";
import type { Observations } from "./observations.ts";

/** Owner of the condition; the rest of the status is other writers'. */
const REMOVAL_MANAGER = "meridian-removal";
/** Type of the condition that stands while a MemberCluster is deleted and anything has to be decided or removed first. */
const REMOVED = "Removed";

export interface ClusterDeletionSources {
  hub: Pick<HubCache, "reportedOn" | "clusters">;
  assignments: Assignments;
  observations: Observations;
}

/**
 * Whether the deletion of a MemberCluster waits until somebody says what is to become of what runs there. Until then the cluster stays what it is,
 * but that nothing new comes to it. Where nothing of Meridian is, as far as the hub and the member say, there is nothing to choose. Unknown: the
 * cluster has neither been reached nor given up yet.
 */
export function awaitsDecision(
  { hub, assignments, observations }: ClusterDeletionSources,
  { metadata: { name, deletionTimestamp }, spec }: MemberCluster,
): "Yes" | "No" | "Unknown" {
  if (deletionTimestamp === undefined || spec.deletionPolicy !== undefined) return "No";
  for (const { present, writing } of observations.in(name)) if (present !== undefined || writing) return "Yes";
  for (const { effective } of assignments.in(name)) if (effective?.verb === "Apply") return "Yes";
  for (const _ of hub.reportedOn(name)) return "Yes";
  return observations.contactOf(name).pending ? "Unknown" : "No";
}

/** What a draining waits for: the texts of the condition, the fullest first; the last one holds in it. */
export type DrainWait = readonly [string, ...string[]];

/**
 * What holds the draining of a cluster, in the order of the texts: that the cluster does not answer, else each member object that a finalizer
 * holds, that the cluster refuses to remove, or that may not be removed yet, else what cannot be read there.
 */
export function whyNotDrained(
  { assignments, observations }: Pick<ClusterDeletionSources, "assignments" | "observations">,
  member: MemberCluster,
): DrainWait[] {
  const { name, deletionTimestamp = "" } = member.metadata;
  const { ok, reason = UNREACHABLE, unseen, synced } = observations.contactOf(name);
  if (!ok) return outOfContact(member, reason);
  const waits: DrainWait[] = [];
  const wait = (what: string | undefined, { reason, message }: Why): void => {
    const inFull = what === undefined ? `${reason}: ${message}` : `${what}: ${reason}: ${message}`;
    const short = what === undefined ? message : `${what}: ${message}`;
    const since = `Drain since ${deletionTimestamp}`;
    waits.push([`${since}: ${inFull}`, `${since}: ${short}`, `Drain: ${inFull}`, inFull, short, message]);
  };
  for (const { ref, present, failure } of observations.in(name)) {
    if (ref.kind === "Namespace" || present === undefined) continue;
    const { finalizers = [] } = present;
    if (present.deleting && finalizers.length > 0) {
      const { message } = finalizerHolds(ref, finalizers);
      waits.push([`Drain since ${deletionTimestamp}: ${message}`, `Drain: ${message}`, message]);
    } else if (failure !== undefined) wait(nameOf(ref), failure);
  }
  for (const { ref, effective } of assignments.in(name)) {
    if (ref.kind === "Namespace" || effective?.verb !== "Hold" || effective.why.reason === TERMINATING) continue;
    wait(nameOf(ref), effective.why);
  }
  // Something of ours may be among what cannot be read.
  if (waits.length === 0 && !synced)
    for (const message of unseen.values()) wait(undefined, { reason: NOT_SYNCED, message });
  return waits.toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)));
}

function outOfContact({ status }: MemberCluster, reason: string): DrainWait[] {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  // The condition says so in a moment, and since when.
  if (ready?.status === "True") return [];
  const since = ready === undefined ? "" : ` since ${ready.lastTransitionTime}`;
  const frees = "goes on when it answers, or with spec.deletionPolicy Orphan";
  return [[`Drain: ${reason}${since}: ${frees}`, `Drain: ${reason}: ${frees}`, frees]];
}

function nameOf({ kind, name }: ObjectRef): string {
  return `${kind} ${shortName(name)}`;
}

/** How many objects are still to be removed from a cluster, as far as they are known. Namespaces may stay. */
export function leftOn(observations: Pick<Observations, "in">, name: string): number {
  let left = 0;
  for (const { ref, present, writing } of observations.in(name))
    if (ref.kind !== "Namespace" && (present !== undefined || writing)) left += 1;
  return left;
}

const UNREACHABLE: Reason = "ClusterUnreachable";
const NOT_SYNCED: Reason = "ClusterNotSynced";
/** Said by the member object itself, with what holds it. */
const TERMINATING: Reason = "Terminating";

export interface RemovalConditionOptions {
  client: Client;
  clusters: Informer<MemberCluster>;
  events: Pick<EventRecorder, "record">;
}

/** What the deletion of a MemberCluster is at. */
export type DeletionStage =
  /** It waits for a decision. */
  | { kind: "Undecided" }
  /** So many objects are to go; `waits` for these things, and `late`: longer than deletions take. */
  | { kind: "Draining"; left: number; waits: readonly DrainWait[]; late: boolean }
  | { kind: "LettingGo" };

/**
 * Says on the MemberCluster that its deletion waits for a decision; that the decision was heard; how far the draining is, and what holds it. What
 * waits for a person is told once by an Event as well.
 */
export async function tellOfDeletion(
  { client, clusters, events }: RemovalConditionOptions,
  member: MemberCluster,
  stage: DeletionStage,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const before = removedCondition(member);
  if (before === undefined && stage.kind === "LettingGo") return;
  const said = wordsOf(member, stage, before);
  const condition: Condition = {
    type: REMOVED,
    status: "False",
    ...said,
    lastTransitionTime: before?.lastTransitionTime ?? timestamp(now),
  };
  if (sameValue(before, condition)) return;
  const { name, uid } = member.metadata;
  const object = {
    apiVersion: FEDERATION_API_VERSION,
    kind: "MemberCluster",
    metadata: { name },
    status: { conditions: [condition] },
  };
  try {
    clusters.observe(
      await client.applyStatus(MEMBERCLUSTERS, object, { fieldManager: REMOVAL_MANAGER, force: true, signal }),
    );
  } catch (error) {
    if (isNotFound(error)) return;
    throw error;
  }
  const note = noteOf(member, stage);
  if (note === undefined || (before?.reason === condition.reason && before.message === condition.message)) return;
  events.record({
    regarding: {
      apiVersion: FEDERATION_API_VERSION,
      kind: "MemberCluster",
      name,
      ...(uid === undefined ? {} : { uid }),
    },
    type: "Warning",
    reason: condition.reason,
    action: "Remove",
    note,
  });
}

type Words = Pick<Condition, "message"> & { reason: Reason };

function wordsOf(member: MemberCluster, stage: DeletionStage, before: Condition | undefined): Words {
  switch (stage.kind) {
    case "Undecided":
      return { reason: "DeletionPolicyMissing", message: choicesIn(member) };
    case "LettingGo":
      return { reason: "ClusterLeaving", message: "what Meridian put there is being let go of and keeps running" };
    case "Draining":
      return {
        reason: stage.late && stage.waits.length > 0 ? WAITS : "ClusterLeaving",
        message: progressOf(member, stage, before),
      };
  }
}

/** Of a deletion that waits for longer than deletions take. */
const WAITS: Reason = "DeletionWaits";

function progressOf(
  { metadata: { deletionTimestamp = "" } }: MemberCluster,
  { left, waits }: Extract<DeletionStage, { kind: "Draining" }>,
  before: Condition | undefined,
): string {
  const texts = waits.map((texts) => firstFitting(texts));
  const what = left === 0 ? "what Meridian put there is being removed" : `${counted(left, "object")} left`;
  const [first = `Drain since ${deletionTimestamp}: ${what}`] = texts;
  // What still holds is named on, so that not each object that goes is a write.
  return texts.find((text) => text === before?.message) ?? first;
}

/** What an Event says; undefined while nothing waits for a person. */
function noteOf({ metadata: { name } }: MemberCluster, stage: DeletionStage): string | undefined {
  if (stage.kind === "Undecided")
    return `the deletion waits until somebody says what is to become of what runs there: ${choices(name)}`;
  if (stage.kind !== "Draining" || !stage.late || stage.waits.length === 0) return undefined;
  const texts = stage.waits.slice(0, NAMED_IN_EVENT).map(([text]) => text);
  const more = stage.waits.length - texts.length;
  return (
    `the deletion waits: ${texts.join("; ")}${more === 0 ? "" : `; and ${more} more`}; ` +
    `\`meridian unjoin ${name} --orphan\` leaves it running instead`
  );
}

/** An Event has room for more than a condition. */
const NAMED_IN_EVENT = 5;

function choicesIn({ metadata: { name } }: MemberCluster): string {
  const message = `choose: spec.deletionPolicy Orphan (all runs on) or Drain (all goes)`;
  const command = `; or meridian unjoin ${name}`;
  return message.length + command.length <= 120 ? `${message}${command}` : `${message}; or meridian unjoin`;
}

function choices(name: string): string {
  return (
    `\`meridian unjoin ${name}\` leaves it running and takes Meridian's account off the cluster as well, \`meridian unjoin ${name} --drain\` ` +
    `deletes it first; without the command line: kubectl patch membercluster ${name} --type=merge ` +
    `-p '{"spec":{"deletionPolicy":"Orphan"}}', or "Drain"`
  );
}

function removedCondition({ status }: MemberCluster): Condition | undefined {
  return status?.conditions?.find(({ type }) => type === REMOVED);
}
