import { byImpact, isUnderWay, nextStep, type Reason } from "../../apis/index.ts";
import { fullNameOf, nameOnCommandLine } from "./statusNames.ts";
import type { ClusterReport, ObjectReport, StatusReport } from "./statusView.ts";

/** What is wrong, by cause rather than by object, and what a person does next. Pure. */

const DELETING: Reason = "Deleting";
const TERMINATING: Reason = "Terminating";

/** One cause of trouble. */
export interface CauseReport {
  /** A CamelCase code. */
  reason: string;
  /** What it says of the first object or cluster that it concerns. */
  message: string;
  /** Names of the clusters, sorted. */
  clusters: string[];
  /** Sorted by namespace and name. */
  objects: Pick<ObjectReport, "apiVersion" | "kind" | "namespace" | "name">[];
  /** Since when the first of them has been concerned; empty where nobody knows. */
  since: string;
  /** What a person does next. */
  nextStep: string;
}

interface Trouble {
  reason: string;
  message: string;
  since: string;
  cluster?: string;
  object?: ObjectReport;
}

/** A cause for each reason of an object or a cluster that does not pass by itself, the worst for users first. */
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

/** A cluster that does not answer has been in trouble since its last answer, as its objects have. */
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
      // How long a deletion takes is said late; it is counted from its beginning.
      const begun = object.reason === DELETING && reason === TERMINATING ? object.since : (since ?? observedAt ?? "");
      return [{ reason, message, since: begun, cluster: name, object }];
    },
  );
  const known = new Set(entries.map(({ reason }) => reason));
  const others = object.reasons.filter(({ reason }) => !known.has(reason) && !isUnderWay(reason));
  const { message, since } = object;
  return [...entries, ...others.map(({ reason }): Trouble => ({ reason, message, since, object }))];
}
