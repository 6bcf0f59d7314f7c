import {
  type Condition,
  conditionMessage,
  counted,
  fullMessage,
  type MemberCluster,
  type MessageParts,
  type ObjectRef,
  prefixed,
  type Reason,
  sameValue,
  shortName,
  timestamp,
  withLead,
} from "../../apis/index.ts";
import type { Why } from "../../desiredstate/index.ts";
import type { HubCache } from "../../hub/index.ts";
import type { EventRecorder } from "../../observability/index.ts";
import { type Client, type Informer } from "../../runtime/index.ts";
import { finalizerHolds } from "../../status/index.ts";
import { type Assignments, type Observations } from "../tables/index.ts";
import { regardingMember, writeConditions } from "./memberCondition.ts";

const REMOVAL_MANAGER = "meridian-removal";
const REMOVED = "Removed";

export interface ClusterDeletionSources {
  hub: Pick<HubCache, "reportedOn" | "clusters">;
  assignments: Assignments;
  observations: Observations;
}

/**
 * Tells if the deletion waits for a person to set the deletion policy. No decision is needed without objects of
 * Meridian on the member. `Unknown`: contact was not tried yet, or not all objects are read.
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
 * The causes that hold the draining, sorted by text: the cluster does not answer; or member objects that a finalizer
 * holds, that the cluster refuses to remove or that may not go yet; or else the kinds that cannot be read there.
 */
export function whyNotDrained(
  { assignments, observations }: Pick<ClusterDeletionSources, "assignments" | "observations">,
  member: MemberCluster,
): MessageParts[] {
  const { name, deletionTimestamp = "" } = member.metadata;
  const { ok, reason = UNREACHABLE, unreadable, synced } = observations.contactOf(name);
  if (!ok) return outOfContact(member, reason);
  const waits: MessageParts[] = [];
  const wait = (what: string | undefined, why: Why): void => {
    waits.push(waitOf("Drain", deletionTimestamp, what, why));
  };
  for (const { ref, present, failure } of observations.in(name)) {
    if (ref.kind === "Namespace" || present === undefined) continue;
    const { finalizers = [] } = present;
    if (present.deleting && finalizers.length > 0) {
      waits.push(withLead(`Drain since ${deletionTimestamp}: `, finalizerHolds(ref, finalizers).message));
    } else if (failure !== undefined) wait(nameOf(ref), failure);
    else if (observations.unreadableReason(name, ref) === NOT_SERVED) wait(nameOf(ref), SERVED_IN_NO_VERSION);
  }
  for (const { ref, effective } of assignments.in(name)) {
    if (ref.kind === "Namespace" || effective?.verb !== "Hold" || effective.why.reason === TERMINATING) continue;
    wait(nameOf(ref), effective.why);
  }
  // The kinds that cannot be read may include objects of ours.
  if (waits.length === 0 && !synced)
    for (const message of unreadable.values()) wait(undefined, { reason: NOT_SYNCED, message });
  return sorted(waits);
}

/**
 * The member objects that keep their marks while a cluster is released, and why. The release does not wait for a
 * cluster without contact, nor for an object whose change the cluster refuses for good.
 */
export function whyNotReleased(
  { observations }: Pick<ClusterDeletionSources, "observations">,
  { metadata: { name, deletionTimestamp = "" } }: MemberCluster,
): MessageParts[] {
  const waits: MessageParts[] = [];
  if (!observations.contactOf(name).ok) return waits;
  for (const { ref, present, failure } of observations.in(name)) {
    if (present === undefined || present.deleting || failure?.final === true) continue;
    const isServed = observations.unreadableReason(name, ref) !== NOT_SERVED;
    const why = failure ?? (isServed ? undefined : SERVED_IN_NO_VERSION);
    if (why !== undefined) waits.push(waitOf("Orphan", deletionTimestamp, nameOf(ref), why));
  }
  return sorted(waits);
}

function waitOf(
  policy: "Drain" | "Orphan",
  deletedAt: string,
  what: string | undefined,
  { reason, message }: Why,
): MessageParts {
  const words = what === undefined ? `${reason}: ` : `${what}: ${reason}: `;
  return withLead(`${policy} since ${deletedAt}: `, prefixed(words, message));
}

function sorted(waits: readonly MessageParts[]): MessageParts[] {
  const texts = new Map(waits.map((wait) => [wait, fullMessage(wait)]));
  return waits.toSorted((a, b) => ((texts.get(a) ?? "") < (texts.get(b) ?? "") ? -1 : 1));
}

function outOfContact({ status }: MemberCluster, reason: string): MessageParts[] {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  // The condition Ready will report the loss in a moment, with its time.
  if (ready?.status === "True") return [];
  const since = ready === undefined ? "" : ` since ${ready.lastTransitionTime}`;
  const frees = "goes on when it answers, or with spec.deletionPolicy Orphan";
  return [{ lead: "Drain: ", what: `${reason}${since}`, remedy: frees }];
}

function nameOf({ kind, name }: ObjectRef): string {
  return `${kind} ${shortName(name)}`;
}

/** Number of known objects that are still to be removed from a cluster. Namespaces may stay and do not count. */
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
/** Rows that are held for this reason are left out, since the observation of the member object names the finalizers. */
const TERMINATING: Reason = "Terminating";

export interface RemovalConditionOptions {
  client: Client;
  clusters: Informer<MemberCluster>;
  events: Pick<EventRecorder, "record">;
}

export type DeletionStage =
  | { kind: "Undecided" }
  /** `left`: objects that are still to be removed. `waits`: causes of the delay. `late`: the deletion is overdue. */
  | { kind: "Draining"; left: number; waits: readonly MessageParts[]; late: boolean }
  /** The cluster is being released; `waits` and `late` as for `Draining`. */
  | { kind: "LettingGo"; waits: readonly MessageParts[]; late: boolean };

/**
 * Writes the stage of its deletion to the MemberCluster. An Event also reports, once, a stage that waits for a person.
 */
export async function reportDeletion(
  { client, clusters, events }: RemovalConditionOptions,
  member: MemberCluster,
  stage: DeletionStage,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const before = removedCondition(member);
  // A release takes only a moment unless something holds it.
  if (before === undefined && stage.kind === "LettingGo" && !isHeld(stage)) return;
  const said = wordsOf(member, stage, before);
  const condition: Condition = {
    type: REMOVED,
    status: "False",
    ...said,
    lastTransitionTime: before?.lastTransitionTime ?? timestamp(now),
  };
  if (sameValue(before, condition)) return;
  const { name } = member.metadata;
  if (!(await writeConditions({ client, clusters }, name, REMOVAL_MANAGER, [condition], signal))) return;
  const note = noteOf(member, stage);
  if (note === undefined || (before?.reason === condition.reason && before.message === condition.message)) return;
  events.record({
    regarding: regardingMember(member),
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

const WAITS: Reason = "DeletionWaits";

const LETTING_GO = "what Meridian put there is being let go of and keeps running";

/** True if the deletion is overdue and a cause is known. */
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

/** Keeps naming the same cause while it lasts, so that each removed object does not cost a write. */
function heldBy(
  { waits }: Exclude<DeletionStage, { kind: "Undecided" }>,
  before: Condition | undefined,
): string | undefined {
  const texts = waits.map((wait) => conditionMessage(wait));
  return texts.find((text) => text === before?.message) ?? texts[0];
}

/** Text of the Event; undefined while the deletion waits for no person. */
function noteOf({ metadata: { name } }: MemberCluster, stage: DeletionStage): string | undefined {
  if (stage.kind === "Undecided")
    return `the deletion waits until somebody says what is to become of what runs there: ${choices(name)}`;
  if (!isHeld(stage)) return undefined;
  const texts = stage.waits.slice(0, NAMED_IN_EVENT).map(fullMessage);
  const more = stage.waits.length - texts.length;
  const way =
    stage.kind === "Draining"
      ? `\`meridian unjoin ${name} --orphan\` leaves it running instead`
      : `\`meridian unjoin ${name} --orphan --force\` leaves the marks on it and goes on`;
  return `the deletion waits: ${texts.join("; ")}${more === 0 ? "" : `; and ${more} more`}; ${way}`;
}

/** Number of causes in an Event. An Event has room for more text than a condition. */
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
