import { byImpact, isUnderWay, nextStep, type Reason } from "../../apis/index.ts";
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

export interface CauseReport {
  reason: string;
  /** About the first object or cluster with this cause. */
  message: string;
  clusters: string[];
  objects: Pick<ObjectReport, "apiVersion" | "kind" | "namespace" | "name">[];
  /** Earliest time at which an object or cluster had this cause; empty if unknown. */
  since: string;
  nextStep: string;
}

interface Trouble {
  reason: string;
  message: string;
  since: string;
  cluster?: string;
  object?: ObjectReport;
}

/** One cause for each lasting reason of an object or cluster; the worst for users come first. */
export function causesOf({ objects, clusters }: StatusReport): CauseReport[] {
  const troubles = [...clusters.flatMap(ofCluster), ...objects.flatMap(ofObject)];
  return [...Map.groupBy(troubles, ({ reason }) => reason).values()]
    .map(causeOf)
    .map((cause) => ({ cause, size: { reason: cause.reason, clusters: cause.clusters.length } }))
    .toSorted((a, b) => byImpact(a.size, b.size))
    .map(({ cause }) => cause);
}

function causeOf(troubles: readonly Trouble[]): CauseReport {
  const [first = { reason: "", message: "", since: "" }] = troubles;
  const objects = new Map(
    troubles.flatMap(({ object }) => (object === undefined ? [] : [[fullNameOf(object), object] as const])),
  );
  const clusters = [...new Set(troubles.flatMap(({ cluster }) => cluster ?? []))].toSorted();
  const [since = ""] = troubles.flatMap((trouble) => trouble.since || []).toSorted();
  const [object] = objects.values();
  return {
    reason: first.reason,
    message: first.message,
    clusters,
    objects: [...objects.values()].map(({ apiVersion, kind, namespace, name }) => ({
      apiVersion,
      kind,
      namespace,
      name,
    })),
    since,
    nextStep: nextStep(first.reason, {
      cluster: clusters[0],
      object: object === undefined ? undefined : nameOnCommandLine(object, { namespace: undefined }),
      namespace: object?.namespace,
    }),
  };
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
  const known = new Set(entries.map(({ reason }) => reason));
  const others = object.reasons.filter(({ reason }) => !known.has(reason) && !isUnderWay(reason));
  const { message, since } = object;
  return [...entries, ...others.map(({ reason }): Trouble => ({ reason, message, since, object }))];
}
