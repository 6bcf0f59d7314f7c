import { byImpact, defined, isContactReason, isTrouble, isUnderWay, nextStep, type Reason } from "../../apis/index.ts";
import { FOLLOWS_WITHIN_MS, shapeOf } from "../../query/index.ts";
import {
  type ClusterReport,
  fullNameOf,
  nameOnCommandLine,
  type ObjectReport,
  type StatusReport,
} from "./statusView.ts";

/** Problems grouped by cause instead of by object, with the person's next step. Pure. */

const DELETING: Reason = "Deleting";
const TERMINATING: Reason = "Terminating";
const PAUSED: Reason = "RolloutPaused";

type Identity = Pick<ObjectReport, "apiVersion" | "kind" | "namespace" | "name">;

/** `WaitsForPerson` and `Waits` are no errors: what serves goes on serving. */
export type Standing = "Trouble" | "WaitsForPerson" | "Waits";

export interface CauseReport {
  reason: string;
  standing: Standing;
  /** The message with names and numbers replaced. Empty: whatever the messages are, the cause is the same. */
  shape: string;
  /** About the object or cluster that has had this cause for the longest time. */
  message: string;
  clusters: string[];
  objects: Identity[];
  /** Earliest time at which an object or cluster had this cause; empty if unknown. */
  since: string;
  /** The change that the cause followed within ten minutes. Absent: there is none. */
  change?: { object: Identity; generation: number; at: string };
  nextStep: string;
}

interface Trouble {
  reason: string;
  message: string;
  since: string;
  cluster?: string;
  object?: ObjectReport;
}

/** One cause for each lasting reason and message shape; the worst for users come first. */
export function causesOf({ objects, clusters }: StatusReport): CauseReport[] {
  const troubles = [...clusters.flatMap(ofCluster), ...objects.flatMap(ofObject)];
  return [...Map.groupBy(troubles, (trouble) => `${trouble.reason}\n${causeShape(trouble)}`).values()]
    .map(causeOf)
    .map((cause) => ({ cause, size: { reason: cause.reason, clusters: cause.clusters.length } }))
    .toSorted((a, b) => byImpact(a.size, b.size))
    .map(({ cause }) => cause);
}

/** A cluster that is out of contact is one cause, however it is worded for its objects. */
function causeShape({ reason, message, cluster = "", object }: Trouble): string {
  if (isContactReason(reason) || message === "") return "";
  const names = [cluster, object?.name ?? "", object?.namespace ?? ""];
  // The object's own message begins with the name of the cluster that it speaks of.
  const own = cluster !== "" && message.startsWith(`${cluster}: `) ? message.slice(cluster.length + 2) : message;
  return shapeOf(own, names);
}

function causeOf(troubles: readonly Trouble[]): CauseReport {
  const objects = new Map(
    troubles.flatMap(({ object }) => (object === undefined ? [] : [[fullNameOf(object), object] as const])),
  );
  const clusters = [...new Set(troubles.flatMap(({ cluster }) => cluster ?? []))].toSorted();
  const [first] = troubles.toSorted(bySince);
  const { reason, message, since } = first ?? { reason: "", message: "", since: "" };
  const [object] = objects.values();
  return {
    reason,
    standing: standingOf(reason),
    shape: first === undefined ? "" : causeShape(first),
    message,
    clusters,
    objects: [...objects.values()].map(identityOf),
    since,
    ...defined({ change: changeBefore(first) }),
    nextStep: stepFor(reason, clusters[0], object),
  };
}

function stepFor(reason: string, cluster: string | undefined, object: ObjectReport | undefined): string {
  const name = object === undefined ? undefined : nameOnCommandLine(object, { namespace: undefined });
  if (reason === PAUSED && object?.change?.rollout?.reason === "Gate")
    return `\`meridian rollout status ${name}\` says what the gate waits for; \`meridian rollout approve ${name}\` approves its stage`;
  return nextStep(reason, { cluster, object: name, namespace: object?.namespace });
}

/** Reasons that pass only when a person decides or changes something, though what serves goes on serving. */
const FOR_A_PERSON: ReadonlySet<string> = new Set<Reason>([
  "DeploymentPaused",
  "JobSuspended",
  "RolledBack",
  "RolloutPaused",
  "FailoverHeld",
  "NowhereToGo",
  "DeletionPolicyMissing",
  "Suspended",
  "NamespaceNotGranted",
  "FoundOnJoin",
  "CopyFound",
  "OtherOwner",
  "OwnershipUnproven",
  "HoldsData",
  "HubWentBack",
  "OwnersMissing",
  "CustomObjectsExist",
]);

function standingOf(reason: string): Standing {
  if (isTrouble(reason)) return "Trouble";
  return FOR_A_PERSON.has(reason) ? "WaitsForPerson" : "Waits";
}

/** Unknown times last. */
function bySince(a: Trouble, b: Trouble): number {
  if (a.since === b.since) return 0;
  if (a.since === "" || b.since === "") return a.since === "" ? 1 : -1;
  return a.since < b.since ? -1 : 1;
}

function identityOf({ apiVersion, kind, namespace, name }: ObjectReport): Identity {
  return { apiVersion, kind, namespace, name };
}

/** Kubernetes writes whole seconds. */
const ROUNDING_MS = 1_000;

function changeBefore(first: Trouble | undefined): CauseReport["change"] {
  const { object, since = "" } = first ?? {};
  const { at, generation } = object?.change ?? {};
  if (object === undefined || at === undefined || generation === undefined) return undefined;
  const later = Date.parse(since) - Date.parse(at);
  if (!(later >= -ROUNDING_MS && later <= FOLLOWS_WITHIN_MS)) return undefined;
  return { object: identityOf(object), generation, at };
}

/** A cluster that does not answer, and its objects, have been in trouble since the cluster's last answer. */
function ofCluster(cluster: ClusterReport): Trouble[] {
  const { name, ready, reason, message, lastContact, deleting, deletedAt, removal } = cluster;
  const all = deleting
    ? [{ reason: removal ?? "", message, since: deletedAt }]
    : ready === "Unknown" && cluster.troubles.length === 0
      ? [{ reason, message, since: "" }]
      : cluster.troubles;
  return all.flatMap((trouble): Trouble[] => {
    if (trouble.reason === "" || isUnderWay(trouble.reason)) return [];
    const isLost = ready !== "True" && trouble.reason === reason && lastContact !== "";
    return [{ ...trouble, ...(isLost ? { since: lastContact } : {}), cluster: name }];
  });
}

function ofObject(object: ObjectReport): Trouble[] {
  const entries = object.clusters.flatMap(
    ({ name, state, reason = "", message = "", since, observedAt }): Trouble[] => {
      if (reason === "" || state === "Available" || isUnderWay(reason)) return [];
      // A slow deletion is reported late, but its time counts from the start of the deletion.
      const begun = object.reason === DELETING && reason === TERMINATING ? object.since : (since ?? observedAt ?? "");
      return [{ reason, message, since: begun, cluster: name, object }];
    },
  );
  const stopped = ofRollout(object);
  const known = new Set([...entries, ...stopped].map(({ reason }) => reason));
  const others = object.reasons.filter(({ reason }) => !known.has(reason) && !isUnderWay(reason));
  const { message, since } = object;
  return [...entries, ...stopped, ...others.map(({ reason }): Trouble => ({ reason, message, since, object }))];
}

/** A rollout that has stopped is named beside what is wrong with its object. */
function ofRollout(object: ObjectReport): Trouble[] {
  const { state, reason = "", message, since } = object.change?.rollout ?? {};
  const isStopped = state === "Paused" || (state === "Planned" && reason !== "");
  if (!isStopped) return [];
  return [{ reason: PAUSED, message: message ?? reason, since: since ?? object.since, object }];
}
