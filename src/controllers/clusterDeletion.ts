import {
  type Condition,
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
/** Type of the condition that stands while a MemberCluster is deleted and nobody had said what becomes of what runs there. */
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

/**
 * What holds the draining of a cluster: that the cluster does not answer, else each member object that a finalizer holds, that the cluster refuses
 * to remove, or that may not be removed yet.
 */
export function whyNotDrained(
  { assignments, observations }: Pick<ClusterDeletionSources, "assignments" | "observations">,
  name: string,
): string[] {
  const { ok, reason = UNREACHABLE } = observations.contactOf(name);
  if (!ok) return [`${reason}: the cluster does not answer`];
  const found: string[] = [];
  for (const { ref, present, failure } of observations.in(name)) {
    if (ref.kind === "Namespace" || present === undefined) continue;
    const { finalizers = [] } = present;
    if (present.deleting && finalizers.length > 0) found.push(finalizerHolds(ref, finalizers).message);
    else if (failure !== undefined) found.push(saidOf(ref, failure));
  }
  for (const { ref, effective } of assignments.in(name)) {
    if (ref.kind === "Namespace" || effective?.verb !== "Hold" || effective.why.reason === TERMINATING) continue;
    found.push(saidOf(ref, effective.why));
  }
  return found.toSorted();
}

function saidOf({ kind, name }: ObjectRef, { reason, message }: Why): string {
  return `${kind} ${shortName(name)}: ${reason}: ${message}`;
}

const UNREACHABLE: Reason = "ClusterUnreachable";
/** Said by the member object itself, with what holds it. */
const TERMINATING: Reason = "Terminating";

export interface RemovalConditionOptions {
  client: Client;
  clusters: Informer<MemberCluster>;
  events: Pick<EventRecorder, "record">;
}

/**
 * Says on the MemberCluster, and once by an Event, that its deletion waits for a decision; that the decision was heard; and what holds the
 * draining, where that takes long.
 */
export async function tellOfDeletion(
  { client, clusters, events }: RemovalConditionOptions,
  member: MemberCluster,
  isWaiting: boolean,
  now: number,
  signal: AbortSignal,
  held: readonly string[] = [],
): Promise<void> {
  const before = removedCondition(member);
  if (before === undefined && !isWaiting && held.length === 0) return;
  const said = isWaiting ? waiting(member) : decided(member, held, before);
  const condition: Condition = { ...said, lastTransitionTime: before?.lastTransitionTime ?? timestamp(now) };
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
  if (!isWaiting || before?.reason === condition.reason) return;
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
    note: `the deletion waits until somebody says what is to become of what runs there: ${choices(name)}`,
  });
}

function waiting({ metadata: { name } }: MemberCluster): Omit<Condition, "lastTransitionTime"> {
  const message = `choose: spec.deletionPolicy Orphan (all runs on) or Drain (all goes)`;
  const command = `; or meridian unjoin ${name}`;
  const whole = message.length + command.length <= 120 ? `${message}${command}` : `${message}; or meridian unjoin`;
  return { type: REMOVED, status: "False", reason: "DeletionPolicyMissing", message: whole };
}

function decided(
  { spec }: MemberCluster,
  held: readonly string[],
  before: Condition | undefined,
): Omit<Condition, "lastTransitionTime"> {
  const said = { type: REMOVED, status: "False" as const, reason: "ClusterLeaving" };
  if (spec.deletionPolicy !== "Drain")
    return { ...said, message: "what Meridian put there is being let go of and keeps running" };
  const texts = held.map((text) => firstFitting([`Drain: ${text}`, text]));
  const [first = "what Meridian put there is being removed, as deletionPolicy Drain says"] = texts;
  // What still holds is named on, so that not each object that goes is a write.
  return { ...said, message: texts.find((text) => text === before?.message) ?? first };
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
