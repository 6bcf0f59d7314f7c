import {
  type Condition,
  counted,
  defined,
  FEDERATION_API_VERSION,
  firstFitting,
  type MemberCluster,
  type ObjectRef,
  type Reason,
  sameValue,
  shortName,
  timestamp,
} from "../../apis/index.ts";
import type { Why } from "../../desiredstate/index.ts";
import type { HubCache } from "../../hub/index.ts";
import type { EventRecorder } from "../../observability/index.ts";
import { type Client, type Informer, isNotFound, MEMBERCLUSTERS } from "../../runtime/index.ts";
import { finalizerHolds } from "../../status/index.ts";
import { type Assignments, type Observations } from "../tables/index.ts";

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

/** One thing that a deletion waits for: the texts of the condition, the fullest first; the last one holds in it. */
export type DeletionWait = readonly [string, ...string[]];

/**
 * What holds the draining of a cluster, in the order of the texts: that the cluster does not answer, else each member object that a finalizer
 * holds, that the cluster refuses to remove, or that may not be removed yet, else what cannot be read there.
 */
export function whyNotDrained(
  { assignments, observations }: Pick<ClusterDeletionSources, "assignments" | "observations">,
  member: MemberCluster,
): DeletionWait[] {
  const { name, deletionTimestamp = "" } = member.metadata;
  const { ok, reason = UNREACHABLE, unseen, synced } = observations.contactOf(name);
  if (!ok) return outOfContact(member, reason);
  const waits: DeletionWait[] = [];
  const wait = (what: string | undefined, why: Why): void => {
    waits.push(textsOf("Drain", deletionTimestamp, what, why));
  };
  for (const { ref, present, failure } of observations.in(name)) {
    if (ref.kind === "Namespace" || present === undefined) continue;
    const { finalizers = [] } = present;
    if (present.deleting && finalizers.length > 0) {
      const { message } = finalizerHolds(ref, finalizers);
      waits.push([`Drain since ${deletionTimestamp}: ${message}`, `Drain: ${message}`, message]);
    } else if (failure !== undefined) wait(nameOf(ref), failure);
    else if (observations.unseenReason(name, ref) === NOT_SERVED) wait(nameOf(ref), SERVED_IN_NO_VERSION);
  }
  for (const { ref, effective } of assignments.in(name)) {
    if (ref.kind === "Namespace" || effective?.verb !== "Hold" || effective.why.reason === TERMINATING) continue;
    wait(nameOf(ref), effective.why);
  }
  // Something of ours may be among what cannot be read.
  if (waits.length === 0 && !synced)
    for (const message of unseen.values()) wait(undefined, { reason: NOT_SYNCED, message });
  return sorted(waits);
}

/**
 * Each member object that keeps its marks while a cluster is let go of, and why. A cluster that does not answer, and an object that the cluster
 * refuses for good, are not waited for.
 */
export function whyNotReleased(
  { observations }: Pick<ClusterDeletionSources, "observations">,
  { metadata: { name, deletionTimestamp = "" } }: MemberCluster,
): DeletionWait[] {
  const waits: DeletionWait[] = [];
  if (!observations.contactOf(name).ok) return waits;
  for (const { ref, present, failure } of observations.in(name)) {
    if (present === undefined || present.deleting || failure?.final === true) continue;
    const isServed = observations.unseenReason(name, ref) !== NOT_SERVED;
    const why = failure ?? (isServed ? undefined : SERVED_IN_NO_VERSION);
    if (why !== undefined) waits.push(textsOf("Orphan", deletionTimestamp, nameOf(ref), why));
  }
  return sorted(waits);
}

function textsOf(
  policy: "Drain" | "Orphan",
  deletedAt: string,
  what: string | undefined,
  { reason, message }: Why,
): DeletionWait {
  const inFull = what === undefined ? `${reason}: ${message}` : `${what}: ${reason}: ${message}`;
  const short = what === undefined ? message : `${what}: ${message}`;
  const since = `${policy} since ${deletedAt}`;
  return [`${since}: ${inFull}`, `${since}: ${short}`, `${policy}: ${inFull}`, inFull, short, message];
}

function sorted(waits: readonly DeletionWait[]): DeletionWait[] {
  return waits.toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)));
}

function outOfContact({ status }: MemberCluster, reason: string): DeletionWait[] {
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
const NOT_SERVED: Reason = "KindNotServed";
const SERVED_IN_NO_VERSION: Why = {
  reason: NOT_SERVED,
  message: "the member serves no version of it; serve one in its CRD, if only for the time",
};
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
  | { kind: "Draining"; left: number; waits: readonly DeletionWait[]; late: boolean }
  /** Marks are being taken off; `waits` and `late` as while it drains. */
  | { kind: "LettingGo"; waits: readonly DeletionWait[]; late: boolean };

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
  // Letting go takes a moment, unless something holds it.
  if (before === undefined && stage.kind === "LettingGo" && !isHeld(stage)) return;
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
      ...defined({ uid }),
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
      return isHeld(stage)
        ? { reason: WAITS, message: heldBy(stage, before) ?? LETTING_GO }
        : { reason: "ClusterLeaving", message: LETTING_GO };
    case "Draining":
      return { reason: isHeld(stage) ? WAITS : "ClusterLeaving", message: progressOf(member, stage, before) };
  }
}

/** Of a deletion that waits for longer than deletions take. */
const WAITS: Reason = "DeletionWaits";

const LETTING_GO = "what Meridian put there is being let go of and keeps running";

/** Whether the deletion takes longer than deletions do, and something is known to hold it. */
function isHeld({ waits, late }: Exclude<DeletionStage, { kind: "Undecided" }>): boolean {
  return late && waits.length > 0;
}

function progressOf(
  { metadata: { deletionTimestamp = "" } }: MemberCluster,
  stage: Extract<DeletionStage, { kind: "Draining" }>,
  before: Condition | undefined,
): string {
  const { left } = stage;
  const what = left === 0 ? "what Meridian put there is being removed" : `${counted(left, "object")} left`;
  return heldBy(stage, before) ?? `Drain since ${deletionTimestamp}: ${what}`;
}

/** Names one thing that holds the deletion, and on as long as it does, so that not each object that goes is a write. */
function heldBy(
  { waits }: Exclude<DeletionStage, { kind: "Undecided" }>,
  before: Condition | undefined,
): string | undefined {
  const texts = waits.map((texts) => firstFitting(texts));
  return texts.find((text) => text === before?.message) ?? texts[0];
}

/** What an Event says; undefined while nothing waits for a person. */
function noteOf({ metadata: { name } }: MemberCluster, stage: DeletionStage): string | undefined {
  if (stage.kind === "Undecided")
    return `the deletion waits until somebody says what is to become of what runs there: ${choices(name)}`;
  if (!isHeld(stage)) return undefined;
  const texts = stage.waits.slice(0, NAMED_IN_EVENT).map(([text]) => text);
  const more = stage.waits.length - texts.length;
  const way =
    stage.kind === "Draining"
      ? `\`meridian unjoin ${name} --orphan\` leaves it running instead`
      : `\`meridian unjoin ${name} --orphan --force\` leaves the marks on it and goes on`;
  return `the deletion waits: ${texts.join("; ")}${more === 0 ? "" : `; and ${more} more`}; ${way}`;
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
